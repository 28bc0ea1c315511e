// RUN: tilewright-opt %s --split-input-file --plan-pipeline=as-boxes=true --plan-boxes | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --plan-pipeline --plan-boxes | FileCheck %s --check-prefix=WITHOUT

// Threads could only copy single elements of x, since nothing is known of its stride. The launch checks it, and boxes
// are copied. Without the option, that loop is not pipelined.

// WITHOUT-NOT: tilegpu.schedule
// WITHOUT-NOT: tilegpu.box_pointers

#rows = #tilegpu.layout<register = [[0], [0], [0], [16], [32]], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = [] : 64>
#rows1 = #tilegpu.layout<register = [[0, 0], [0, 0], [0, 0], [16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x1>
#cols = #tilegpu.layout<register = [[1], [2], [4], [0], [0]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]], block = [] : 64>
#cols1 = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>
#tile = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#accrow = #tilegpu.layout<register = [[0], [8], [0], [0], [0]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]], block = [] : 64>
#accrow1 = #tilegpu.layout<register = [[0, 0], [8, 0], [0, 0], [0, 0], [0, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x1>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#vector = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x1>

// Rows wrap at %M, and no row from %M on is stored: the map ends there. The launch checks the remainder of the stride.
// The buffer by which the addresses changed their layout is erased.
//
// CHECK-LABEL: func.func @unseen
// CHECK-SAME: tilegpu.tensor_map_steps = array<i64: {{.*}}16393, {{[-0-9, ]*}}>
// CHECK-SAME: tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [{{[0-9]+, [0-9]+}}], strides = [{{[0-9]+}}], box = [64, 64], swizzle = 128>]
// CHECK-NOT: local_alloc : <64x1xi32
// CHECK: scf.for
// CHECK: tilegpu.box_pointers 0
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @unseen(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %M: i32 {tile.slot = 1 : i32}, %K: i32 {tile.slot = 2 : i32}, %outs: tensor<64x64x!tile.ptr<f32>, #acc>, %others: tensor<64x64x!tile.ptr<f16>, #tile>, %zero: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %id = tile.program_id 0 : i32
    %first = arith.muli %id, %c64 : i32
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %base = tile.splat %first : tensor<64xi32, #rows>
    %row0 = arith.addi %m, %base : tensor<64xi32, #rows>
    %end0 = tile.splat %M : tensor<64xi32, #rows>
    %row = arith.remui %row0, %end0 : tensor<64xi32, #rows>
    %row1 = tile.expand_dims %row 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %stride = tile.splat %K : tensor<64x1xi32, #rows1>
    %lines0 = arith.muli %row1, %stride : tensor<64x1xi32, #rows1>
    %v0 = tilegpu.local_alloc : !tilegpu.buffer<64x1xi32, #vector>
    tilegpu.local_store %lines0, %v0 : tensor<64x1xi32, #rows1> -> !tilegpu.buffer<64x1xi32, #vector>
    %lines = tilegpu.local_load %v0 : !tilegpu.buffer<64x1xi32, #vector> -> tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
    %k = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %k1 = tile.expand_dims %k 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %k2 = tile.broadcast %k1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %offsets = arith.addi %lines2, %k2 : tensor<64x64xi32, #tile>
    %array = tile.splat %x : tensor<64x64x!tile.ptr<f16>, #tile>
    %ptrs = tile.addptr %array, %offsets : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
    %other = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
    %z = arith.constant dense<0.0> : tensor<64x64xf16, #tile>
    tilegpu.local_store %z, %other : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #shared>
    %r = scf.for %i = %c0 to %M step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %at = arith.muli %i, %c64 : i32
      %shift = tile.splat %at : tensor<64x64xi32, #tile>
      %p = tile.addptr %ptrs, %shift : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
      %left = arith.subi %K, %at : i32
      %end = tile.splat %left : tensor<1x64xi32, #cols1>
      %below = arith.cmpi slt, %k1, %end : tensor<1x64xi32, #cols1>
      %mask = tile.broadcast %below : tensor<1x64xi1, #cols1> -> tensor<64x64xi1, #tile>
      %v = tile.load %p mask %mask contiguity [1, 64] width [1, 1] : tensor<64x64x!tile.ptr<f16>, #tile>, mask tensor<64x64xi1, #tile> -> tensor<64x64xf16, #tile>
      %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
      tilegpu.local_store %v, %b : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #shared>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %other, %acc : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %n = tile.make_range 0 to 64 : tensor<64xi32, #accrow>
    %nbase = tile.splat %first : tensor<64xi32, #accrow>
    %orow = arith.addi %n, %nbase : tensor<64xi32, #accrow>
    %orow1 = tile.expand_dims %orow 1 : tensor<64xi32, #accrow> -> tensor<64x1xi32, #accrow1>
    %oend = tile.splat %M : tensor<64x1xi32, #accrow1>
    %inside = arith.cmpi slt, %orow1, %oend : tensor<64x1xi32, #accrow1>
    %stored = tile.broadcast %inside : tensor<64x1xi1, #accrow1> -> tensor<64x64xi1, #acc>
    tile.store %outs, %r mask %stored : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>, mask tensor<64x64xi1, #acc>
    return
  }
}

