// tilegpu-to-thread: gathers inside a warp, and from shared memory.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#line = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [] : 64>
#rows = #tilegpu.layout<register = [[0, 1], [32, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = [] : 64x2>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [1, 0]] : 2x4>
#square = #tilegpu.layout<register = [[0, 1]], lane = [[0, 2], [1, 0], [0, 0], [0, 0], [0, 0]], warp = [], block = [] : 2x4>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Bits 1 to 5 of the index are the lane, bit 0 is the register: both registers are shuffled in one word.
  // CHECK-LABEL: func.func @lanes
  // CHECK-SAME: (%[[X:.*]]: vector<2xf16>, %[[I:.*]]: vector<2xi32>)
  // CHECK: %[[INDEX:.*]] = vector.extract %[[I]][0]
  // CHECK: %[[MASKED:.*]] = arith.andi %[[INDEX]], %c62_i32
  // CHECK: %[[LANE:.*]] = arith.shrui %[[MASKED]], %c1_i32
  // CHECK: thread.shuffle <index> %{{.*}}, %{{.*}} : i32
  // CHECK: %[[BIT:.*]] = arith.andi %[[INDEX]], %c1_i32
  // CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[BIT]], %c0_i32
  // CHECK: arith.select %[[ODD]]
  // CHECK-COUNT-1: thread.shuffle
  // CHECK-NOT: thread.shuffle
  func.func @lanes(%x: tensor<64xf16, #line>, %i: tensor<64xi32, #line>) -> tensor<64xf16, #line> {
    %0 = tile.gather %x[%i] 0 : tensor<64xf16, #line>, tensor<64xi32, #line> -> tensor<64xf16, #line>
    return %0 : tensor<64xf16, #line>
  }

  // CHECK-LABEL: func.func @registers
  // CHECK-NOT: thread.shuffle
  // CHECK-COUNT-4: arith.select
  func.func @registers(%x: tensor<64x2xf32, #rows>, %i: tensor<64x2xi32, #rows>) -> tensor<64x2xf32, #rows> {
    %0 = tile.gather %x[%i] 1 : tensor<64x2xf32, #rows>, tensor<64x2xi32, #rows> -> tensor<64x2xf32, #rows>
    return %0 : tensor<64x2xf32, #rows>
  }

  // Rows of four bytes; an out-of-range index stays in its row.
  // CHECK-LABEL: func.func @shared
  // CHECK: %[[ROW:.*]] = arith.shli %{{.*}} : i32
  // CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}}, %c3_i32
  // CHECK: %[[OFFSET:.*]] = arith.xori %{{.*}}, %[[INSIDE]]
  // CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // CHECK: llvm.load %[[AT]] {alignment = 1 : i64} : !llvm.ptr<3> -> i8
  // CHECK: arith.cmpi ne, %{{.*}} : vector<2xi8>
  func.func @shared(%i: tensor<2x4xi8, #square>) -> tensor<2x4xi1, #square> {
    %b = tilegpu.local_alloc at 0 : !tilegpu.buffer<2x4xi1, #shared>
    %0 = tilegpu.local_gather %b[%i] 1 : !tilegpu.buffer<2x4xi1, #shared>, tensor<2x4xi8, #square> -> tensor<2x4xi1, #square>
    return %0 : tensor<2x4xi1, #square>
  }
}

// -----

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [] : 64>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  func.func @warps(%x: tensor<64xf32, #line>, %i: tensor<64xi32, #line>) -> tensor<64xf32, #line> {
    // expected-error @+2 {{a gather between warps goes through shared memory, which was not allocated for it}}
    // expected-error @+1 {{failed to legalize operation}}
    %0 = tile.gather %x[%i] 0 : tensor<64xf32, #line>, tensor<64xi32, #line> -> tensor<64xf32, #line>
    return %0 : tensor<64xf32, #line>
  }
}
