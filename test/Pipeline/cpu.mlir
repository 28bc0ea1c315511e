// RUN: tilewright-opt %s --cpu-tile | FileCheck %s --check-prefix=TILE
// RUN: tilewright-opt %s --cpu-tile --cpu-vector=features=+avx512f | FileCheck %s --check-prefix=VECTOR
// RUN: tilewright-opt %s --cpu-tile --cpu-vector=features=+avx512f --cpu-llvm | FileCheck %s --check-prefix=LLVM

// One kernel at the end of each phase.

// TILE-LABEL: func.func @scale(
// TILE-NOT: call
// TILE: arith.mulf {{.*}} : tensor<128xf32>
// TILE: tile.store
// TILE-NOT: func.func

// VECTOR-LABEL: func.func @scale(
// VECTOR-SAME: tile.scratch_bytes = 0
// VECTOR: scf.for
// VECTOR: arith.mulf {{.*}} : vector<64xf32>
// VECTOR-NOT: tensor

// LLVM-LABEL: llvm.func @scale(
// LLVM: llvm.cond_br
// LLVM: llvm.fmul {{.*}} : vector<64xf32>
// LLVM-NOT: scf.
func.func @scale(%p: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %s = tile.splat %p : tensor<128x!tile.ptr<f32>>
  %ptr = tile.addptr %s, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %ptr : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %y = func.call @twice(%x) : (tensor<128xf32>) -> tensor<128xf32>
  tile.store %ptr, %y : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}

func.func private @twice(%x: tensor<128xf32>) -> tensor<128xf32> {
  %two = arith.constant dense<2.0> : tensor<128xf32>
  %y = arith.mulf %x, %two : tensor<128xf32>
  return %y : tensor<128xf32>
}