// -----

#rows = #tilegpu.layout<register = [[0], [0], [0], [16], [32]], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = [] : 64>
#rows1 = #tilegpu.layout<register = [[0, 0], [0, 0], [0, 0], [16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x1>
#cols = #tilegpu.layout<register = [[1], [2], [4], [0], [0]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]], block = [] : 64>
#cols1 = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>
#tile = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#accrow = #tilegpu.layout<register = [[0], [8], [0], [0], [0]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]], block = [] : 64>
#accrow1 = #tilegpu.layout<register = [[0, 0], [8, 0], [0, 0], [0, 0], [0, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x1>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#vector = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x1>

// Other rows are stored. The map has no end (2^31), and the launch checks that no row wraps.
//
// CHECK-LABEL: func.func @seen
// CHECK-SAME: tilegpu.tensor_map_steps = array<i64: {{.*}}2147483648, 2147483648{{.*}}>
// CHECK: tilegpu.box_pointers 0
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @seen(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %M: i32 {tile.slot = 1 : i32}, %K: i32 {tile.slot = 2 : i32}, %outs: tensor<64x64x!tile.ptr<f32>, #acc>, %others: tensor<64x64x!tile.ptr<f16>, #tile>, %zero: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %id = tile.program_id 0 : i32
    %first = arith.muli %id, %c64 : i32
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %base = tile.splat %first : tensor<64xi32, #rows>
    %row0 = arith.addi %m, %base : tensor<64xi32, #rows>
    %end0 = tile.splat %M : tensor<64xi32, #rows>
    %row = arith.remui %row0, %end0 : tensor<64xi32, #rows>
    %row1 = tile.expand_dims %row 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %stride = tile.splat %K : tensor<64x1xi32, #rows1>
    %lines0 = arith.muli %row1, %stride : tensor<64x1xi32, #rows1>
    %v0 = tilegpu.local_alloc : !tilegpu.buffer<64x1xi32, #vector>
    tilegpu.local_store %lines0, %v0 : tensor<64x1xi32, #rows1> -> !tilegpu.buffer<64x1xi32, #vector>
    %lines = tilegpu.local_load %v0 : !tilegpu.buffer<64x1xi32, #vector> -> tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
    %k = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %k1 = tile.expand_dims %k 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %k2 = tile.broadcast %k1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %offsets = arith.addi %lines2, %k2 : tensor<64x64xi32, #tile>
    %array = tile.splat %x : tensor<64x64x!tile.ptr<f16>, #tile>
    %ptrs = tile.addptr %array, %offsets : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
    %other = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
    %z = arith.constant dense<0.0> : tensor<64x64xf16, #tile>
    tilegpu.local_store %z, %other : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #shared>
    %r = scf.for %i = %c0 to %M step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %at = arith.muli %i, %c64 : i32
      %shift = tile.splat %at : tensor<64x64xi32, #tile>
      %p = tile.addptr %ptrs, %shift : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
      %left = arith.subi %K, %at : i32
      %end = tile.splat %left : tensor<1x64xi32, #cols1>
      %below = arith.cmpi slt, %k1, %end : tensor<1x64xi32, #cols1>
      %mask = tile.broadcast %below : tensor<1x64xi1, #cols1> -> tensor<64x64xi1, #tile>
      %v = tile.load %p mask %mask contiguity [1, 64] width [1, 1] : tensor<64x64x!tile.ptr<f16>, #tile>, mask tensor<64x64xi1, #tile> -> tensor<64x64xf16, #tile>
      %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
      tilegpu.local_store %v, %b : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #shared>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %other, %acc : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %n = tile.make_range 0 to 64 : tensor<64xi32, #accrow>
    %nbase = tile.splat %first : tensor<64xi32, #accrow>
    %orow = arith.addi %n, %nbase : tensor<64xi32, #accrow>
    %orow1 = tile.expand_dims %orow 1 : tensor<64xi32, #accrow> -> tensor<64x1xi32, #accrow1>
    %oend = tile.splat %K : tensor<64x1xi32, #accrow1>
    %inside = arith.cmpi slt, %orow1, %oend : tensor<64x1xi32, #accrow1>
    %stored = tile.broadcast %inside : tensor<64x1xi1, #accrow1> -> tensor<64x64xi1, #acc>
    tile.store %outs, %r mask %stored : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>, mask tensor<64x64xi1, #acc>
    return
  }
}

