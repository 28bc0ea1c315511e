// RUN: tilewright-opt %s --assign-layouts='num-warps=2' --coalesce --test-verify-layouts | FileCheck %s

// CHECK-DAG: #[[FOUR:.*]] = #tilegpu.layout<register = {{\[\[}}1], [2], [256]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128]], block = [] : 512>
// CHECK-DAG: #[[ONE:.*]] = #tilegpu.layout<register = {{\[\[}}64], [128], [256]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32]], block = [] : 512>
// CHECK-DAG: #[[SMALL:.*]] = #tilegpu.layout<register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64]], block = [] : 128>
// CHECK-DAG: #[[COLUMNS:.*]] = #tilegpu.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0], [0, 4]], lane = {{\[\[}}8, 0], [16, 0], [32, 0], [64, 0], [0, 1]], warp = {{\[\[}}0, 2]], block = [] : 128x8>
// CHECK-DAG: #[[ROWS:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [0, 2], [0, 128]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}1, 0]], block = [] : 2x256>

// The operands are converted to the layout of the access, and the result is converted back.
// CHECK-LABEL: @vectors
func.func @vectors(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %b = tile.splat %p : tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %b, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  // CHECK: %[[PTR:.*]] = tilegpu.convert_layout %{{.*}} : tensor<512x!tile.ptr<f32>, #[[ONE]]> -> tensor<512x!tile.ptr<f32>, #[[FOUR]]>
  // CHECK: %[[DATA:.*]] = tile.load %[[PTR]] contiguity [512] width [4] : {{.*}} -> tensor<512xf32, #[[FOUR]]>
  // CHECK: tilegpu.convert_layout %[[DATA]] : tensor<512xf32, #[[FOUR]]> -> tensor<512xf32, #[[ONE]]>
  %x = tile.load %q : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  tile.store %q, %x : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// A mask that varies between contiguous elements, or an unaligned address, requires accesses of one element.
// CHECK-LABEL: @one_by_one
func.func @one_by_one(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %u: !tile.ptr<f32>, %n: i32) {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %s = tile.splat %n : tensor<512xi32>
  %m = arith.cmpi slt, %i, %s : tensor<512xi32>
  %b = tile.splat %p : tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %b, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  // CHECK: tile.load {{.*}} contiguity [512] width [1] : {{.*}} -> tensor<512xf32, #[[ONE]]>
  %x = tile.load %q mask %m : tensor<512x!tile.ptr<f32>>, mask tensor<512xi1> -> tensor<512xf32>
  %d = tile.splat %u : tensor<512x!tile.ptr<f32>>
  %e = tile.addptr %d, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  // CHECK: tile.store {{.*}} contiguity [512] width [1] : {{.*}} tensor<512xf32, #[[ONE]]>
  tile.store %e, %x : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// The f16 load could have vectors of eight; the f32 store has vectors of four.
// CHECK-LABEL: @agree
func.func @agree(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %b = tile.splat %p : tensor<512x!tile.ptr<f16>>
  %q = tile.addptr %b, %i : tensor<512x!tile.ptr<f16>>, tensor<512xi32>
  // CHECK: tile.load {{.*}} -> tensor<512xf16, #[[FOUR]]>
  %x = tile.load %q : tensor<512x!tile.ptr<f16>> -> tensor<512xf16>
  %y = arith.extf %x : tensor<512xf16> to tensor<512xf32>
  %d = tile.splat %o : tensor<512x!tile.ptr<f32>>
  %e = tile.addptr %d, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  // CHECK: tile.store {{.*}} tensor<512xf32, #[[FOUR]]>
  tile.store %e, %y : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// Vectors of four would leave half of the threads without work.
// CHECK-LABEL: @all_threads
func.func @all_threads(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %b = tile.splat %p : tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %b, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  // CHECK: tile.load {{.*}} -> tensor<128xf32, #[[SMALL]]>
  %x = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  tile.store %q, %x : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}

// Atomics operate on single words: lanes are contiguous.
// CHECK-LABEL: @atomic
func.func @atomic(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %x: f32) {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %b = tile.splat %p : tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %b, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.splat %x : tensor<512xf32>
  // CHECK: tile.atomic_rmw {{.*}} contiguity [512] width [4] : {{.*}} tensor<512xf32, #[[ONE]]>
  %old = tile.atomic_rmw <fadd> %q, %v : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// Addresses are consecutive along dimension 0.
// CHECK-LABEL: @columns
func.func @columns(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}) {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %j = tile.make_range 0 to 8 : tensor<8xi32>
  %s = tile.splat %stride : tensor<8xi32>
  %js = arith.muli %j, %s : tensor<8xi32>
  %i2 = tile.expand_dims %i 1 : tensor<128xi32> -> tensor<128x1xi32>
  %j2 = tile.expand_dims %js 0 : tensor<8xi32> -> tensor<1x8xi32>
  %is = tile.broadcast %i2 : tensor<128x1xi32> -> tensor<128x8xi32>
  %jb = tile.broadcast %j2 : tensor<1x8xi32> -> tensor<128x8xi32>
  %o = arith.addi %is, %jb : tensor<128x8xi32>
  %b = tile.splat %p : tensor<128x8x!tile.ptr<f16>>
  %q = tile.addptr %b, %o : tensor<128x8x!tile.ptr<f16>>, tensor<128x8xi32>
  // CHECK: tile.load {{.*}} contiguity [16, 1] width [8, 1] : {{.*}} -> tensor<128x8xf16, #[[COLUMNS]]>
  %x = tile.load %q : tensor<128x8x!tile.ptr<f16>> -> tensor<128x8xf16>
  tile.store %q, %x : tensor<128x8x!tile.ptr<f16>>, tensor<128x8xf16>
  return
}

// If rows are reduced, each warp has separate rows.
// CHECK-LABEL: @reduced
func.func @reduced(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %r: !tile.ptr<f32>) {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %i2 = tile.expand_dims %i 0 : tensor<256xi32> -> tensor<1x256xi32>
  %is = tile.broadcast %i2 : tensor<1x256xi32> -> tensor<2x256xi32>
  %b = tile.splat %p : tensor<2x256x!tile.ptr<f32>>
  %q = tile.addptr %b, %is : tensor<2x256x!tile.ptr<f32>>, tensor<2x256xi32>
  // CHECK: tile.load {{.*}} -> tensor<2x256xf32, #[[ROWS]]>
  %x = tile.load %q : tensor<2x256x!tile.ptr<f32>> -> tensor<2x256xf32>
  %s = "tile.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %d: f32):
    %c = arith.addf %a, %d : f32
    tile.yield %c : f32
  }) : (tensor<2x256xf32>) -> tensor<2xf32>
  %o = tile.splat %r : tensor<2x!tile.ptr<f32>>
  tile.store %o, %s : tensor<2x!tile.ptr<f32>>, tensor<2xf32>
  return
}

// The user's hints become attributes of the access, so that no later pass loses them.
// CHECK-LABEL: @hinted
// CHECK-NOT: tile.hint
// CHECK: tile.load {{.*}} contiguity [512] width [4] : {{.*}} -> tensor<512xf32, #[[FOUR]]>
func.func @hinted(%p: !tile.ptr<f32>, %n: i32) {
  %h = tile.hint %n divisibility [4] : i32
  %b = tile.addptr %p, %h : !tile.ptr<f32>, i32
  %a = tile.hint %b divisibility [16] : !tile.ptr<f32>
  %t = tile.splat %a : tensor<512x!tile.ptr<f32>>
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %q = tile.addptr %t, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %x = tile.load %q : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  tile.store %q, %x : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}
