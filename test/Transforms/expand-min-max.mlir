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

// If one side is NaN, the result is NaN. Equal operands may be zeros of different signs.
// CHECK-LABEL: func.func @minimum(
// CHECK-SAME: %[[A:.*]]: f64, %[[B:.*]]: f64
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[A]], %[[B]]
// CHECK: %[[PICKED:.*]] = arith.select %[[LESS]], %[[A]], %[[B]]
// CHECK: %[[EQUAL:.*]] = arith.cmpf oeq, %[[A]], %[[B]]
// CHECK: %[[BITS_A:.*]] = arith.bitcast %[[A]] : f64 to i64
// CHECK: %[[BITS_B:.*]] = arith.bitcast %[[B]] : f64 to i64
// CHECK: %[[BITS:.*]] = arith.ori %[[BITS_A]], %[[BITS_B]]
// CHECK: %[[ZERO:.*]] = arith.bitcast %[[BITS]] : i64 to f64
// CHECK: %[[ORDERED:.*]] = arith.select %[[EQUAL]], %[[ZERO]], %[[PICKED]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[A]], %[[A]]
// CHECK: arith.select %[[NAN]], %[[A]], %[[ORDERED]]
func.func @minimum(%a: f64, %b: f64) -> f64 {
  %m = arith.minimumf %a, %b : f64
  return %m : f64
}

// CHECK-LABEL: func.func @maximum(
// CHECK: arith.bitcast %{{.*}} : vector<8xf16> to vector<8xi16>
// CHECK: arith.andi %{{.*}} : vector<8xi16>
func.func @maximum(%a: vector<8xf16>, %b: vector<8xf16>) -> vector<8xf16> {
  %m = arith.maximumf %a, %b : vector<8xf16>
  return %m : vector<8xf16>
}
