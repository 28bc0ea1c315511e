// RUN: tilewright-opt %s --assign-layouts='target=sm_80 num-warps=2 num-stages=4' | FileCheck %s
// RUN: not tilewright-opt %s --assign-layouts='target=sm_52' 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not tilewright-opt %s --assign-layouts='num-warps=3' 2>&1 | FileCheck %s --check-prefix=WARPS

// TARGET: unknown target 'sm_52'
// WARPS: num_warps must be a power of two from 1 to 32, not 3

// CHECK-DAG: #[[LINE:.*]] = #tilegpu.layout<register = {{\[\[}}64]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32]], block = [] : 128>
// CHECK-DAG: #[[TILE:.*]] = #tilegpu.layout<register = {{\[\[}}2, 0], [4, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}1, 0]], block = [] : 8x32>
// CHECK-DAG: #[[ROW:.*]] = #tilegpu.layout<register = {{\[\[}}2], [4]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1]], block = [] : 8>
// CHECK: module attributes {tilegpu.default_num_stages = 4 : i32, tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_80"}
module {
  // CHECK-LABEL: @elementwise
  func.func @elementwise(%p: !tile.ptr<f32>) {
    // CHECK: arith.constant dense<1> : tensor<128xi32, #[[LINE]]>
    %one = arith.constant dense<1> : tensor<128xi32>
    %i = tile.make_range 0 to 128 : tensor<128xi32>
    // CHECK: arith.addi %{{.*}} : tensor<128xi32, #[[LINE]]>
    %j = arith.addi %i, %one : tensor<128xi32>
    %b = tile.splat %p : tensor<128x!tile.ptr<f32>>
    %q = tile.addptr %b, %j : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    // CHECK: tile.load %{{.*}} : tensor<128x!tile.ptr<f32>, #[[LINE]]> -> tensor<128xf32, #[[LINE]]>
    %x = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    tile.store %q, %x : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
    return
  }

  // The result of a reduction has the layout derived from its operand, and is converted to the default layout of its
  // shape.
  // CHECK-LABEL: @reduce
  func.func @reduce(%p: !tile.ptr<f32>, %n: i32) {
    %i = tile.make_range 0 to 8 : tensor<8xi32>
    %b = tile.splat %p : tensor<8x!tile.ptr<f32>>
    %q = tile.addptr %b, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %x = arith.constant dense<1.0> : tensor<8x32xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.for {{.*}} -> (tensor<8x32xf32, #[[TILE]]>)
    %y = scf.for %k = %c0 to %n step %c1 iter_args(%z = %x) -> tensor<8x32xf32> : i32 {
      %w = arith.addf %z, %z : tensor<8x32xf32>
      scf.yield %w : tensor<8x32xf32>
    }
    // CHECK: %[[SUM:.*]] = tile.reduce
    // CHECK: : (tensor<8x32xf32, #[[TILE]]>) -> tensor<8xf32, #[[ROW]]>
    // CHECK: tilegpu.convert_layout %[[SUM]] : tensor<8xf32, #[[ROW]]> -> tensor<8xf32, #{{.*}}>
    %s = "tile.reduce"(%y) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %d: f32):
      %c = arith.addf %a, %d : f32
      tile.yield %c : f32
    }) : (tensor<8x32xf32>) -> tensor<8xf32>
    tile.store %q, %s : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
    return
  }
}
