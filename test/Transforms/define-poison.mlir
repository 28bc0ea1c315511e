// RUN: tilewright-opt %s --define-poison | FileCheck %s

// CHECK-LABEL: func.func @accumulators(
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: return %[[ZEROS]], %[[ZERO]]
func.func @accumulators() -> (vector<4xf32>, i32) {
  %a = ub.poison : vector<4xf32>
  %b = ub.poison : i32
  return %a, %b : vector<4xf32>, i32
}

// A pointer has no constant of arith.
// CHECK-LABEL: func.func @pointer(
// CHECK: ub.poison : !llvm.ptr
func.func @pointer() -> !llvm.ptr {
  %p = ub.poison : !llvm.ptr
  return %p : !llvm.ptr
}
