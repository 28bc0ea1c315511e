// RUN: tilewright-opt %s --cuda-tile | FileCheck %s --check-prefix=TILE
// RUN: tilewright-opt %s --cuda-tile --cuda-tilegpu=num-warps=1 | FileCheck %s --check-prefix=TILEGPU
// RUN: tilewright-opt %s --cuda-tile --cuda-tilegpu=num-warps=1 --cuda-thread | FileCheck %s --check-prefix=THREAD
// RUN: tilewright-opt %s --cuda-tile --cuda-tilegpu=num-warps=1 --cuda-thread --cuda-llvm \
// RUN:   | FileCheck %s --check-prefix=LLVM

// One kernel at the end of each phase.

// TILE-LABEL: func.func @scale(
// TILE-NOT: call
// TILE: arith.mulf {{.*}} : tensor<128xf32>
// TILE-NOT: func.func

// TILEGPU-LABEL: func.func @scale(
// TILEGPU: tile.load {{.*}} tensor<128xf32, #{{.*}}>
// TILEGPU: tile.store

// THREAD-LABEL: func.func @scale(
// THREAD: arith.mulf {{.*}} : vector<4xf32>
// THREAD-NOT: tensor

// LLVM-LABEL: llvm.func @scale(
// LLVM: llvm.fmul {{.*}} : vector<4xf32>
// LLVM-NOT: vector.
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
