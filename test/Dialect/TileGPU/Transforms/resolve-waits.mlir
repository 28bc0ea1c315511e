// RUN: tilewright-opt %s --resolve-waits --split-input-file --verify-diagnostics | FileCheck %s

// The number of groups that are committed after those of the tokens.
// CHECK-LABEL: @inOrder
func.func @inOrder() {
  %a = tilegpu.async_commit
  %b = tilegpu.async_commit
  // CHECK: async_wait %{{.*}} pending 1
  %0 = tilegpu.async_wait %a
  %c = tilegpu.async_commit
  // CHECK: async_wait %{{.*}} pending 2
  // CHECK: async_wait %{{.*}}, %{{.*}} pending 1
  // CHECK: async_wait %{{.*}} pending 0
  %1 = tilegpu.async_wait %a
  %2 = tilegpu.async_wait %a, %b
  %3 = tilegpu.async_wait %c
  return
}

// A loop whose iterations wait for the copies of two iterations before.
// CHECK-LABEL: @carried
func.func @carried(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.async_commit
  %b = tilegpu.async_commit
  // CHECK: scf.for
  // CHECK-NEXT: async_wait %{{.*}} pending 1
  // CHECK-NEXT: async_commit
  // CHECK-NEXT: async_wait %{{.*}} pending 1
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a, %u = %b) -> (!tilegpu.token, !tilegpu.token) : i32 {
    %0 = tilegpu.async_wait %t
    %v = tilegpu.async_commit
    %1 = tilegpu.async_wait %u
    scf.yield %u, %v : !tilegpu.token, !tilegpu.token
  }
  // CHECK: async_wait %{{.*}} pending 1
  // CHECK: async_wait %{{.*}} pending 0
  %2 = tilegpu.async_wait %last#0
  %3 = tilegpu.async_wait %last#1
  return
}

// The path with the fewest commits: one branch commits nothing; a loop may have no iterations, and its token may be that
// of the previous one.
// CHECK-LABEL: @paths
func.func @paths(%c: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tilegpu.async_commit
  %t = scf.if %c -> !tilegpu.token {
    %b = tilegpu.async_commit
    %d = tilegpu.async_commit
    scf.yield %b : !tilegpu.token
  } else {
    scf.yield %a : !tilegpu.token
  }
  // CHECK: async_wait %{{.*}} pending 0
  %0 = tilegpu.async_wait %t
  %e = tilegpu.async_commit
  // CHECK: async_wait %{{.*}} pending 1
  %1 = tilegpu.async_wait %a
  // CHECK: scf.for
  // CHECK-NEXT: async_wait %{{.*}} pending 0
  // CHECK-NEXT: async_wait %{{.*}} pending 0
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%u = %e) -> !tilegpu.token : i32 {
    %2 = tilegpu.async_wait %u
    %3 = tilegpu.async_wait %e
    %f = tilegpu.async_commit
    scf.yield %f : !tilegpu.token
  }
  return
}

// The token of a wait has completed already.
// CHECK-LABEL: @waitedFor
func.func @waitedFor(%c: i1) {
  %a = tilegpu.async_commit
  %b = tilegpu.async_commit
  // CHECK: %[[DONE:.*]] = tilegpu.async_wait %{{.*}} pending 1
  %done = tilegpu.async_wait %a
  %t = scf.if %c -> !tilegpu.token {
    scf.yield %done : !tilegpu.token
  } else {
    scf.yield %b : !tilegpu.token
  }
  %d = tilegpu.async_commit
  // CHECK: async_wait %{{.*}} pending 1
  %0 = tilegpu.async_wait %t
  return
}

// -----

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 32>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16]] : 32>
func.func @uncommitted(%p: tensor<32x!tile.ptr<f32>, #line>) {
  %b = tilegpu.local_alloc at 0 : !tilegpu.buffer<32xf32, #shared>
  %copy = tilegpu.async_copy %p, %b : tensor<32x!tile.ptr<f32>, #line> -> !tilegpu.buffer<32xf32, #shared>
  // expected-error @+1 {{waits for a copy that belongs to no group yet}}
  %done = tilegpu.async_wait %copy
  return
}
