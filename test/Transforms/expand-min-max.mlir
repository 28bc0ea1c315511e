// RUN: tilewright-opt %s --expand-min-max | FileCheck %s

// If one side is NaN, the result is the other.
// CHECK-LABEL: func.func @maxnum(
// CHECK-SAME: %[[A:.*]]: vector<16xf32>, %[[B:.*]]: vector<16xf32>
// CHECK: %[[GREATER:.*]] = arith.cmpf ogt, %[[A]], %[[B]]
// CHECK: %[[PICKED:.*]] = arith.select %[[GREATER]], %[[A]], %[[B]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[B]], %[[B]]
// CHECK: arith.select %[[NAN]], %[[A]], %[[PICKED]]
func.func @maxnum(%a: vector<16xf32>, %b: vector<16xf32>) -> vector<16xf32> {
  %m = arith.maxnumf %a, %b : vector<16xf32>
  return %m : vector<16xf32>
}

// If one side is NaN, the result is NaN.
// CHECK-LABEL: func.func @minimum(
// CHECK-SAME: %[[A:.*]]: f64, %[[B:.*]]: f64
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[A]], %[[B]]
// CHECK: %[[PICKED:.*]] = arith.select %[[LESS]], %[[A]], %[[B]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[A]], %[[A]]
// CHECK: arith.select %[[NAN]], %[[A]], %[[PICKED]]
func.func @minimum(%a: f64, %b: f64) -> f64 {
  %m = arith.minimumf %a, %b : f64
  return %m : f64
}
