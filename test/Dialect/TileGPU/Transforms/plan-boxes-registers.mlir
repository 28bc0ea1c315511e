// RUN: tilewright-opt %s --plan-boxes | FileCheck %s

// Threads load A into registers from a buffer to which nothing else is stored. It gets the layout of boxes.

#rows = #tilegpu.layout<register = [[0], [0], [0], [16], [32]], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = [] : 64>
#rows1 = #tilegpu.layout<register = [[0, 0], [0, 0], [0, 0], [16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x1>
#cols = #tilegpu.layout<register = [[1], [2], [4], [0], [0]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]], block = [] : 64>
#cols1 = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>
#tile = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#swizzled = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 16], [2, 32], [4, 8], [8, 0], [16, 0], [32, 0]] : 64x64>
#ahead = #tilegpu.schedule<stage = 0, cluster = 1, partition = 0>
#late = #tilegpu.schedule<stage = 2, cluster = 0, partition = 0>

// CHECK: #[[BOXES:.*]] = #tilegpu.layout<offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
// CHECK-LABEL: func.func @registers
// CHECK-SAME: box = [64, 64], swizzle = 128
// CHECK: scf.for
// CHECK: tilegpu.box_pointers 0
// CHECK: %[[BUFFER:.*]] = tilegpu.local_alloc {{.*}} : <64x64xf16, #[[BOXES]]>
// CHECK: tilegpu.local_store %{{.*}}, %[[BUFFER]] {{.*}} -> <64x64xf16, #[[BOXES]]>
// CHECK: tilegpu.local_load %[[BUFFER]] {{.*}} <64x64xf16, #[[BOXES]]> -> tensor<64x64xf16, #
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @registers(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %K: i32 {tile.divisibility = 16 : i32, tile.slot = 1 : i32}, %zero: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
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
    %right = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
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
      %b = tilegpu.local_alloc {tilegpu.schedule = #late} : !tilegpu.buffer<64x64xf16, #swizzled>
      tilegpu.local_store %v, %b {tilegpu.schedule = #ahead} : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #swizzled>
      %a = tilegpu.local_load %b {tilegpu.schedule = #late} : !tilegpu.buffer<64x64xf16, #swizzled> -> tensor<64x64xf16, #acc>
      %half = arith.negf %a {tilegpu.schedule = #late} : tensor<64x64xf16, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %half registers, %right transposed, %acc {tilegpu.schedule = #late} : tensor<64x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    return
  }

  // What is stored again might be read later than the dot.
  // CHECK-LABEL: func.func @stored_too
  // CHECK-NOT: tilegpu.box_pointers
  func.func @stored_too(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %K: i32 {tile.divisibility = 16 : i32, tile.slot = 1 : i32}, %zero: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
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
    %copy = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
    %right = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
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
      %b = tilegpu.local_alloc {tilegpu.schedule = #late} : !tilegpu.buffer<64x64xf16, #swizzled>
      tilegpu.local_store %v, %b {tilegpu.schedule = #ahead} : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #swizzled>
      %a = tilegpu.local_load %b {tilegpu.schedule = #late} : !tilegpu.buffer<64x64xf16, #swizzled> -> tensor<64x64xf16, #acc>
      %half = arith.negf %a {tilegpu.schedule = #late} : tensor<64x64xf16, #acc>
      tilegpu.local_store %half, %copy {tilegpu.schedule = #late} : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #shared>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %half registers, %right transposed, %acc {tilegpu.schedule = #late} : tensor<64x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    return
  }
}
