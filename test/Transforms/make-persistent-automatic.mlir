// RUN: tilewright-opt %s --make-persistent=automatic --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @product(
// CHECK-SAME: tile.persistent
// CHECK: scf.for
// CHECK: scf.for
func.func @product(%x: !tile.ptr<f16>, %c: tensor<128x128x!tile.ptr<f16>>, %a: tensor<128x64xf16>,
                   %b: tensor<64x128xf16>, %steps: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %p = tile.program_id 0 : i32
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %d = tile.dot %a, %b, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %half = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %half : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xf16>
  return
}

// -----

// A program's time depends on its position.

// CHECK-LABEL: func.func @triangle(
// CHECK-NOT: tile.persistent
func.func @triangle(%c: tensor<128x128x!tile.ptr<f16>>, %a: tensor<128x64xf16>, %b: tensor<64x128xf16>,
                    %steps: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %p = tile.program_id 0 : i32
  %end = arith.minsi %p, %steps : i32
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %d = tile.dot %a, %b, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %half = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %half : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xf16>
  return
}

// -----

// Threads would store 32-bit elements.

// CHECK-LABEL: func.func @wide_results(
// CHECK-NOT: tile.persistent
func.func @wide_results(%c: tensor<128x128x!tile.ptr<f32>>, %a: tensor<128x64xf16>, %b: tensor<64x128xf16>,
                        %steps: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %d = tile.dot %a, %b, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tile.store %c, %sum : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xf32>
  return
}

// -----

// Programs may wait for each other. There is no warning, since nobody has asked for a persistent kernel.

// CHECK-LABEL: func.func @with_atomic(
// CHECK-NOT: tile.persistent
func.func @with_atomic(%x: !tile.ptr<i32>, %c: tensor<128x128x!tile.ptr<f16>>, %a: tensor<128x64xf16>,
                       %b: tensor<64x128xf16>, %steps: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %d = tile.dot %a, %b, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %half = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %half : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xf16>
  %old = tile.atomic_rmw #tile.rmw<add> %x, %c1 : !tile.ptr<i32>, i32
  return
}

// -----

// CHECK-LABEL: func.func @waits(
// CHECK-NOT: tile.persistent
func.func @waits(%c: tensor<128x128x!tile.ptr<f16>>, %a: tensor<128x64xf16>, %b: tensor<64x128xf16>,
                 %steps: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  tile.wait_for_grids
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %d = tile.dot %a, %b, %acc : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %half = arith.truncf %sum : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %c, %half : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xf16>
  return
}
