// tilegpu-to-thread: tiles to shared memory and back, by wide accesses from few base addresses.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [4, 0], [8, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[16, 0]], block = [] : 32x32>
#columns = #tilegpu.layout<register = [[1, 0], [2, 0], [0, 4], [0, 8]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 16]], block = [] : 32x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] : 32x32>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_80"} {
  // CHECK-LABEL: func.func @turn
  // CHECK-SAME: (%[[X:.*]]: vector<16xf32>, %[[I:.*]]: i32, %[[P:.*]]: i1)
  func.func @turn(%x: tensor<32x32xf32, #rows>, %i: i32, %p: i1) -> tensor<32x32xf32, #columns> {
    // CHECK: %[[SHARED:.*]] = thread.shared_memory
    // CHECK: %[[BUFFER:.*]] = llvm.getelementptr %[[SHARED]][256]
    // CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[BUFFER]][%[[I]]] : {{.*}}, !llvm.array<4096 x i8>
    %b = tilegpu.local_alloc at 256 : !tilegpu.buffer<32x32xf32, #shared, 2>
    %s = tilegpu.local_slot %b[%i] : !tilegpu.buffer<32x32xf32, #shared, 2> -> !tilegpu.buffer<32x32xf32, #shared>
    // The position after the last slot is the first slot, in the other phase.
    // CHECK: %[[ADDED:.*]] = arith.addi %[[I]], %c1_i32
    // CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[ADDED]], %c2_i32
    // CHECK: %[[NEXT:.*]] = arith.select %[[WRAPS]], %c0_i32, %[[ADDED]] : i32
    // CHECK: %[[PHASE:.*]] = arith.xori %[[P]], %[[WRAPS]] : i1
    // CHECK: %[[BIT:.*]] = arith.extui %[[PHASE]]
    // CHECK: thread.print {{.*}}, %[[NEXT]], %[[BIT]] : i32
    %next, %phase = tilegpu.ring_next %i, %p of 2
    tile.print ["position ", ", ", ""] ["d", "u"] (%next, %phase : i32, i1)
    // Four vectors at constant distances of one address.
    // CHECK: %[[BASE:.*]] = llvm.getelementptr %[[SLOT]][%{{.*}}]
    // CHECK-DAG: %[[ONE:.*]] = llvm.getelementptr %[[BASE]][512]
    // CHECK-DAG: %[[TWO:.*]] = llvm.getelementptr %[[BASE]][1024]
    // CHECK-DAG: %[[THREE:.*]] = llvm.getelementptr %[[BASE]][1536]
    // CHECK: llvm.store %{{.*}}, %[[BASE]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
    // CHECK: llvm.store %{{.*}}, %[[ONE]] {alignment = 16 : i64}
    // CHECK: llvm.store %{{.*}}, %[[TWO]] {alignment = 16 : i64}
    // CHECK: llvm.store %{{.*}}, %[[THREE]] {alignment = 16 : i64}
    tilegpu.local_store %x, %s : tensor<32x32xf32, #rows> -> !tilegpu.buffer<32x32xf32, #shared>
    thread.barrier
    // Across the rows one element at a time.
    // CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xf32>
    %y = tilegpu.local_load %s : !tilegpu.buffer<32x32xf32, #shared> -> tensor<32x32xf32, #columns>
    return %y : tensor<32x32xf32, #columns>
  }
}

// -----

// Threads affect the same bits as registers: each xor mask needs its own address; other bits are added.
#line = #tilegpu.layout<register = [[1], [64], [2]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [] : 128>
#swizzled = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32], [70]] : 128>
#two = #tilegpu.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [] : 128>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  // CHECK-LABEL: func.func @swizzle
  // CHECK: %[[SHARED:.*]] = thread.shared_memory
  // CHECK: %[[THREAD:.*]] = arith.shli %{{.*}} : i32
  // CHECK: %[[BASE:.*]] = llvm.getelementptr %[[SHARED]][%[[THREAD]]]
  // CHECK: %[[FLIPPED:.*]] = arith.xori %[[THREAD]], %c12_i32
  // CHECK: %[[OTHER:.*]] = llvm.getelementptr %[[SHARED]][%[[FLIPPED]]]
  // CHECK: llvm.getelementptr %[[OTHER]][128]
  // Two 16-bit elements are moved as a word.
  // CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xi32>
  // CHECK: vector.bitcast %{{.*}} : vector<2xi32> to vector<4xf16>
  func.func @swizzle() -> tensor<128xf16, #two> {
    %b = tilegpu.local_alloc at 0 : !tilegpu.buffer<128xf16, #swizzled>
    %y = tilegpu.local_load %b : !tilegpu.buffer<128xf16, #swizzled> -> tensor<128xf16, #two>
    return %y : tensor<128xf16, #two>
  }
}

// -----

#line = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [] : 64>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  // An i1 takes a byte, a pointer eight.
  // CHECK-LABEL: func.func @elements
  func.func @elements(%x: tensor<64xi1, #line>, %p: tensor<64x!tile.ptr<f32>, #line>) -> (tensor<64xi1, #line>, tensor<64x!tile.ptr<f32>, #line>) {
    %b = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xi1, #shared>
    %c = tilegpu.local_alloc at 64 : !tilegpu.buffer<64x!tile.ptr<f32>, #shared>
    // CHECK: arith.extui %{{.*}} : vector<2xi1> to vector<2xi8>
    // CHECK: llvm.store %{{.*}} {alignment = 2 : i64} : vector<1xi16>, !llvm.ptr<3>
    tilegpu.local_store %x, %b : tensor<64xi1, #line> -> !tilegpu.buffer<64xi1, #shared>
    // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<2x!llvm.ptr<1>>, !llvm.ptr<3>
    tilegpu.local_store %p, %c : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64x!tile.ptr<f32>, #shared>
    thread.barrier
    // CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> vector<1xi16>
    // CHECK: arith.cmpi ne, %{{.*}} : vector<2xi8>
    // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<2x!llvm.ptr<1>>
    %y = tilegpu.local_load %b : !tilegpu.buffer<64xi1, #shared> -> tensor<64xi1, #line>
    %q = tilegpu.local_load %c : !tilegpu.buffer<64x!tile.ptr<f32>, #shared> -> tensor<64x!tile.ptr<f32>, #line>
    return %y, %q : tensor<64xi1, #line>, tensor<64x!tile.ptr<f32>, #line>
  }
}

// -----

#shared = #tilegpu.layout<offset = [[1], [2], [4], [8]] : 16>
#copies = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [0], [0]], warp = [[0]], block = [] : 16>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  // Of threads with the same elements, one stores them.
  // CHECK-LABEL: func.func @copies
  // CHECK: %[[OWNS:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
  // CHECK: scf.if %[[OWNS]] {
  // CHECK: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<3>
  // CHECK-NEXT: }
  func.func @copies(%x: tensor<16xf32, #copies>) {
    %b = tilegpu.local_alloc at 0 : !tilegpu.buffer<16xf32, #shared>
    tilegpu.local_store %x, %b : tensor<16xf32, #copies> -> !tilegpu.buffer<16xf32, #shared>
    return
  }
}

// -----

#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  func.func @nowhere() {
    // expected-error @+2 {{the buffer has no offset in shared memory, or one that is not a multiple of 16 bytes}}
    // expected-error @+1 {{failed to legalize operation}}
    %b = tilegpu.local_alloc : !tilegpu.buffer<64xf32, #shared>
    return
  }
}
