// RUN: tilewright-opt %s --split-input-file --plan-boxes | FileCheck %s

// Rows of x with the stride %K, and columns below %K: the mask becomes the extent of the map. Every step of the
// computation of addresses, masks and coordinates is a condition for launches.

#rows = #tilegpu.layout<register = [[0], [0], [0], [16], [32]], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = [] : 64>
#rows1 = #tilegpu.layout<register = [[0, 0], [0, 0], [0, 0], [16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x1>
#cols = #tilegpu.layout<register = [[1], [2], [4], [0], [0]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]], block = [] : 64>
#cols1 = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>
#tile = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#ahead = #tilegpu.schedule<stage = 0, cluster = 1, partition = 0>
#late = #tilegpu.schedule<stage = 2, cluster = 0, partition = 0>

// CHECK-LABEL: func.func @masked
// CHECK-SAME: %[[K:[a-z0-9]+]]: i32 {tile.divisibility = 16 : i32, tile.slot = 1 : i32}
// CHECK-SAME: %{{.*}}: !tile.bytes<128, 64>
// CHECK-SAME: tilegpu.tensor_map_steps = array<i64: {{[-0-9, ]*}}>
// CHECK-SAME: tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [{{[0-9]+, [0-9]+}}], strides = [{{[0-9]+}}], box = [64, 64], swizzle = 128>]
// CHECK: scf.for %[[I:[a-z0-9]+]] = 
// CHECK-DAG: %[[COLUMN:[0-9]+]] = arith.muli %c64{{[_a-z0-9]*}}, %[[I]]
// CHECK-DAG: %[[ROW:[0-9]+]] = arith.muli %c64{{[_a-z0-9]*}}, %{{[0-9]+}} {tilegpu.schedule
// CHECK: %[[P:[0-9]+]] = tilegpu.box_pointers 0[%[[COLUMN]], %[[ROW]]]
// CHECK: tile.load %[[P]] {tilegpu.schedule
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @masked(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %K: i32 {tile.divisibility = 16 : i32, tile.slot = 1 : i32}, %zero: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %id = tile.program_id 0 : i32
    %first = arith.muli %id, %c64 : i32
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %base = tile.splat %first : tensor<64xi32, #rows>
    %row = arith.addi %m, %base : tensor<64xi32, #rows>
    %row1 = tile.expand_dims %row 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %stride = tile.splat %K : tensor<64x1xi32, #rows1>
    %lines = arith.muli %row1, %stride : tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
    %k = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %k1 = tile.expand_dims %k 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %k2 = tile.broadcast %k1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %offsets = arith.addi %lines2, %k2 : tensor<64x64xi32, #tile>
    %array = tile.splat %x : tensor<64x64x!tile.ptr<f16>, #tile>
    %ptrs = tile.addptr %array, %offsets : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
    %steps = arith.divsi %K, %c64 : i32
    %r = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %at = arith.muli %i, %c64 {tilegpu.schedule = #ahead} : i32
      %shift = tile.splat %at {tilegpu.schedule = #ahead} : tensor<64x64xi32, #tile>
      %p = tile.addptr %ptrs, %shift {tilegpu.schedule = #ahead} : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
      %left = arith.subi %K, %at {tilegpu.schedule = #ahead} : i32
      %end = tile.splat %left {tilegpu.schedule = #ahead} : tensor<1x64xi32, #cols1>
      %below = arith.cmpi slt, %k1, %end {tilegpu.schedule = #ahead} : tensor<1x64xi32, #cols1>
      %mask = tile.broadcast %below {tilegpu.schedule = #ahead} : tensor<1x64xi1, #cols1> -> tensor<64x64xi1, #tile>
      %v = tile.load %p mask %mask {tilegpu.schedule = #ahead} : tensor<64x64x!tile.ptr<f16>, #tile>, mask tensor<64x64xi1, #tile> -> tensor<64x64xf16, #tile>
      %b = tilegpu.local_alloc {tilegpu.schedule = #late} : !tilegpu.buffer<64x64xf16, #shared>
      tilegpu.local_store %v, %b {tilegpu.schedule = #ahead} : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #shared>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %b transposed, %acc {tilegpu.schedule = #late} : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    return
  }
}
