// RUN: tilewright-opt %s --allocate-shared --split-input-file --verify-diagnostics | FileCheck %s

#line = #tilegpu.layout<register = [[32], [64], [128], [256], [512], [1024]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 2048>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024]] : 2048>

// CHECK: tilegpu.shared_bytes = 16384
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Two large buffers with disjoint lifetimes share memory.
  // CHECK-LABEL: @large
  func.func @large(%x: tensor<2048xf64, #line>) {
    // CHECK: %[[A:.*]] = tilegpu.local_alloc at 0
    // CHECK: %[[B:.*]] = tilegpu.local_alloc at 0
    %a = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    %b = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    tilegpu.local_store %x, %a : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
    %y = tilegpu.local_load %a : !tilegpu.buffer<2048xf64, #shared> -> tensor<2048xf64, #line>
    tilegpu.local_store %y, %b : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
    %z = tilegpu.local_load %b : !tilegpu.buffer<2048xf64, #shared> -> tensor<2048xf64, #line>
    return
  }
}

// -----

#few = #tilegpu.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [], block = [] : 4>
#shared = #tilegpu.layout<offset = [[1], [2]] : 4>

// CHECK: tilegpu.shared_bytes = 32
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // The third buffer may reuse the first one's memory, as the second one's barrier is between them; the second may not.
  // CHECK-LABEL: @small
  func.func @small(%x: tensor<4xf32, #few>) {
    // CHECK: local_alloc at 0
    // CHECK: local_alloc at 16
    // CHECK: local_alloc at 0
    // CHECK-NOT: local_alloc
    %a = tilegpu.local_alloc : !tilegpu.buffer<4xf32, #shared>
    tilegpu.local_store %x, %a : tensor<4xf32, #few> -> !tilegpu.buffer<4xf32, #shared>
    %y = tilegpu.local_load %a : !tilegpu.buffer<4xf32, #shared> -> tensor<4xf32, #few>
    %b = tilegpu.local_alloc : !tilegpu.buffer<4xf32, #shared>
    tilegpu.local_store %y, %b : tensor<4xf32, #few> -> !tilegpu.buffer<4xf32, #shared>
    %z = tilegpu.local_load %b : !tilegpu.buffer<4xf32, #shared> -> tensor<4xf32, #few>
    %c = tilegpu.local_alloc : !tilegpu.buffer<4xf32, #shared>
    tilegpu.local_store %z, %c : tensor<4xf32, #few> -> !tilegpu.buffer<4xf32, #shared>
    %w = tilegpu.local_load %c : !tilegpu.buffer<4xf32, #shared> -> tensor<4xf32, #few>
    %unused = tilegpu.local_alloc : !tilegpu.buffer<4xf32, #shared>
    return
  }
}

// -----

#line = #tilegpu.layout<register = [[32], [64], [128], [256], [512], [1024]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 2048>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024]] : 2048>

// CHECK: tilegpu.shared_bytes = 65536
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // A buffer used in a loop is live throughout the loop; one with copies in flight is live until the wait.
  // CHECK-LABEL: @loop
  func.func @loop(%p: tensor<2048x!tile.ptr<f64>, #line>, %x: tensor<2048xf64, #line>, %n: i32, %i: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: local_alloc at 0 {{.*}} 2>
    // CHECK: local_alloc at 32768
    // CHECK: local_alloc at 49152
    %slots = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared, 2>
    %a = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    %b = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    %none = tilegpu.async_commit
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%t = %none) -> !tilegpu.token : i32 {
      %slot = tilegpu.local_slot %slots[%i] : !tilegpu.buffer<2048xf64, #shared, 2> -> !tilegpu.buffer<2048xf64, #shared>
      %copy = tilegpu.async_copy %p, %slot : tensor<2048x!tile.ptr<f64>, #line> -> !tilegpu.buffer<2048xf64, #shared>
      %next = tilegpu.async_commit of %copy
      tilegpu.local_store %x, %a : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
      %y = tilegpu.local_load %a : !tilegpu.buffer<2048xf64, #shared> -> tensor<2048xf64, #line>
      tilegpu.local_store %x, %b : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
      %z = tilegpu.local_load %b : !tilegpu.buffer<2048xf64, #shared> -> tensor<2048xf64, #line>
      scf.yield %next : !tilegpu.token
    }
    // CHECK: local_alloc at 32768
    %c = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    tilegpu.local_store %x, %c : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
    %y = tilegpu.local_load %c : !tilegpu.buffer<2048xf64, #shared> -> tensor<2048xf64, #line>
    %done = tilegpu.async_wait %last
    return
  }
}

