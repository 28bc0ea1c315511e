// tilegpu-to-thread: scans within a warp. test/python/conversion/test_warp_values.py checks the results.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#line = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [] : 64>
#rows = #tilegpu.layout<register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [], block = [] : 64x2>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Five steps for the sums of pairs, one more to shift them to the next lane.
  // CHECK-LABEL: func.func @sum
  // CHECK: %[[PAIR:.*]] = arith.addf %[[A:.*]], %[[B:.*]] : f32
  // CHECK: %[[LOWER:.*]] = thread.shuffle <index> %[[PAIR]], %{{.*}}
  // CHECK: arith.addf %[[LOWER]], %[[PAIR]] : f32
  // CHECK-COUNT-5: thread.shuffle <index>
  // CHECK-NOT: thread.shuffle
  func.func @sum(%x: tensor<64xf32, #line>) -> tensor<64xf32, #line> {
    %0 = tile.scan(%x) 0 {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      tile.yield %1 : f32
    } : (tensor<64xf32, #line>) -> tensor<64xf32, #line>
    return %0 : tensor<64xf32, #line>
  }

  // A scan along registers needs no shuffles; adjacent rows stay vectors. In reverse, the second column comes first and
  // is the left-hand side.
  // CHECK-LABEL: func.func @reverse
  // CHECK-SAME: (%[[X:.*]]: vector<4xf32>)
  // CHECK-DAG: %[[LAST:.*]] = vector.shuffle %[[X]], %[[X]] [2, 3]
  // CHECK-DAG: %[[FIRST:.*]] = vector.shuffle %[[X]], %[[X]] [0, 1]
  // CHECK: arith.subf %[[LAST]], %[[FIRST]] : vector<2xf32>
  // CHECK-NOT: thread.shuffle
  func.func @reverse(%x: tensor<64x2xf32, #rows>) -> tensor<64x2xf32, #rows> {
    %0 = tile.scan(%x) 1 reverse {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.subf %a, %b : f32
      tile.yield %1 : f32
    } : (tensor<64x2xf32, #rows>) -> tensor<64x2xf32, #rows>
    return %0 : tensor<64x2xf32, #rows>
  }
}

// -----

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [] : 64>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  func.func @warps(%x: tensor<64xf32, #line>) -> tensor<64xf32, #line> {
    // expected-error @+2 {{a scan between warps goes through shared memory, which was not allocated for it}}
    // expected-error @+1 {{failed to legalize operation}}
    %0 = tile.scan(%x) 0 {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      tile.yield %1 : f32
    } : (tensor<64xf32, #line>) -> tensor<64xf32, #line>
    return %0 : tensor<64xf32, #line>
  }
}
