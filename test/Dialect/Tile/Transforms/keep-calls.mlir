// RUN: tilewright-opt %s --tile-keep-calls | FileCheck %s
// RUN: tilewright-opt %s --tile-keep-calls=keep=false | FileCheck %s --check-prefix=INLINE

// INLINE-NOT: no_inline
// INLINE-NOT: tile.call

// Barriers order the accesses of a function that has any with those around the call.
// CHECK-LABEL: func.func @kernel
// CHECK: tile.barrier
// CHECK-NEXT: tile.call @stores(%{{.*}}) : (!tile.ptr<f32>) -> ()
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.call pure @computes(%{{.*}}) : (f32) -> f32
// CHECK: tile.call @layouts(
// CHECK: call @pads(
// CHECK: call @plain(
func.func @kernel(%p: !tile.ptr<f32>, %x: f32, %t: tensor<64xf32>, %odd: tensor<48xf32>) attributes {tile.kernel} {
  func.call @stores(%p) : (!tile.ptr<f32>) -> ()
  %0 = func.call @computes(%x) : (f32) -> f32
  %1 = func.call @layouts(%t) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = func.call @pads(%odd) : (tensor<48xf32>) -> tensor<48xf32>
  %3 = func.call @plain(%0) : (f32) -> f32
  %4 = tile.reduce(%1) 0 {
  ^bb0(%a: f32, %b: f32):
    // CHECK: func.call @combines(
    %5 = func.call @combines(%a, %b) : (f32, f32) -> f32
    tile.yield %5 : f32
  } : (tensor<64xf32>) -> f32
  return
}

// CHECK: func.func private @stores({{.*}}) attributes {no_inline}
func.func private @stores(%p: !tile.ptr<f32>) attributes {no_inline} {
  %c = arith.constant 1.0 : f32
  tile.store %p, %c : !tile.ptr<f32>, f32
  return
}

// CHECK: func.func private @computes({{.*}}) -> f32 attributes {no_inline}
func.func private @computes(%x: f32) -> f32 attributes {no_inline} {
  %y = arith.addf %x, %x : f32
  return %y : f32
}

// CHECK: func.func private @layouts({{.*}}) -> tensor<64xf32> attributes {no_inline}
func.func private @layouts(%x: tensor<64xf32>) -> tensor<64xf32> attributes {no_inline} {
  %y = arith.addf %x, %x : tensor<64xf32>
  return %y : tensor<64xf32>
}

// The size is not a power of two.
// CHECK: func.func private @pads({{.*}}) -> tensor<48xf32> {
func.func private @pads(%x: tensor<48xf32>) -> tensor<48xf32> attributes {no_inline} {
  return %x : tensor<48xf32>
}

// CHECK: func.func private @plain({{.*}}) -> f32 {
func.func private @plain(%x: f32) -> f32 {
  return %x : f32
}

// A combiner calls both.
// CHECK: func.func private @combines({{.*}}) -> f32 {
func.func private @combines(%x: f32, %y: f32) -> f32 attributes {no_inline} {
  %z = func.call @combines_too(%x, %y) : (f32, f32) -> f32
  return %z : f32
}

// CHECK: func.func private @combines_too({{.*}}) -> f32 {
func.func private @combines_too(%x: f32, %y: f32) -> f32 attributes {no_inline} {
  %z = arith.addf %x, %y : f32
  return %z : f32
}
