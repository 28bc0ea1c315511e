// RUN: tilewright-opt %s --guard-division | FileCheck %s

// CHECK-LABEL: func.func @signed(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[B]], %c0_i32
// CHECK: %[[LEAST:.*]] = arith.cmpi eq, %[[A]], %c-2147483648_i32
// CHECK: %[[NEGATED:.*]] = arith.cmpi eq, %[[B]], %c-1_i32
// CHECK: %[[WRAPS:.*]] = arith.andi %[[LEAST]], %[[NEGATED]]
// CHECK: %[[TRAPS:.*]] = arith.ori %[[ZERO]], %[[WRAPS]]
// CHECK: %[[SAFE:.*]] = arith.select %[[TRAPS]], %c1_i32{{.*}}, %[[B]]
// CHECK: arith.divsi %[[A]], %[[SAFE]]
func.func @signed(%a: i32, %b: i32) -> i32 {
  %q = arith.divsi %a, %b : i32
  return %q : i32
}

// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %[[A:.*]]: vector<4xi8>, %[[B:.*]]: vector<4xi8>
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[B]]
// CHECK: %[[SAFE:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[B]] : vector<4xi1>, vector<4xi8>
// CHECK: arith.remui %[[A]], %[[SAFE]]
func.func @unsigned(%a: vector<4xi8>, %b: vector<4xi8>) -> vector<4xi8> {
  %r = arith.remui %a, %b : vector<4xi8>
  return %r : vector<4xi8>
}

// A constant other than 0 and -1 needs no guard.
// CHECK-LABEL: func.func @constant(
// CHECK-NOT: arith.select
// CHECK: arith.divsi
// CHECK: arith.divsi
func.func @constant(%a: i32, %v: vector<4xi32>) -> (i32, vector<4xi32>) {
  %c7 = arith.constant 7 : i32
  %c3 = arith.constant dense<3> : vector<4xi32>
  %q = arith.divsi %a, %c7 : i32
  %p = arith.divsi %v, %c3 : vector<4xi32>
  return %q, %p : i32, vector<4xi32>
}
