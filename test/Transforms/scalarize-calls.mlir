// RUN: tilewright-opt %s --scalarize-calls | FileCheck %s

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %[[V:.*]]: vector<2xf32>, %[[N:.*]]: i32)
func.func @kernel(%v: vector<2xf32>, %n: i32) -> vector<2xi1> {
  // CHECK: %[[E:.*]]:2 = vector.to_elements %[[V]]
  // CHECK: %[[R:.*]]:3 = call @f(%[[E]]#0, %[[E]]#1, %[[N]]) : (f32, f32, i32) -> (i32, i1, i1)
  // CHECK: %[[W:.*]] = vector.from_elements %[[R]]#1, %[[R]]#2 : vector<2xi1>
  // CHECK: return %[[W]]
  %m, %w = func.call @f(%v, %n) : (vector<2xf32>, i32) -> (i32, vector<2xi1>)
  return %w : vector<2xi1>
}

// CHECK: func.func private @f(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[N:.*]]: i32) -> (i32, i1, i1)
func.func private @f(%v: vector<2xf32>, %n: i32) -> (i32, vector<2xi1>) {
  // CHECK: %[[V:.*]] = vector.from_elements %[[A]], %[[B]]
  // CHECK: %[[C:.*]] = arith.cmpf oeq, %[[V]], %[[V]]
  // CHECK: %[[E:.*]]:2 = vector.to_elements %[[C]]
  // CHECK: return %[[N]], %[[E]]#0, %[[E]]#1
  %c = arith.cmpf oeq, %v, %v : vector<2xf32>
  return %n, %c : i32, vector<2xi1>
}
