// RUN: tilewright-opt %s --tile-to-vector=features=+avx512f --canonicalize --cse | FileCheck %s

// The rows that are loaded are the columns that are stored: 16 loads, four rounds of 16 shuffles and 16 stores.
// CHECK-LABEL: func.func @transpose(
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c16
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c16
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: vector.shuffle %{{.*}} [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23]
// CHECK: vector.shuffle %{{.*}} [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31]
// CHECK-COUNT-62: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK-NOT: gather
// CHECK-NOT: scatter
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
func.func @transpose(%in: !tile.ptr<f32> {tile.slot = 0 : i32, tile.noalias},
                     %out: !tile.ptr<f32> {tile.slot = 1 : i32, tile.noalias}) attributes {tile.kernel} {
  %c64 = arith.constant dense<64> : tensor<32x64xi32>
  %c32 = arith.constant dense<32> : tensor<32x64xi32>
  %m = tile.make_range 0 to 32 : tensor<32xi32>
  %n = tile.make_range 0 to 64 : tensor<64xi32>
  %m1 = tile.expand_dims %m 1 : tensor<32xi32> -> tensor<32x1xi32>
  %n1 = tile.expand_dims %n 0 : tensor<64xi32> -> tensor<1x64xi32>
  %mb = tile.broadcast %m1 : tensor<32x1xi32> -> tensor<32x64xi32>
  %nb = tile.broadcast %n1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %ins = tile.splat %in : tensor<32x64x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<32x64x!tile.ptr<f32>>
  %nrow = arith.muli %nb, %c32 : tensor<32x64xi32>
  %mrow = arith.muli %mb, %c64 : tensor<32x64xi32>
  %fo = arith.addi %nrow, %mb : tensor<32x64xi32>
  %to = arith.addi %mrow, %nb : tensor<32x64xi32>
  %from = tile.addptr %ins, %fo : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %into = tile.addptr %outs, %to : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %x = tile.load %from : tensor<32x64x!tile.ptr<f32>> -> tensor<32x64xf32>
  tile.store %into, %x : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xf32>
  return
}

// Sums that start from a number are not stored before the product.
// CHECK-LABEL: func.func @product(
// CHECK: %[[START:.*]] = arith.constant dense<2.000000e+00> : vector<16xf32>
// CHECK: scf.for %{{.*}} iter_args(%{{[^ ]*}} = %[[START]], %{{[^ ]*}} = %[[START]],
// CHECK: math.fma
func.func @product(%p: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %two = arith.constant dense<2.0> : tensor<16x16xf32>
  %s = tile.splat %p : tensor<16x16x!tile.ptr<f32>>
  %x = tile.load %s : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %y = tile.dot %x, %x, %two : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %s, %y : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}
