// Loads from which a loop computes the operands of its dots are copied ahead, as those of plain operands are.
// RUN: tilewright-opt %s --split-input-file --assign-layouts='target=sm_80 num-warps=4' --coalesce --choose-mma --propagate-layouts --raise-conversions --stage-operands --stage-loads | FileCheck %s

// The addend of the sums is no operand: its load stays.
// CHECK-LABEL: @computed
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK-NEXT: %[[B:.*]] = tilegpu.local_alloc
// CHECK-NEXT: tilegpu.local_store %[[X]], %[[B]]
// CHECK-NEXT: %[[L:.*]] = tilegpu.local_load %[[B]] own
// CHECK: arith.mulf %[[L]], %[[L]]
// CHECK: %[[Z:.*]] = tile.load
// CHECK-NOT: tilegpu.local_store %[[Z]]
// CHECK: scf.yield
func.func @computed(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.noalias}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.noalias}, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %rows : tensor<64x64xi32>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %pk = tile.addptr %p, %k : !tile.ptr<f16>, i32
    %ps = tile.splat %pk : tensor<64x64x!tile.ptr<f16>>
    %px = tile.addptr %ps, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %px : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %y = arith.mulf %x, %x : tensor<64x64xf16>
    %qk = tile.addptr %q, %k : !tile.ptr<f32>, i32
    %qs = tile.splat %qk : tensor<64x64x!tile.ptr<f32>>
    %qz = tile.addptr %qs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    %z = tile.load %qz : tensor<64x64x!tile.ptr<f32>> -> tensor<64x64xf32>
    %d = tile.dot %y, %y, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %s = arith.addf %d, %z : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %sum : tensor<64x64xf32>
}

// -----

// Nothing is copied ahead.
// CHECK-LABEL: @oneStage
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK-NOT: tilegpu.local_store %[[X]]
// CHECK: scf.yield
func.func @oneStage(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.noalias}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.noalias}, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %rows : tensor<64x64xi32>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %pk = tile.addptr %p, %k : !tile.ptr<f16>, i32
    %ps = tile.splat %pk : tensor<64x64x!tile.ptr<f16>>
    %px = tile.addptr %ps, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %px : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %y = arith.mulf %x, %x : tensor<64x64xf16>
    %d = tile.dot %y, %y, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.num_stages = 1 : i32}
  return %sum : tensor<64x64xf32>
}

// -----

// The loop writes what it reads in the next iteration.
// CHECK-LABEL: @written
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK-NOT: tilegpu.local_store %[[X]]
// CHECK: scf.yield
func.func @written(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.noalias}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.noalias}, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %rows : tensor<64x64xi32>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %pk = tile.addptr %p, %k : !tile.ptr<f16>, i32
    %ps = tile.splat %pk : tensor<64x64x!tile.ptr<f16>>
    %px = tile.addptr %ps, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %px : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %y = arith.mulf %x, %x : tensor<64x64xf16>
    tile.store %px, %y : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf16>
    %d = tile.dot %y, %y, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return %sum : tensor<64x64xf32>
}

// -----

// 65 slots of 8 KB do not fit.
// CHECK-LABEL: @noRoom
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK-NOT: tilegpu.local_store %[[X]]
// CHECK: scf.yield
func.func @noRoom(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.noalias}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.noalias}, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %rows : tensor<64x64xi32>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %pk = tile.addptr %p, %k : !tile.ptr<f16>, i32
    %ps = tile.splat %pk : tensor<64x64x!tile.ptr<f16>>
    %px = tile.addptr %ps, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %px : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %y = arith.mulf %x, %x : tensor<64x64xf16>
    %d = tile.dot %y, %y, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.num_stages = 64 : i32}
  return %sum : tensor<64x64xf32>
}
