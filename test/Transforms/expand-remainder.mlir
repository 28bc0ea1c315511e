// RUN: tilewright-opt %s --expand-remainder | FileCheck %s

// CHECK-LABEL: func.func @vectors(
// CHECK-SAME: %[[X:.*]]: vector<4xf32>, %[[Y:.*]]: vector<4xf32>
// CHECK: %[[D:.*]] = math.absf %[[Y]]
// CHECK: %[[FAR:.*]] = arith.mulf %[[D]], %[[STEP:.*]] :
// CHECK: arith.mulf %[[FAR]], %[[STEP]] :
// CHECK: %[[R:.*]] = scf.while (%[[BEFORE:.*]] = %[[X]])
// CHECK: vector.reduction <or>
// CHECK: scf.condition
// CHECK: %[[Q:.*]] = arith.divf %{{.*}} {tile.precise}
// CHECK: math.trunc %[[Q]]
// CHECK: math.fma
// CHECK: scf.yield
// CHECK: math.copysign %{{.*}}, %[[X]]
func.func @vectors(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  %r = arith.remf %x, %y : vector<4xf32>
  return %r : vector<4xf32>
}

// CHECK-LABEL: func.func @halves(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: scf.while
// CHECK-NOT: arith.remf
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @halves(%x: f16, %y: f16) -> f16 {
  %r = arith.remf %x, %y : f16
  return %r : f16
}