// -----

#line = #tilegpu.layout<register = [[32], [64], [128], [256], [512], [1024]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 2048>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024]] : 2048>

// CHECK: tilegpu.shared_bytes = 65536
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // A buffer whose copy is never waited for is live forever, so that no other one reuses its memory.
  // CHECK-LABEL: @dropped
  func.func @dropped(%p: tensor<2048x!tile.ptr<f64>, #line>, %x: tensor<2048xf64, #line>) {
    // CHECK: local_alloc at 0
    // CHECK: local_alloc at 16384
    %a = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    %b = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    %copy = tilegpu.async_copy %p, %a : tensor<2048x!tile.ptr<f64>, #line> -> !tilegpu.buffer<2048xf64, #shared>
    %t = tilegpu.async_commit of %copy
    tilegpu.local_store %x, %b : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
    %y = tilegpu.local_load %b : !tilegpu.buffer<2048xf64, #shared> -> tensor<2048xf64, #line>
    return
  }

  // The next iteration of a loop may find a copy in flight: a buffer above it in the loop must not share its memory.
  // With a wait in the same iteration it may.
  // CHECK-LABEL: @carried
  func.func @carried(%p: tensor<2048x!tile.ptr<f64>, #line>, %x: tensor<2048xf64, #line>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = tilegpu.async_commit
    // CHECK: local_alloc at [[A:.*]] :
    // CHECK: local_alloc at [[A]] :
    // CHECK-NOT: local_alloc at [[A]] :
    // CHECK: local_alloc
    // CHECK: return
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> !tilegpu.token : i32 {
      %a = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
      tilegpu.local_store %x, %a : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
      %y = tilegpu.local_load %a : !tilegpu.buffer<2048xf64, #shared> -> tensor<2048xf64, #line>
      %b = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
      %copy = tilegpu.async_copy %p, %b : tensor<2048x!tile.ptr<f64>, #line> -> !tilegpu.buffer<2048xf64, #shared>
      %t = tilegpu.async_commit of %copy
      %done = tilegpu.async_wait %t
      %c = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
      %carried = tilegpu.async_copy %p, %c : tensor<2048x!tile.ptr<f64>, #line> -> !tilegpu.buffer<2048xf64, #shared>
      %u = tilegpu.async_commit of %carried
      scf.yield %u : !tilegpu.token
    }
    %end = tilegpu.async_wait %last
    return
  }

  // Partitions are executed at the same time, so that their buffers share no memory; those of one partition do.
  // CHECK-LABEL: @partitions
  func.func @partitions(%x: tensor<2048xf64, #line>) {
    // CHECK: local_alloc at 32768
    // CHECK: local_alloc at 32768
    // CHECK: local_alloc at 49152
    // CHECK: local_alloc at 0
    %a = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    %b = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    %c = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared>
    %d = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared, 2>
    tilegpu.local_store %x, %a : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
    %y = tilegpu.local_load %a : !tilegpu.buffer<2048xf64, #shared> -> tensor<2048xf64, #line>
    tilegpu.local_store %x, %b : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
    %z = tilegpu.local_load %b : !tilegpu.buffer<2048xf64, #shared> -> tensor<2048xf64, #line>
    tilegpu.local_store %x, %c {tilegpu.partition = 1 : i64} : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
    %c0 = arith.constant 0 : i32
    %d0 = tilegpu.local_slot %d[%c0] : !tilegpu.buffer<2048xf64, #shared, 2> -> !tilegpu.buffer<2048xf64, #shared>
    tilegpu.local_store %x, %d0 {tilegpu.partition = 2 : i64} : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
    return
  }
}

// -----

#line = #tilegpu.layout<register = [[32], [64], [128], [256], [512], [1024]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 2048>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024]] : 2048>

