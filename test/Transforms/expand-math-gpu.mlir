// expand-math for a GPU: exp is left to math-to-ptx, which uses an approximate instruction.
// RUN: tilewright-opt %s --expand-math=gpu | FileCheck %s

// CHECK-LABEL: @stay
func.func @stay(%x: vector<4xf32>) -> vector<4xf32> {
  // CHECK-NEXT: math.exp %
  // CHECK-NEXT: math.exp2
  // CHECK-NEXT: math.rsqrt
  // CHECK-NEXT: return
  %0 = math.exp %x : vector<4xf32>
  %1 = math.exp2 %0 : vector<4xf32>
  %2 = math.rsqrt %1 : vector<4xf32>
  return %2 : vector<4xf32>
}

// CHECK-LABEL: @tanh
func.func @tanh(%x: vector<4xf32>) -> vector<4xf32> {
  // CHECK: math.exp %
  // CHECK-NOT: math.tanh
  // CHECK: return
  %0 = math.tanh %x : vector<4xf32>
  return %0 : vector<4xf32>
}
