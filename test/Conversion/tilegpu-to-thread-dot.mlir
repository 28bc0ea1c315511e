// tilegpu-to-thread: dots without a matrix instruction are outer products in registers, one step along K after the other.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#c = #tilegpu.layout<register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [], block = [] : 16x8>
#a = #tilegpu.layout<register = [[0, 1], [1, 0]], lane = [[0, 0], [0, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [] : 16x2>
#b = #tilegpu.layout<register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [], block = [] : 2x8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  // Two rows by two columns; operands have K in the lowest register bit.
  // CHECK-LABEL: func.func @floats
  // CHECK-SAME: (%[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>, %[[C:.*]]: vector<4xf32>)
  // CHECK-DAG: %[[A00:.*]] = vector.extract %[[A]][0]
  // CHECK-DAG: %[[A01:.*]] = vector.extract %[[A]][1]
  // CHECK-DAG: %[[A10:.*]] = vector.extract %[[A]][2]
  // CHECK-DAG: %[[A11:.*]] = vector.extract %[[A]][3]
  // CHECK-DAG: %[[B00:.*]] = vector.extract %[[B]][0]
  // CHECK-DAG: %[[B10:.*]] = vector.extract %[[B]][1]
  // CHECK-DAG: %[[B01:.*]] = vector.extract %[[B]][2]
  // CHECK-DAG: %[[B11:.*]] = vector.extract %[[B]][3]
  // CHECK: %[[ROWS:.*]] = vector.from_elements %[[A00]], %[[A00]], %[[A10]], %[[A10]]
  // CHECK: %[[COLUMNS:.*]] = vector.from_elements %[[B00]], %[[B01]], %[[B00]], %[[B01]]
  // CHECK: %[[SUM:.*]] = math.fma %[[ROWS]], %[[COLUMNS]], %[[C]] : vector<4xf32>
  // CHECK: %[[ROWS1:.*]] = vector.from_elements %[[A01]], %[[A01]], %[[A11]], %[[A11]]
  // CHECK: %[[COLUMNS1:.*]] = vector.from_elements %[[B10]], %[[B11]], %[[B10]], %[[B11]]
  // CHECK: math.fma %[[ROWS1]], %[[COLUMNS1]], %[[SUM]] : vector<4xf32>
  func.func @floats(%a: tensor<16x2xf32, #a>, %b: tensor<2x8xf32, #b>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
    %d = tile.dot %a, %b, %c : tensor<16x2xf32, #a> * tensor<2x8xf32, #b> -> tensor<16x8xf32, #c>
    return %d : tensor<16x8xf32, #c>
  }

  // Operands are converted to the accumulator's type.
  // CHECK-LABEL: func.func @halves
  // CHECK-COUNT-2: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
  // CHECK-COUNT-2: math.fma %{{.*}} : vector<4xf32>
  func.func @halves(%a: tensor<16x2xf16, #a>, %b: tensor<2x8xf16, #b>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
    %d = tile.dot %a, %b, %c : tensor<16x2xf16, #a> * tensor<2x8xf16, #b> -> tensor<16x8xf32, #c>
    return %d : tensor<16x8xf32, #c>
  }

  // Sums of f16 stay f16; sums of bf16 are rounded at the end.
  // CHECK-LABEL: func.func @half_sums
  // CHECK-COUNT-2: math.fma %{{.*}} : vector<4xf16>
  func.func @half_sums(%a: tensor<16x2xf16, #a>, %b: tensor<2x8xf16, #b>, %c: tensor<16x8xf16, #c>) -> tensor<16x8xf16, #c> {
    %d = tile.dot %a, %b, %c : tensor<16x2xf16, #a> * tensor<2x8xf16, #b> -> tensor<16x8xf16, #c>
    return %d : tensor<16x8xf16, #c>
  }

  // CHECK-LABEL: func.func @bf16_sums
  // CHECK-COUNT-3: arith.extf %{{.*}} : vector<4xbf16> to vector<4xf32>
  // CHECK-COUNT-2: math.fma %{{.*}} : vector<4xf32>
  // CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
  func.func @bf16_sums(%a: tensor<16x2xbf16, #a>, %b: tensor<2x8xbf16, #b>, %c: tensor<16x8xbf16, #c>) -> tensor<16x8xbf16, #c> {
    %d = tile.dot %a, %b, %c : tensor<16x2xbf16, #a> * tensor<2x8xbf16, #b> -> tensor<16x8xbf16, #c>
    return %d : tensor<16x8xbf16, #c>
  }

  // CHECK-LABEL: func.func @integers
  // CHECK-COUNT-2: arith.extsi %{{.*}} : vector<4xi8> to vector<4xi32>
  // CHECK: %[[P:.*]] = arith.muli
  // CHECK: arith.addi %[[P]], %{{.*}} : vector<4xi32>
  func.func @integers(%a: tensor<16x2xi8, #a>, %b: tensor<2x8xi8, #b>, %c: tensor<16x8xi32, #c>) -> tensor<16x8xi32, #c> {
    %d = tile.dot %a, %b, %c : tensor<16x2xi8, #a> * tensor<2x8xi8, #b> -> tensor<16x8xi32, #c>
    return %d : tensor<16x8xi32, #c>
  }
}

// -----

#c = #tilegpu.layout<register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [], block = [] : 16x8>
#a = #tilegpu.layout<register = [[0, 1], [1, 0]], lane = [[0, 0], [0, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [] : 16x2>
#c2 = #tilegpu.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [0, 0]], warp = [], block = [] : 2x8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  func.func @incomplete(%a: tensor<16x2xf32, #a>, %b: tensor<2x8xf32, #c2>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
    // expected-error @+2 {{a thread does not hold all operands of its part of the result}}
    // expected-error @+1 {{failed to legalize operation}}
    %d = tile.dot %a, %b, %c : tensor<16x2xf32, #a> * tensor<2x8xf32, #c2> -> tensor<16x8xf32, #c>
    return %d : tensor<16x8xf32, #c>
  }
}
