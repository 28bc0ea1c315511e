// Operands that are computed from loads of a loop: the loads are converted, so that copies can replace them.
// RUN: tilewright-opt %s --assign-layouts='target=sm_80 num-warps=4' --coalesce --choose-mma --propagate-layouts --raise-conversions --stage-operands | FileCheck %s

// Scaled by a number, and by one for each row, whose tile is small.
// CHECK-LABEL: @scaled
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK: tilegpu.local_store %[[X]], %[[B:.*]] :
// CHECK: %[[C:.*]] = tilegpu.local_load %[[B]]
// CHECK: %[[Y:.*]] = arith.mulf %[[C]]
// CHECK: %[[Z:.*]] = arith.mulf %[[Y]]
// CHECK-NOT: local_store %[[Z]]
// CHECK: tilegpu.mma {{.*}} %[[Z]]
func.func @scaled(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %s: f16, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %columns : tensor<64x64xi32>
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<f16>>
  %pa = tile.addptr %ps, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %qs = tile.splat %q : tensor<64x64x!tile.ptr<f16>>
  %qa = tile.addptr %qs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %os = tile.splat %o : tensor<64x64x!tile.ptr<f32>>
  %oa = tile.addptr %os, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %scale = tile.splat %s : tensor<64x64xf16>
  %f = tile.splat %q : tensor<64x1x!tile.ptr<f16>>
  %fa = tile.addptr %f, %column : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %each = tile.load %fa : tensor<64x1x!tile.ptr<f16>> -> tensor<64x1xf16>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %w = tile.load %qa : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %y = arith.mulf %x, %scale : tensor<64x64xf16>
    %u = tile.broadcast %each : tensor<64x1xf16> -> tensor<64x64xf16>
    %z = arith.mulf %y, %u : tensor<64x64xf16>
    %d = tile.dot %z, %w, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %oa, %r : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// The sum of the loaded elements needs them where they were loaded.
// CHECK-LABEL: @usedTwice
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[Y:.*]] = arith.mulf %[[X]]
// CHECK: tilegpu.local_store %[[Y]]
func.func @usedTwice(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %s: f16, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %columns : tensor<64x64xi32>
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<f16>>
  %pa = tile.addptr %ps, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %qs = tile.splat %q : tensor<64x64x!tile.ptr<f16>>
  %qa = tile.addptr %qs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %os = tile.splat %o : tensor<64x64x!tile.ptr<f32>>
  %oa = tile.addptr %os, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %scale = tile.splat %s : tensor<64x64xf16>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %w = tile.load %qa : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %y = arith.mulf %x, %scale : tensor<64x64xf16>
    tile.store %pa, %x : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf16>
    %d = tile.dot %y, %w, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %oa, %r : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// Two warps hold each element of the operand: both would compute its exponential.
// CHECK-LABEL: @exponentials
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[Y:.*]] = math.exp %[[X]]
// CHECK: tilegpu.local_store %[[Y]]
func.func @exponentials(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %s: f16, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %columns : tensor<64x64xi32>
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<f16>>
  %pa = tile.addptr %ps, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %qs = tile.splat %q : tensor<64x64x!tile.ptr<f16>>
  %qa = tile.addptr %qs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %os = tile.splat %o : tensor<64x64x!tile.ptr<f32>>
  %oa = tile.addptr %os, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %scale = tile.splat %s : tensor<64x64xf16>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %w = tile.load %qa : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %y = math.exp %x : tensor<64x64xf16>
    %d = tile.dot %y, %w, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %oa, %r : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// The loop writes what it loads: no copy can be made ahead.
// CHECK-LABEL: @written
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[Y:.*]] = arith.mulf %[[X]]
// CHECK: tilegpu.local_store %[[Y]]
func.func @written(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %s: f16, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %columns : tensor<64x64xi32>
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<f16>>
  %pa = tile.addptr %ps, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %qs = tile.splat %q : tensor<64x64x!tile.ptr<f16>>
  %qa = tile.addptr %qs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %os = tile.splat %o : tensor<64x64x!tile.ptr<f32>>
  %oa = tile.addptr %os, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %scale = tile.splat %s : tensor<64x64xf16>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %w = tile.load %qa : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %y = arith.mulf %x, %scale : tensor<64x64xf16>
    tile.store %pa, %scale : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf16>
    %d = tile.dot %y, %w, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %oa, %r : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}