// -----

#rows = #tilegpu.layout<register = [[0], [0], [0], [16], [32]], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = [] : 64>
#rows1 = #tilegpu.layout<register = [[0, 0], [0, 0], [0, 0], [16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x1>
#cols = #tilegpu.layout<register = [[1], [2], [4], [0], [0]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]], block = [] : 64>
#cols1 = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>
#tile = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#accrow = #tilegpu.layout<register = [[0], [8], [0], [0], [0]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]], block = [] : 64>
#accrow1 = #tilegpu.layout<register = [[0, 0], [8, 0], [0, 0], [0, 0], [0, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x1>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#vector = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x1>

// What is loaded by other pointers is no box, so that the loop is not pipelined.
//
// CHECK-LABEL: func.func @other
// CHECK-NOT: tilegpu.schedule
// CHECK: return
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @other(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %M: i32 {tile.slot = 1 : i32}, %K: i32 {tile.slot = 2 : i32}, %outs: tensor<64x64x!tile.ptr<f32>, #acc>, %others: tensor<64x64x!tile.ptr<f16>, #tile>, %zero: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %id = tile.program_id 0 : i32
    %first = arith.muli %id, %c64 : i32
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %base = tile.splat %first : tensor<64xi32, #rows>
    %row0 = arith.addi %m, %base : tensor<64xi32, #rows>
    %end0 = tile.splat %M : tensor<64xi32, #rows>
    %row = arith.remui %row0, %end0 : tensor<64xi32, #rows>
    %row1 = tile.expand_dims %row 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %stride = tile.splat %K : tensor<64x1xi32, #rows1>
    %lines0 = arith.muli %row1, %stride : tensor<64x1xi32, #rows1>
    %v0 = tilegpu.local_alloc : !tilegpu.buffer<64x1xi32, #vector>
    tilegpu.local_store %lines0, %v0 : tensor<64x1xi32, #rows1> -> !tilegpu.buffer<64x1xi32, #vector>
    %lines = tilegpu.local_load %v0 : !tilegpu.buffer<64x1xi32, #vector> -> tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
    %k = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %k1 = tile.expand_dims %k 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %k2 = tile.broadcast %k1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %offsets = arith.addi %lines2, %k2 : tensor<64x64xi32, #tile>
    %array = tile.splat %x : tensor<64x64x!tile.ptr<f16>, #tile>
    %ptrs = tile.addptr %array, %offsets : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
    %other = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
    %z = arith.constant dense<0.0> : tensor<64x64xf16, #tile>
    tilegpu.local_store %z, %other : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #shared>
    %r = scf.for %i = %c0 to %M step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %at = arith.muli %i, %c64 : i32
      %shift = tile.splat %at : tensor<64x64xi32, #tile>
      %p = tile.addptr %ptrs, %shift : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
      %left = arith.subi %K, %at : i32
      %end = tile.splat %left : tensor<1x64xi32, #cols1>
      %below = arith.cmpi slt, %k1, %end : tensor<1x64xi32, #cols1>
      %mask = tile.broadcast %below : tensor<1x64xi1, #cols1> -> tensor<64x64xi1, #tile>
      %v = tile.load %others mask %mask contiguity [1, 64] width [1, 1] : tensor<64x64x!tile.ptr<f16>, #tile>, mask tensor<64x64xi1, #tile> -> tensor<64x64xf16, #tile>
      %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
      tilegpu.local_store %v, %b : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #shared>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %other, %acc : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %n = tile.make_range 0 to 64 : tensor<64xi32, #accrow>
    %nbase = tile.splat %first : tensor<64xi32, #accrow>
    %orow = arith.addi %n, %nbase : tensor<64xi32, #accrow>
    %orow1 = tile.expand_dims %orow 1 : tensor<64xi32, #accrow> -> tensor<64x1xi32, #accrow1>
    %oend = tile.splat %M : tensor<64x1xi32, #accrow1>
    %inside = arith.cmpi slt, %orow1, %oend : tensor<64x1xi32, #accrow1>
    %stored = tile.broadcast %inside : tensor<64x1xi1, #accrow1> -> tensor<64x64xi1, #acc>
    tile.store %outs, %r mask %stored : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>, mask tensor<64x64xi1, #acc>
    return
  }
}
