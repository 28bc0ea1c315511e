// RUN: tilewright-opt %s --hip-tile --hip-tilegpu=num-warps=1 --hip-thread | FileCheck %s --check-prefix=THREAD
// RUN: tilewright-opt %s --hip-tile --hip-tilegpu=num-warps=1 --hip-thread --hip-llvm | FileCheck %s --check-prefix=LLVM
// RUN: tilewright-opt %s --hip-tile --hip-tilegpu="num-warps=1 target=gfx1100" --hip-thread \
// RUN:   | FileCheck %s --check-prefix=NARROW

// One kernel at the end of the phases that follow from the target, with 64 and with 32 lanes. CUDA's test has those
// before (cuda.mlir).

// THREAD-LABEL: func.func @scale(
// THREAD: arith.mulf {{.*}} : vector<4xf32>
// THREAD-NOT: tensor

// NARROW-LABEL: func.func @scale(
// NARROW: arith.mulf {{.*}} : vector<8xf32>

// LLVM-LABEL: llvm.func @scale(
// LLVM-SAME: rocdl.flat_work_group_size = "64,64", rocdl.kernel
// LLVM: rocdl.workitem.id.x
// LLVM: llvm.fmul {{.*}} : vector<4xf32>
// LLVM-NOT: vector.
func.func @scale(%p: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %s = tile.splat %p : tensor<256x!tile.ptr<f32>>
  %ptr = tile.addptr %s, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ptr : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %two = arith.constant dense<2.0> : tensor<256xf32>
  %y = arith.mulf %x, %two : tensor<256xf32>
  tile.store %ptr, %y : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
