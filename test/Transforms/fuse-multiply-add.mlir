// RUN: tilewright-opt %s --fuse-multiply-add | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tilewright-opt %s --fuse-multiply-add=narrow | FileCheck %s --check-prefixes=CHECK,NARROW

// CHECK-LABEL: @sums(
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>, %[[Z:.*]]: tensor<8xf32>
func.func @sums(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[LEFT:.*]] = math.fma %[[X]], %[[Y]], %[[Z]]
  // CHECK: %[[RIGHT:.*]] = math.fma %[[X]], %[[Z]], %[[Y]]
  // CHECK: return %[[LEFT]], %[[RIGHT]]
  %0 = arith.mulf %x, %y : tensor<8xf32>
  %1 = arith.addf %0, %z : tensor<8xf32>
  %2 = arith.mulf %x, %z : tensor<8xf32>
  %3 = arith.addf %y, %2 : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @differences(
// CHECK-SAME: %[[X:.*]]: f64, %[[Y:.*]]: f64, %[[Z:.*]]: f64
func.func @differences(%x: f64, %y: f64, %z: f64) -> (f64, f64) {
  // CHECK: %[[MINUS_Z:.*]] = arith.negf %[[Z]]
  // CHECK: math.fma %[[X]], %[[Y]], %[[MINUS_Z]]
  // CHECK: %[[MINUS_X:.*]] = arith.negf %[[X]]
  // CHECK: math.fma %[[MINUS_X]], %[[Z]], %[[Y]]
  %0 = arith.mulf %x, %y : f64
  %1 = arith.subf %0, %z : f64
  %2 = arith.mulf %x, %z : f64
  %3 = arith.subf %y, %2 : f64
  return %1, %3 : f64, f64
}

// Of two products, the left one is fused, and the other rounded.
// CHECK-LABEL: @two(
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32
func.func @two(%x: f32, %y: f32) -> f32 {
  // CHECK: %[[RIGHT:.*]] = arith.mulf %[[Y]], %[[Y]]
  // CHECK: math.fma %[[X]], %[[X]], %[[RIGHT]]
  %0 = arith.mulf %x, %x : f32
  %1 = arith.mulf %y, %y : f32
  %2 = arith.addf %0, %1 : f32
  return %2 : f32
}

// CHECK-LABEL: @halves(
// WIDE-NOT: math.fma
// NARROW: math.fma {{.*}} : f16
// NARROW: math.fma {{.*}} : bf16
// CHECK: return
func.func @halves(%h: f16, %g: bf16) -> (f16, bf16) {
  %0 = arith.mulf %h, %h : f16
  %1 = arith.addf %0, %h : f16
  %2 = arith.mulf %g, %g : bf16
  %3 = arith.addf %g, %2 : bf16
  return %1, %3 : f16, bf16
}

// Of reductions, the back end may fuse products that have no other use with sums.
// CHECK-LABEL: @reductions(
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: arith.addf {{.*}} fastmath<contract>
// CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor
// CHECK: arith.maximumf
func.func @reductions(%x: tensor<8xf32>) -> (f32, f32, f32, tensor<8xf32>) {
  %0 = arith.mulf %x, %x : tensor<8xf32>
  %1 = tile.reduce (%0) 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : (tensor<8xf32>) -> f32
  %2 = arith.mulf %x, %x : tensor<8xf32>
  %3 = tile.reduce (%2) 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : (tensor<8xf32>) -> f32
  %4 = arith.mulf %x, %x : tensor<8xf32>
  %5 = tile.reduce (%4) 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    tile.yield %s : f32
  } : (tensor<8xf32>) -> f32
  return %1, %3, %5, %2 : f32, f32, f32, tensor<8xf32>
}

// The combiner only adds the elements of the second operand.
// CHECK-LABEL: @two_operands(
// CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor
// CHECK: arith.mulf {{.*}} fastmath<contract> : tensor
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.addf {{.*}} fastmath<contract> : f32
func.func @two_operands(%x: tensor<8xf32>) -> (f32, f32) {
  %0 = arith.mulf %x, %x : tensor<8xf32>
  %1 = arith.mulf %x, %x : tensor<8xf32>
  %2:2 = tile.reduce (%0, %1) 0 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    %m = arith.maximumf %a, %s : f32
    %t = arith.addf %b, %d : f32
    tile.yield %m, %t : f32, f32
  } : (tensor<8xf32>, tensor<8xf32>) -> (f32, f32)
  return %2#0, %2#1 : f32, f32
}

// A product with several uses, and products of other blocks stay.
// CHECK-LABEL: @kept(
// CHECK-NOT: math.fma
func.func @kept(%x: f32, %n: index) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.mulf %x, %x : f32
  %1 = arith.addf %0, %x : f32
  %2 = arith.subf %0, %0 : f32
  %5 = arith.mulf %x, %x : f32
  %6 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> f32 {
    %7 = arith.addf %s, %5 : f32
    scf.yield %7 : f32
  }
  return %1, %2, %6 : f32, f32, f32
}