module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_86"} {
  // expected-error @+1 {{the kernel needs 131072 bytes of shared memory, and sm_86 has 101376 for each program; smaller blocks or fewer num_stages take less}}
  func.func @tooMuch(%x: tensor<2048xf64, #line>, %i: i32) {
    %a = tilegpu.local_alloc : !tilegpu.buffer<2048xf64, #shared, 8>
    %slot = tilegpu.local_slot %a[%i] : !tilegpu.buffer<2048xf64, #shared, 8> -> !tilegpu.buffer<2048xf64, #shared>
    tilegpu.local_store %x, %slot : tensor<2048xf64, #line> -> !tilegpu.buffer<2048xf64, #shared>
    return
  }
}

// -----

#few = #tilegpu.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0], [0]], block = [] : 4>
#shared = #tilegpu.layout<offset = [[1], [2]] : 4>
#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]] : 64x16>
#b = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]] : 16x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// The swizzles that group_mma reads repeat every 1024 bytes.
// CHECK-LABEL: @swizzled
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @swizzled(%x: tensor<4xf32, #few>, %acc: tensor<64x64xf32, #acc>) {
    // CHECK: local_alloc at 4096 : <4xf32
    // CHECK: local_alloc at 0 : <64x16xf16
    // CHECK: local_alloc at 2048 : <16x64xf16
    %small = tilegpu.local_alloc : !tilegpu.buffer<4xf32, #shared>
    %a = tilegpu.local_alloc : !tilegpu.buffer<64x16xf16, #a>
    %b = tilegpu.local_alloc : !tilegpu.buffer<16x64xf16, #b>
    tilegpu.local_store %x, %small : tensor<4xf32, #few> -> !tilegpu.buffer<4xf32, #shared>
    %r = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %acc : !tilegpu.buffer<64x16xf16, #a> * !tilegpu.buffer<16x64xf16, #b> -> tensor<64x64xf32, #acc>
    %y = tilegpu.local_load %small : !tilegpu.buffer<4xf32, #shared> -> tensor<4xf32, #few>
    %again = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %r : !tilegpu.buffer<64x16xf16, #a> * !tilegpu.buffer<16x64xf16, #b> -> tensor<64x64xf32, #acc>
    return
  }
}

// -----

#few = #tilegpu.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [], block = [] : 4>
#shared = #tilegpu.layout<offset = [[1], [2]] : 4>

// The buffers of a function follow those of all its callers, which keep their contents.
// CHECK: tilegpu.shared_bytes = 272
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @outer
  func.func @outer(%x: tensor<4xf32, #few>) {
    // CHECK: local_alloc at 0
    %a = tilegpu.local_alloc : !tilegpu.buffer<4xf32, #shared>
    tilegpu.local_store %x, %a : tensor<4xf32, #few> -> !tilegpu.buffer<4xf32, #shared>
    %y = tilegpu.local_load %a : !tilegpu.buffer<4xf32, #shared> -> tensor<4xf32, #few>
    tile.call @inner(%y) : (tensor<4xf32, #few>) -> ()
    tile.call @innermost(%y) : (tensor<4xf32, #few>) -> ()
    return
  }
  // CHECK-LABEL: @innermost
  func.func private @innermost(%x: tensor<4xf32, #few>) attributes {no_inline} {
    // CHECK: local_alloc at 256
    %a = tilegpu.local_alloc : !tilegpu.buffer<4xf32, #shared>
    tilegpu.local_store %x, %a : tensor<4xf32, #few> -> !tilegpu.buffer<4xf32, #shared>
    %y = tilegpu.local_load %a : !tilegpu.buffer<4xf32, #shared> -> tensor<4xf32, #few>
    return
  }
  // CHECK-LABEL: @inner(
  func.func private @inner(%x: tensor<4xf32, #few>) attributes {no_inline} {
    // CHECK: local_alloc at 128
    %a = tilegpu.local_alloc : !tilegpu.buffer<4xf32, #shared>
    tilegpu.local_store %x, %a : tensor<4xf32, #few> -> !tilegpu.buffer<4xf32, #shared>
    %y = tilegpu.local_load %a : !tilegpu.buffer<4xf32, #shared> -> tensor<4xf32, #few>
    tile.call @innermost(%y) : (tensor<4xf32, #few>) -> ()
    return
  }
}
