// The pipelines of phases have the options that the kind of target declares.

// RUN: tilewright-opt %s --cuda-tile --cuda-tilegpu="target=sm_80 num-warps=2 num-stages=5" \
// RUN:   | FileCheck %s --check-prefix=TILEGPU
// RUN: tilewright-opt %s --cuda-tile=checks=bounds | FileCheck %s --check-prefix=CHECKED
// RUN: tilewright-opt %s --cuda-tile | FileCheck %s --check-prefix=UNCHECKED
// RUN: tilewright-opt %s --cuda-tile --cuda-tilegpu --cuda-thread=enable-fp-fusion=false \
// RUN:   --cuda-llvm="maxnreg=40" | FileCheck %s --check-prefix=LLVM
// RUN: tilewright-opt %s --cpu-tile="specialize-ranges=false" --cpu-vector="features=+avx2 checks=bounds" \
// RUN:   | FileCheck %s --check-prefix=CPU
// RUN: not tilewright-opt %s --cuda-tile=checks=races 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: not tilewright-opt %s --cuda-tile=num-warps=many 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tilewright-opt %s --cuda-tile=ptxas=x 2>&1 | FileCheck %s --check-prefix=INTERNAL
// RUN: tilewright-opt --help | FileCheck %s --check-prefix=HELP

// TILEGPU: tilegpu.default_num_stages = 5 : i32, tilegpu.num_warps = 2 : i32,{{.*}} tilegpu.target = "sm_80"
// CHECKED: tile.hidden_slot
// UNCHECKED-NOT: tile.hidden_slot
// LLVM: nvvm.maxnreg = 40
// LLVM: llvm.fmul %{{[0-9]+}}, %{{[0-9]+}} : vector
// CPU: tile.checked_accesses
// CHOICE: the option 'checks' must be one of bounds
// NUMBER: num-warps option: 'many' value invalid
// INTERNAL: no such option ptxas
// HELP: --cuda-tilegpu
// HELP: --enable-fp-fusion
// HELP: --num-warps=<int>
// HELP: --target=<string>
func.func @scale(%p: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %s = tile.splat %p : tensor<128x!tile.ptr<f32>>
  %ptr = tile.addptr %s, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %ptr : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %y = arith.mulf %x, %x : tensor<128xf32>
  tile.store %ptr, %y : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}
