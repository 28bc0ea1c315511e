// tilegpu-to-thread: atomics, each element once.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file | FileCheck %s

#four = #tilegpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [] : 128>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Four contiguous elements at once. A single instruction has the memory order itself.
  // CHECK-LABEL: func.func @adjacent_elements
  // CHECK: thread.atomic_rmw <fadd> <acq_rel> <gpu> %{{.*}}, %{{.*}} mask %true : <1>, vector<4xf32>
  // CHECK-NOT: thread.atomic_rmw
  // Integers one by one, between fences.
  // CHECK: thread.fence <gpu>
  // CHECK-COUNT-4: thread.atomic_rmw <add> <relaxed> <gpu> %{{.*}} : <1>, vector<1xi32>
  // CHECK: thread.fence <gpu>
  func.func @adjacent_elements(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %v: f32 {tile.slot = 1 : i32})
      attributes {tile.kernel} {
    %i = tile.make_range 0 to 128 : tensor<128xi32, #four>
    %b = tile.splat %p : tensor<128x!tile.ptr<f32>, #four>
    %q = tile.addptr %b, %i : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
    %x = tile.splat %v : tensor<128xf32, #four>
    %0 = tile.atomic_rmw <fadd> %q, %x contiguity [128] width [4] : tensor<128x!tile.ptr<f32>, #four>, tensor<128xf32, #four>
    %r = tile.ptr_cast %q : tensor<128x!tile.ptr<f32>, #four> -> tensor<128x!tile.ptr<i32>, #four>
    %1 = tile.atomic_rmw <add> %r, %i contiguity [128] width [4] : tensor<128x!tile.ptr<i32>, #four>, tensor<128xi32, #four>
    return
  }

  // One thread executes a scalar atomic; a release needs no fence afterwards.
  // CHECK-LABEL: func.func @scalars
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq
  // CHECK: thread.compare_exchange <acquire> <sys> %{{.*}} mask %[[FIRST]] : <1>, i32
  // CHECK: thread.atomic_rmw <xchg> <release> <cta> %{{.*}} mask %[[FIRST]]
  func.func @scalars(%p: !tile.ptr<i32> {tile.slot = 0 : i32}, %v: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
    %0 = tile.atomic_cas %p, %v, %v {sem = #tile.sem<acquire>, scope = #tile.scope<sys>} : !tile.ptr<i32>, i32
    %1 = tile.atomic_rmw <xchg> %p, %v {sem = #tile.sem<release>, scope = #tile.scope<cta>} : !tile.ptr<i32>, i32
    return
  }
}

// -----

// The first thread waits in a loop, and has the result.
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @waits
  // CHECK-SAME: (%[[P:.*]]: !llvm.ptr<1>, %[[V:.*]]: i64, %[[T:.*]]: i64)
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq
  // CHECK: scf.if %[[FIRST]]
  // CHECK: %[[START:.*]] = thread.global_timer
  // CHECK: scf.while
  // CHECK: %[[OLD:.*]] = thread.atomic_rmw <or> <acquire> <sys> %[[P]], %c0_i64 mask %true
  // CHECK: %[[FOUND:.*]] = arith.cmpi eq, %[[OLD]], %[[V]]
  // CHECK: %[[NOW:.*]] = thread.global_timer
  // CHECK: %[[PASSED:.*]] = arith.subi %[[NOW]], %[[START]]
  // CHECK: arith.cmpi slt, %[[PASSED]], %[[T]]
  // CHECK: scf.condition(%{{.*}}) %[[FOUND]] : i1
  func.func @waits(%p: !tile.ptr<i64>, %v: i64, %t: i64) -> i1 {
    %0 = tile.atomic_poll %p, %v timeout %t {scope = #tile.scope<sys>} : !tile.ptr<i64>, i64
    return %0 : i1
  }

  // Memory has no 16-bit atomics but this one.
  // CHECK-LABEL: func.func @short
  // CHECK-NOT: thread.global_timer
  // CHECK: thread.compare_exchange <relaxed> <gpu> %{{.*}}, %c0_i16, %c0_i16
  func.func @short(%p: !tile.ptr<i16>, %v: i16) -> i1 {
    %0 = tile.atomic_poll %p, %v {sem = #tile.sem<relaxed>} : !tile.ptr<i16>, i16
    return %0 : i1
  }
}

// -----

#copies = #tilegpu.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [], block = [] : 8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  // Lanes with replicas and masked-out elements skip it. sm_80 cannot add pairs of bfloat16, nor single ones: see
  // thread-to-nvvm.mlir.
  // CHECK-LABEL: func.func @masked
  // CHECK: %[[OWNS:.*]] = arith.cmpi eq
  // CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[OWNS]] : i1
  // CHECK: thread.atomic_rmw <fadd> <relaxed> <gpu> %{{.*}}, %{{.*}} mask %[[BOTH]] : <1>, vector<1xbf16>
  func.func @masked(%p: !tile.ptr<bf16> {tile.slot = 0 : i32}, %v: bf16 {tile.slot = 1 : i32}, %n: i32 {tile.slot = 2 : i32})
      attributes {tile.kernel} {
    %i = tile.make_range 0 to 8 : tensor<8xi32, #copies>
    %b = tile.splat %p : tensor<8x!tile.ptr<bf16>, #copies>
    %q = tile.addptr %b, %i : tensor<8x!tile.ptr<bf16>, #copies>, tensor<8xi32, #copies>
    %x = tile.splat %v : tensor<8xbf16, #copies>
    %s = tile.splat %n : tensor<8xi32, #copies>
    %m = arith.cmpi slt, %i, %s : tensor<8xi32, #copies>
    %0 = tile.atomic_rmw <fadd> %q, %x mask %m {sem = #tile.sem<relaxed>}
        : tensor<8x!tile.ptr<bf16>, #copies>, tensor<8xbf16, #copies>, mask tensor<8xi1, #copies>
    return
  }
}

// -----

#twice = #tilegpu.layout<register = [[0], [1]], lane = [[2], [4], [8], [16], [0]], warp = [], block = [] : 32>
#shared = #tilegpu.layout<offset = [[1], [2]] : 4>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // A thread has each element in two registers, and shares it with another lane: two of four registers are counted, in
  // one of the lanes. 64-bit elements are compared in full.
  // CHECK-LABEL: func.func @histogram
  // CHECK-DAG: %[[OWNS:.*]] = arith.cmpi eq
  // CHECK-DAG: arith.cmpi ult, %{{.*}}, %c4_i64 : i64
  // CHECK: arith.andi %{{.*}}, %[[OWNS]] : i1
  // CHECK-COUNT-2: thread.atomic_rmw <add>
  // CHECK-NOT: thread.atomic_rmw
  func.func @histogram(%x: tensor<32xi64, #twice>) {
    %b = tilegpu.local_alloc at 0 : !tilegpu.buffer<4xi32, #shared>
    tilegpu.local_histogram %x, %b : tensor<32xi64, #twice> -> !tilegpu.buffer<4xi32, #shared>
    return
  }
}
