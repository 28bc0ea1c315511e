// Tiles that come from broadcasts alone: no access to memory has their shape.
// RUN: tilewright-opt %s --assign-layouts='target=sm_90a num-warps=4' --coalesce --propagate-layouts --test-verify-layouts | FileCheck %s

// Each thread has 32 of the outer product's 64 x 64 elements, instead of a row or a column.
// CHECK-DAG: #[[PRODUCT:.*]] = #tilegpu.layout<register = [{{\[[0-9]+, [0-9]+\]}}, {{\[[0-9]+, [0-9]+\]}}, {{\[[0-9]+, [0-9]+\]}}, {{\[[0-9]+, [0-9]+\]}}, {{\[[0-9]+, [0-9]+\]}}], lane = {{.*}} : 64x64>
// CHECK-LABEL: @outerProducts
func.func @outerProducts(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %b = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %q = tile.addptr %b, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[PRODUCT]]>)
  // CHECK: arith.mulf %{{.*}} : tensor<64x64xf32, #[[PRODUCT]]>
  %sums = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x64xf32> : i32 {
    %x = tile.load %q : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    %row = tile.expand_dims %x 0 : tensor<64xf32> -> tensor<1x64xf32>
    %column = tile.expand_dims %x 1 : tensor<64xf32> -> tensor<64x1xf32>
    %rows = tile.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %columns = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x64xf32>
    %product = arith.mulf %rows, %columns : tensor<64x64xf32>
    %next = arith.addf %sum, %product : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %total = "tile.reduce"(%sums) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }) : (tensor<64x64xf32>) -> tensor<64xf32>
  tile.store %q, %total : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// A load has the tile's shape: the broadcast takes the layout of the load, 8 elements of 16 bits in a row, which has as
// few registers.
// CHECK-LABEL: @besideALoad
// CHECK: %[[X:.*]] = tile.load %{{.*}} -> tensor<64x64xf16, #[[ROWS:.*]]>
// CHECK: arith.addf %[[X]], %{{.*}} : tensor<64x64xf16, #[[ROWS]]>
// CHECK-NOT: tensor<64x64xf16, #[[PRODUCT]]>
// CHECK: return
func.func @besideALoad(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}) {
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %b = tile.splat %p : tensor<64x!tile.ptr<f16>>
  %q = tile.addptr %b, %i : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %q : tensor<64x!tile.ptr<f16>> -> tensor<64xf16>
  %row = tile.expand_dims %v 0 : tensor<64xf16> -> tensor<1x64xf16>
  %rows = tile.broadcast %row : tensor<1x64xf16> -> tensor<64x64xf16>
  %across = tile.expand_dims %i 0 : tensor<64xi32> -> tensor<1x64xi32>
  %down = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %starts = arith.muli %down, %pitch : tensor<64x1xi32>
  %starts2 = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %across2 = tile.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %starts2, %across2 : tensor<64x64xi32>
  %base = tile.splat %p : tensor<64x64x!tile.ptr<f16>>
  %places = tile.addptr %base, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %places : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  %y = arith.addf %x, %rows : tensor<64x64xf16>
  tile.store %places, %y : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf16>
  return
}
