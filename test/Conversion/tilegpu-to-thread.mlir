// tilegpu-to-thread: shapes and control flow; each tile is a vector of the thread's registers.
// RUN: tilewright-opt %s --tilegpu-to-thread --split-input-file --verify-diagnostics | FileCheck %s

#square = #tilegpu.layout<register = [[0, 1], [2, 0]], lane = [[0, 2], [0, 4], [1, 0], [0, 0], [0, 0]], warp = [], block = [] : 4x8>
#row = #tilegpu.layout<register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = [], block = [] : 8>
#row2 = #tilegpu.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [], block = [] : 1x8>
#turned = #tilegpu.layout<register = [[1, 0], [0, 2]], lane = [[2, 0], [4, 0], [0, 1], [0, 0], [0, 0]], warp = [], block = [] : 8x4>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @shapes
  // CHECK-SAME: (%[[X:.*]]: vector<2xf32>, %[[N:.*]]: i32) -> vector<4xf32>
  // CHECK: %[[ROWS:.*]] = vector.shuffle %[[X]], %[[X]] [0, 1, 0, 1] : vector<2xf32>, vector<2xf32>
  // CHECK: scf.for {{.*}} iter_args(%[[Y:.*]] = %[[ROWS]]) -> (vector<4xf32>)
  // CHECK: arith.mulf %[[Y]], %[[Y]] : vector<4xf32>
  func.func @shapes(%x: tensor<8xf32, #row>, %n: i32) -> tensor<8x4xf32, #turned> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %0 = tile.expand_dims %x 0 : tensor<8xf32, #row> -> tensor<1x8xf32, #row2>
    %1 = tile.broadcast %0 : tensor<1x8xf32, #row2> -> tensor<4x8xf32, #square>
    %2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %1) -> tensor<4x8xf32, #square> : i32 {
      %z = arith.mulf %y, %y : tensor<4x8xf32, #square>
      scf.yield %z : tensor<4x8xf32, #square>
    }
    // Transposition moves no data: the registers are the same.
    // CHECK-NOT: vector.shuffle
    %3 = tile.trans %2 [1, 0] : tensor<4x8xf32, #square> -> tensor<8x4xf32, #turned>
    return %3 : tensor<8x4xf32, #turned>
  }
}

// -----

#pairs = #tilegpu.layout<register = [[0, 1], [32, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = [] : 64x2>
#line = #tilegpu.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 64>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @pairs
  // CHECK-SAME: (%[[X:.*]]: vector<2xi32>, %[[Y:.*]]: vector<2xi32>)
  // CHECK: %[[P:.*]] = vector.from_elements
  // CHECK: vector.shuffle %[[P]], %[[P]] [0, 2]
  // CHECK: vector.shuffle %[[P]], %[[P]] [1, 3]
  func.func @pairs(%x: tensor<64xi32, #line>, %y: tensor<64xi32, #line>) -> (tensor<64xi32, #line>, tensor<64xi32, #line>) {
    %0 = tile.join %x, %y : tensor<64xi32, #line> -> tensor<64x2xi32, #pairs>
    %1, %2 = tile.split %0 : tensor<64x2xi32, #pairs> -> tensor<64xi32, #line>
    return %1, %2 : tensor<64xi32, #line>, tensor<64xi32, #line>
  }
}

// -----

#line = #tilegpu.layout<register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [], block = [] : 2>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  func.func @table() -> tensor<2xi32, #line> {
    // expected-error @+2 {{on a GPU, the elements of a constant tile must all be equal}}
    // expected-error @+1 {{failed to legalize operation}}
    %0 = arith.constant dense<[1, 2]> : tensor<2xi32, #line>
    return %0 : tensor<2xi32, #line>
  }
}

// -----

#row = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [] : 64>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Flags of arithmetic are kept.
  // CHECK-LABEL: func.func @noWrap
  // CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : vector<2xi32>
  func.func @noWrap(%x: tensor<64xi32, #row>) -> tensor<64xi32, #row> {
    %0 = arith.addi %x, %x overflow<nsw> : tensor<64xi32, #row>
    return %0 : tensor<64xi32, #row>
  }
  // Attributes that apply to each element are kept.
  // CHECK-LABEL: func.func @precise
  // CHECK: arith.divf %{{.*}}, %{{.*}} {tile.precise} : vector<2xf32>
  func.func @precise(%x: tensor<64xf32, #row>, %y: tensor<64xf32, #row>) -> tensor<64xf32, #row> {
    %0 = arith.divf %x, %y {tile.precise} : tensor<64xf32, #row>
    return %0 : tensor<64xf32, #row>
  }
}

// -----

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [0, 0]], warp = [], block = [] : 16x8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Pairs of columns are equal: registers 1, 3, 5 and 7 take the results of 0, 2, 4 and 6.
  // CHECK-LABEL: func.func @equal
  // CHECK: %[[M:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<8xi32>
  // CHECK: vector.shuffle %[[M]], %[[M]] [0, 0, 2, 2, 4, 4, 6, 6]
  func.func @equal(%x: tensor<16x8xi32, #rows>, %y: tensor<16x8xi32, #rows>) -> tensor<16x8xi1, #rows> {
    %m = arith.cmpi slt, %x, %y {tilegpu.constancy = array<i64: 1, 2>} : tensor<16x8xi32, #rows>
    return %m : tensor<16x8xi1, #rows>
  }
}

// -----

// Registers 1 and 3 hold what lies 8 columns to the right.
#whole = #tilegpu.layout<register = [[0, 8], [0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 8x16>
#part = #tilegpu.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 8x8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @slices
  // CHECK-SAME: (%[[X:.*]]: vector<4xf32>)
  // CHECK: vector.shuffle %[[X]], %[[X]] [0, 2]
  // CHECK: vector.shuffle %[[X]], %[[X]] [1, 3]
  func.func @slices(%x: tensor<8x16xf32, #whole>) -> (tensor<8x8xf32, #part>, tensor<8x8xf32, #part>) {
    %left = tilegpu.extract_slice %x from [0, 0] : tensor<8x16xf32, #whole> -> tensor<8x8xf32, #part>
    %right = tilegpu.extract_slice %x from [0, 8] : tensor<8x16xf32, #whole> -> tensor<8x8xf32, #part>
    return %left, %right : tensor<8x8xf32, #part>, tensor<8x8xf32, #part>
  }
}
