// RUN: tilewright-opt %s -canonicalize -split-input-file | FileCheck %s

// Constants fold through every shape operation.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<3> : tensor<8x4xi32>
// CHECK-NEXT: return %[[C]], %[[C]]
func.func @constants() -> (tensor<8x4xi32>, tensor<8x4xi32>) {
  %c = arith.constant 3 : i32
  %s = tile.splat %c : tensor<4xi32>
  %e = tile.expand_dims %s 0 : tensor<4xi32> -> tensor<1x4xi32>
  %b = tile.broadcast %e : tensor<1x4xi32> -> tensor<8x4xi32>
  %t = tile.trans %b [1, 0] : tensor<8x4xi32> -> tensor<4x8xi32>
  %r = tile.reshape %t : tensor<4x8xi32> -> tensor<8x4xi32>
  return %b, %r : tensor<8x4xi32>, tensor<8x4xi32>
}

// -----

// CHECK-LABEL: func.func @splats
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-NEXT: %[[S:.*]] = tile.splat %[[X]] : tensor<8x4xf32>
// CHECK-NEXT: return %[[S]]
func.func @splats(%x: f32) -> tensor<8x4xf32> {
  %s = tile.splat %x : tensor<4xf32>
  %e = tile.expand_dims %s 0 : tensor<4xf32> -> tensor<1x4xf32>
  %b = tile.broadcast %e : tensor<1x4xf32> -> tensor<8x4xf32>
  %t = tile.trans %b [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %r = tile.reshape %t : tensor<4x8xf32> -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func.func @chains
// CHECK-SAME: %[[X:.*]]: tensor<1x1x2xf32>
// CHECK-NEXT: %[[B:.*]] = tile.broadcast %[[X]] : tensor<1x1x2xf32> -> tensor<3x4x2xf32>
// CHECK-NEXT: %[[T:.*]] = tile.trans %[[B]] [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[R:.*]] = tile.reshape %[[T]] : tensor<2x3x4xf32> -> tensor<24xf32>
// CHECK-NEXT: return %[[R]]
func.func @chains(%x: tensor<1x1x2xf32>) -> tensor<24xf32> {
  %b = tile.broadcast %x : tensor<1x1x2xf32> -> tensor<3x1x2xf32>
  %c = tile.broadcast %b : tensor<3x1x2xf32> -> tensor<3x4x2xf32>
  %t = tile.trans %c [0, 2, 1] : tensor<3x4x2xf32> -> tensor<3x2x4xf32>
  %u = tile.trans %t [1, 0, 2] : tensor<3x2x4xf32> -> tensor<2x3x4xf32>
  %r = tile.reshape %u : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %s = tile.reshape %r : tensor<6x4xf32> -> tensor<24xf32>
  return %s : tensor<24xf32>
}

// -----

// Operations without an effect are removed.
// CHECK-LABEL: func.func @identities
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>, %[[P:.*]]: !tile.ptr<f32>, %[[I:.*]]: i64
// CHECK-NEXT: return %[[X]], %[[P]], %[[P]], %[[I]]
func.func @identities(%x: tensor<4x4xf32>, %p: !tile.ptr<f32>, %i: i64)
    -> (tensor<4x4xf32>, !tile.ptr<f32>, !tile.ptr<f32>, i64) {
  %b = tile.broadcast %x : tensor<4x4xf32> -> tensor<4x4xf32>
  %t = tile.trans %b [0, 1] : tensor<4x4xf32> -> tensor<4x4xf32>
  %r = tile.reshape %t : tensor<4x4xf32> -> tensor<4x4xf32>
  %join = tile.join %r, %x : tensor<4x4xf32> -> tensor<4x4x2xf32>
  %left, %right = tile.split %join : tensor<4x4x2xf32> -> tensor<4x4xf32>
  %zero = arith.constant 0 : i32
  %a = tile.addptr %p, %zero : !tile.ptr<f32>, i32
  %c = tile.ptr_cast %a : !tile.ptr<f32> -> !tile.ptr<i8>
  %d = tile.ptr_cast %c : !tile.ptr<i8> -> !tile.ptr<f32>
  %address = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %q = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
  %back = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
  %j = tile.ptr_to_int %back : !tile.ptr<f32> -> i64
  return %left, %d, %q, %j : tensor<4x4xf32>, !tile.ptr<f32>, !tile.ptr<f32>, i64
}

// -----

// CHECK-LABEL: func.func @masks
// CHECK-SAME: %[[P:.*]]: tensor<8x!tile.ptr<f32>>, %[[X:.*]]: tensor<8xf32>
// CHECK-NEXT: %[[L:.*]] = tile.load %[[P]] : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
// CHECK-NEXT: tile.store %[[P]], %[[L]] : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
// CHECK-NEXT: return %[[X]]
func.func @masks(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %all = arith.constant dense<true> : tensor<8xi1>
  %none = arith.constant dense<false> : tensor<8xi1>
  %0 = tile.load %p mask %all other %x : tensor<8x!tile.ptr<f32>>, mask tensor<8xi1>, other tensor<8xf32> -> tensor<8xf32>
  %1 = tile.load %p mask %none other %x : tensor<8x!tile.ptr<f32>>, mask tensor<8xi1>, other tensor<8xf32> -> tensor<8xf32>
  tile.store %p, %0 mask %all : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, mask tensor<8xi1>
  tile.store %p, %1 mask %none : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, mask tensor<8xi1>
  return %1 : tensor<8xf32>
}

// -----

// Hints of different kinds are merged, hints on constants are dropped, and hints on a uniform tile become hints on its
// scalar.
// CHECK-LABEL: func.func @hints
// CHECK-SAME: %[[X:.*]]: tensor<8xi32>, %[[N:.*]]: i32
// CHECK-DAG: %[[C:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[BOTH:.*]] = tile.hint %[[X]] contiguity [4] divisibility [8] : tensor<8xi32>
// CHECK-DAG: %[[SCALAR:.*]] = tile.hint %[[N]] divisibility [4] : i32
// CHECK-DAG: %[[SPLAT:.*]] = tile.splat %[[SCALAR]] : tensor<2x8xi32>
// CHECK-DAG: %[[INNER:.*]] = tile.hint %[[X]] divisibility [2] : tensor<8xi32>
// CHECK-DAG: %[[OUTER:.*]] = tile.hint %[[INNER]] divisibility [8] : tensor<8xi32>
// CHECK: return %[[BOTH]], %[[C]], %[[SPLAT]], %[[OUTER]]
func.func @hints(%x: tensor<8xi32>, %n: i32) -> (tensor<8xi32>, i32, tensor<2x8xi32>, tensor<8xi32>) {
  %a = tile.hint %x divisibility [8] : tensor<8xi32>
  %b = tile.hint %a contiguity [4] : tensor<8xi32>
  %c = arith.constant 8 : i32
  %d = tile.hint %c divisibility [8] : i32
  %s = tile.splat %n : tensor<2x8xi32>
  %t = tile.hint %s divisibility [4, 2] : tensor<2x8xi32>
  %u = tile.hint %x divisibility [2] : tensor<8xi32>
  %v = tile.hint %u divisibility [8] : tensor<8xi32>
  return %b, %d, %t, %v : tensor<8xi32>, i32, tensor<2x8xi32>, tensor<8xi32>
}
