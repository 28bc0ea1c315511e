// RUN: tilewright-opt %s --assign-layouts='target=sm_120a num-warps=4' --coalesce --choose-mma --propagate-layouts --test-verify-layouts | FileCheck %s
// RUN: tilewright-opt %s --assign-layouts='target=sm_120a num-warps=4' --coalesce --choose-mma --propagate-layouts=print-costs=1 2>&1 >/dev/null | FileCheck %s --check-prefix=COSTS

// Addresses, masks and data all have the layout of the accesses.
// COSTS:           256 x 1      tile.load
// COSTS-NEXT:     1792 x 1      tile.store
// CHECK-LABEL: @elementwise
// CHECK-NOT: convert_layout
func.func @elementwise(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) {
  %i = tile.make_range 0 to 2048 : tensor<2048xi32>
  %s = tile.splat %n : tensor<2048xi32>
  %m = arith.cmpi slt, %i, %s : tensor<2048xi32>
  %b = tile.splat %p : tensor<2048x!tile.ptr<f32>>
  %q = tile.addptr %b, %i : tensor<2048x!tile.ptr<f32>>, tensor<2048xi32>
  %x = tile.load %q mask %m : tensor<2048x!tile.ptr<f32>>, mask tensor<2048xi1> -> tensor<2048xf32>
  %e = math.exp %x : tensor<2048xf32>
  tile.store %q, %e mask %m : tensor<2048x!tile.ptr<f32>>, tensor<2048xf32>, mask tensor<2048xi1>
  return
}

// The loop-carried tile has the accumulator's layout. Only the operands are converted in the loop, and the result after
// it, once it is narrower.
// COSTS:      {{[0-9]+}} x 16     tile.load
// COSTS-NEXT: {{[0-9]+}} x 16     tilegpu.convert_layout
// COSTS-NEXT: {{[0-9]+}} x 16     tilegpu.convert_layout
// COSTS-NEXT: {{[0-9]+}} x 1      tilegpu.convert_layout
// COSTS-NEXT: {{[0-9]+}} x 1      tile.store
// CHECK-LABEL: @matmul
func.func @matmul(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %c64 : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %rows : tensor<64x64xi32>
  %b = tile.splat %p : tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %b, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  // CHECK-NOT: convert_layout
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[ACC:.*]]>)
  // CHECK: %[[X:.*]] = tile.load %{{.*}} -> tensor<64x64xf16, #[[ROWS:.*]]>
  // CHECK-NEXT: %[[A:.*]] = tilegpu.convert_layout %[[X]]
  // CHECK-NEXT: %[[B:.*]] = tilegpu.convert_layout %[[X]]
  // CHECK-NEXT: %[[SUM:.*]] = tilegpu.mma {{.*}} %[[A]], %[[B]], %{{.*}} -> tensor<64x64xf32, #[[ACC]]>
  // CHECK-NOT: convert_layout
  // CHECK: scf.yield %[[SUM]]
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %x = tile.load %q : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %d = tile.dot %x, %x, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: %[[T:.*]] = arith.truncf %{{.*}} : tensor<64x64xf32, #[[ACC]]>
  // CHECK: %[[V:.*]] = tilegpu.convert_layout %[[T]] : {{.*}} -> tensor<64x64xf16, #[[ROWS]]>
  // CHECK: tile.store %{{.*}}, %[[V]]
  %t = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %q, %t : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf16>
  return
}

// It is cheaper to rematerialize indices than to convert them: once for the rows and the sums, once for the columns.
// CHECK-LABEL: @repeated
func.func @repeated(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  // CHECK-NOT: convert_layout
  // CHECK-COUNT-2: tile.make_range 0 to 64
  // CHECK-NOT: convert_layout
  // CHECK: tile.store
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %column, %c64 : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %starts, %rows : tensor<64x64xi32>
  %b = tile.splat %p : tensor<64x64x!tile.ptr<f32>>
  %q = tile.addptr %b, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %q : tensor<64x64x!tile.ptr<f32>> -> tensor<64x64xf32>
  %s = "tile.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %d: f32):
    %c = arith.addf %a, %d : f32
    tile.yield %c : f32
  }) : (tensor<64x64xf32>) -> tensor<64xf32>
  %r = tile.splat %o : tensor<64x!tile.ptr<f32>>
  %t = tile.addptr %r, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %t, %s : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// A conversion for a use in a branch is in the branch; one of a value defined before a loop is before the loop.
// CHECK-LABEL: @places
func.func @places(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %f: i1, %g: f16) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %b = tile.splat %p : tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %b, %rows : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %y = tile.splat %g : tensor<64x64xf16>
  // CHECK: %[[X:.*]] = tile.load
  // CHECK: tilegpu.convert_layout %[[X]]
  %x = tile.load %q : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  // CHECK: scf.for
  scf.for %k = %c0 to %n step %c1 : i32 {
    // CHECK-NOT: convert_layout
    // CHECK: tilegpu.mma
    // CHECK-NOT: convert_layout
    // CHECK: scf.if
    // CHECK: tilegpu.convert_layout
    // CHECK: tile.store
    %d = tile.dot %x, %y, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.if %f {
      %t = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
      tile.store %q, %t : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf16>
    }
  }
  return
}
