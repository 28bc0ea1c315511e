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

// -----

// A tile that is staged in shared memory for a store is copied from there, in columns of 128 bytes. In a loop, the wait
// is for the write to global memory.

#rows = #tilegpu.layout<register = [[16], [32]], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = [] : 64>
#rows1 = #tilegpu.layout<register = [[16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x1>
#cols = #tilegpu.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]], block = [] : 64>
#cols1 = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>
#tile = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#boxes = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#staged = #tilegpu.layout<offset = [[0, 1], [0, 8], [0, 16], [0, 2], [0, 4], [1, 0], [4, 0], [8, 0], [16, 0], [32, 0], [2, 2], [0, 36]] : 64x64>

// CHECK: #[[BOXES:.*]] = #tilegpu.layout<offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
// CHECK-LABEL: func.func @stored
// CHECK-SAME: (%[[C:[a-z0-9]+]]: !tile.ptr<f16>
// CHECK-SAME: tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [{{[0-9]+, [0-9]+}}], strides = [{{[0-9]+}}], box = [64, 64], swizzle = 128>]

// 8 KiB times the programs and the iterations, beside the L2 cache's 50 MiB times the step.
// CHECK: %[[BYTES:.*]] = arith.constant 8.192000e+03 : f32
// CHECK: %[[CACHE:.*]] = arith.constant 5.242880e+07 : f32
// CHECK: tile.num_programs 0
// CHECK: tile.num_programs 1
// CHECK: tile.num_programs 2
// CHECK: %[[LENGTH:.*]] = arith.subi
// CHECK: %[[F:.*]] = arith.sitofp %[[LENGTH]] : i64 to f32
// CHECK: %[[STORED:.*]] = arith.mulf %{{.*}}, %[[F]] : f32
// CHECK: %[[LIMIT:.*]] = arith.mulf %[[CACHE]], %{{.*}} : f32
// CHECK: %[[MORE:.*]] = arith.cmpf ogt, %[[STORED]], %[[LIMIT]]
// CHECK: scf.for %[[TILE:[a-z0-9]+]] =
// CHECK: arith.truncf
// CHECK-NOT: local_load
// CHECK: %[[ROW:[0-9]+]] = arith.muli %c64{{[_a-z0-9]*}}, %[[TILE]]
// CHECK-NEXT: %[[B:[0-9]+]] = tilegpu.local_alloc : <64x64xf16, #[[BOXES]]>
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[B]]
// CHECK-NEXT: tilegpu.box_store 0[%{{.*}}, %[[ROW]]] of %[[C]] from %[[B]] by_groups apart evict_first if %[[MORE]] :
// CHECK-NEXT: tilegpu.box_store_wait %[[B]] by_groups :
// CHECK-NOT: tile.store

// Without a loop, it is enough that the buffer has been read. What is read later, or may be, is stored by threads.
// CHECK-LABEL: func.func @once
// CHECK: tilegpu.box_store 0[
// CHECK-NEXT: tilegpu.box_store_wait %{{.*}} by_groups read :
// CHECK-LABEL: func.func @read_later
// CHECK-NOT: box_store
// CHECK: tile.store
// CHECK-LABEL: func.func @released
// CHECK-NOT: box_store
// CHECK: tile.store
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @stored(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %N: i32 {tile.divisibility = 16 : i32, tile.slot = 1 : i32}, %tiles: i32 {tile.slot = 2 : i32}, %x: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %n = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %n1 = tile.expand_dims %n 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %n2 = tile.broadcast %n1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %stride = tile.splat %N : tensor<64x1xi32, #rows1>
    %ends = tile.splat %N : tensor<1x64xi32, #cols1>
    %below = arith.cmpi slt, %n1, %ends : tensor<1x64xi32, #cols1>
    %mask = tile.broadcast %below : tensor<1x64xi1, #cols1> -> tensor<64x64xi1, #tile>
    %array = tile.splat %c : tensor<64x64x!tile.ptr<f16>, #tile>
    scf.for %tile = %c0 to %tiles step %c1 : i32 {
      %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #boxes>
      %dot = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %b, %x : !tilegpu.buffer<64x64xf16, #boxes> * !tilegpu.buffer<64x64xf16, #boxes> -> tensor<64x64xf32, #acc>
      %y = arith.truncf %dot : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %first = arith.muli %tile, %c64 : i32
      %base = tile.splat %first : tensor<64xi32, #rows>
      %row = arith.addi %m, %base : tensor<64xi32, #rows>
      %row1 = tile.expand_dims %row 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
      %lines = arith.muli %row1, %stride : tensor<64x1xi32, #rows1>
      %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
      %offsets = arith.addi %lines2, %n2 : tensor<64x64xi32, #tile>
      %ptrs = tile.addptr %array, %offsets : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
      %s = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #staged>
      tilegpu.local_store %y, %s : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #staged>
      %z = tilegpu.local_load %s : !tilegpu.buffer<64x64xf16, #staged> -> tensor<64x64xf16, #tile>
      tile.store %ptrs, %z mask %mask : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xf16, #tile>, mask tensor<64x64xi1, #tile>
    }
    return
  }

  func.func @once(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %x: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #boxes>
    %dot = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %b, %x : !tilegpu.buffer<64x64xf16, #boxes> * !tilegpu.buffer<64x64xf16, #boxes> -> tensor<64x64xf32, #acc>
    %y = arith.truncf %dot : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    %ptrs = tile.splat %c : tensor<64x64x!tile.ptr<f16>, #tile>
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %m1 = tile.expand_dims %m 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %c64 = arith.constant dense<64> : tensor<64x1xi32, #rows1>
    %lines = arith.muli %m1, %c64 : tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
    %n = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %n1 = tile.expand_dims %n 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %n2 = tile.broadcast %n1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %offsets = arith.addi %lines2, %n2 : tensor<64x64xi32, #tile>
    %p = tile.addptr %ptrs, %offsets : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
    %s = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #staged>
    tilegpu.local_store %y, %s : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #staged>
    %z = tilegpu.local_load %s : !tilegpu.buffer<64x64xf16, #staged> -> tensor<64x64xf16, #tile>
    tile.store %p, %z : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xf16, #tile>
    return
  }

  func.func @read_later(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %d: !tile.ptr<f16> {tile.slot = 1 : i32}, %e: !tile.ptr<f16> {tile.slot = 2 : i32, tile.noalias}, %x: tensor<64x64xf32, #acc>, %offsets: tensor<64x64xi32, #tile>) attributes {tile.kernel} {
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #boxes>
    %dot = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %b, %x : !tilegpu.buffer<64x64xf16, #boxes> * !tilegpu.buffer<64x64xf16, #boxes> -> tensor<64x64xf32, #acc>
    %y = arith.truncf %dot : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    %ptrs = tile.splat %c : tensor<64x64x!tile.ptr<f16>, #tile>
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %m1 = tile.expand_dims %m 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %c64 = arith.constant dense<64> : tensor<64x1xi32, #rows1>
    %lines = arith.muli %m1, %c64 : tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
    %n = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %n1 = tile.expand_dims %n 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %n2 = tile.broadcast %n1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %offset = arith.addi %lines2, %n2 : tensor<64x64xi32, #tile>
    %p = tile.addptr %ptrs, %offset : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
    %s = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #staged>
    tilegpu.local_store %y, %s : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #staged>
    %z = tilegpu.local_load %s : !tilegpu.buffer<64x64xf16, #staged> -> tensor<64x64xf16, #tile>
    tile.store %p, %z : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xf16, #tile>
    %v = tile.load %d : !tile.ptr<f16> -> f16
    tile.store %e, %v : !tile.ptr<f16>, f16
    return
  }

  func.func @released(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32, tile.noalias}, %flag: !tile.ptr<i32> {tile.slot = 1 : i32, tile.noalias}, %x: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %one = arith.constant 1 : i32
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #boxes>
    %dot = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %b, %x : !tilegpu.buffer<64x64xf16, #boxes> * !tilegpu.buffer<64x64xf16, #boxes> -> tensor<64x64xf32, #acc>
    %y = arith.truncf %dot : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    %ptrs = tile.splat %c : tensor<64x64x!tile.ptr<f16>, #tile>
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %m1 = tile.expand_dims %m 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %c64 = arith.constant dense<64> : tensor<64x1xi32, #rows1>
    %lines = arith.muli %m1, %c64 : tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
    %n = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %n1 = tile.expand_dims %n 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %n2 = tile.broadcast %n1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %offset = arith.addi %lines2, %n2 : tensor<64x64xi32, #tile>
    %p = tile.addptr %ptrs, %offset : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
    %s = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #staged>
    tilegpu.local_store %y, %s : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #staged>
    %z = tilegpu.local_load %s : !tilegpu.buffer<64x64xf16, #staged> -> tensor<64x64xf16, #tile>
    tile.store %p, %z : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xf16, #tile>
    %old = tile.atomic_rmw #tile.rmw<xchg> %flag, %one {sem = #tile.sem<release>} : !tile.ptr<i32>, i32
    return
  }
}

// -----

// A mask that got its layout through shared memory is the same mask: the rows of the tensor map end at %M, which is
// slot 1 of a launch, and the buffer of the mask is erased. If something else writes that buffer, the mask is unknown.

#rows = #tilegpu.layout<register = [[16], [32]], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = [] : 64>
#rows1 = #tilegpu.layout<register = [[16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x1>
#cols = #tilegpu.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]], block = [] : 64>
#cols1 = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>
#tile = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]], block = [] : 64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#boxes = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#staged = #tilegpu.layout<offset = [[0, 1], [0, 8], [0, 16], [0, 2], [0, 4], [1, 0], [4, 0], [8, 0], [16, 0], [32, 0], [2, 2], [0, 36]] : 64x64>
#bits = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>

// CHECK-LABEL: func.func @staged_mask
// CHECK-SAME: (%[[C:[a-z0-9]+]]: !tile.ptr<f16>
// CHECK-SAME: tilegpu.tensor_map_steps = array<i64: 8193, 1, 0,
// CHECK-SAME: tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, {{[^#]*}}>]
// CHECK-NOT: xi1,
// CHECK: tilegpu.box_store 0[{{.*}}] of %[[C]]
// CHECK-NOT: tile.store
// CHECK-LABEL: func.func @rewritten_mask
// CHECK-NOT: tilegpu.tensor_maps
// CHECK-COUNT-2: tilegpu.local_store {{.*}} : tensor<64xi1,
// CHECK-NOT: box_store
// CHECK: tile.store
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @staged_mask(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %M: i32 {tile.slot = 1 : i32}, %x: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #boxes>
    %dot = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %b, %x : !tilegpu.buffer<64x64xf16, #boxes> * !tilegpu.buffer<64x64xf16, #boxes> -> tensor<64x64xf32, #acc>
    %y = arith.truncf %dot : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %m1 = tile.expand_dims %m 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %c64 = arith.constant dense<64> : tensor<64x1xi32, #rows1>
    %lines = arith.muli %m1, %c64 : tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
    %n = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %n1 = tile.expand_dims %n 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %n2 = tile.broadcast %n1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %offsets = arith.addi %lines2, %n2 : tensor<64x64xi32, #tile>
    %array = tile.splat %c : tensor<64x64x!tile.ptr<f16>, #tile>
    %p = tile.addptr %array, %offsets : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
    %row = tile.make_range 0 to 64 : tensor<64xi32, #line>
    %end = tile.splat %M : tensor<64xi32, #line>
    %below = arith.cmpi slt, %row, %end : tensor<64xi32, #line>
    %bits = tilegpu.local_alloc : !tilegpu.buffer<64xi1, #bits>
    tilegpu.local_store %below, %bits : tensor<64xi1, #line> -> !tilegpu.buffer<64xi1, #bits>
    %moved = tilegpu.local_load %bits : !tilegpu.buffer<64xi1, #bits> -> tensor<64xi1, #rows>
    %moved1 = tile.expand_dims %moved 1 : tensor<64xi1, #rows> -> tensor<64x1xi1, #rows1>
    %mask = tile.broadcast %moved1 : tensor<64x1xi1, #rows1> -> tensor<64x64xi1, #tile>
    %s = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #staged>
    tilegpu.local_store %y, %s : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #staged>
    %z = tilegpu.local_load %s : !tilegpu.buffer<64x64xf16, #staged> -> tensor<64x64xf16, #tile>
    tile.store %p, %z mask %mask : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xf16, #tile>, mask tensor<64x64xi1, #tile>
    return
  }

  func.func @rewritten_mask(%c: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %M: i32 {tile.slot = 1 : i32}, %x: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #boxes>
    %dot = tilegpu.group_mma "m64k16.f16.f16.f32" %b, %b, %x : !tilegpu.buffer<64x64xf16, #boxes> * !tilegpu.buffer<64x64xf16, #boxes> -> tensor<64x64xf32, #acc>
    %y = arith.truncf %dot : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %m1 = tile.expand_dims %m 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %c64 = arith.constant dense<64> : tensor<64x1xi32, #rows1>
    %lines = arith.muli %m1, %c64 : tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #tile>
    %n = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %n1 = tile.expand_dims %n 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %n2 = tile.broadcast %n1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #tile>
    %offsets = arith.addi %lines2, %n2 : tensor<64x64xi32, #tile>
    %array = tile.splat %c : tensor<64x64x!tile.ptr<f16>, #tile>
    %p = tile.addptr %array, %offsets : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
    %row = tile.make_range 0 to 64 : tensor<64xi32, #line>
    %end = tile.splat %M : tensor<64xi32, #line>
    %below = arith.cmpi slt, %row, %end : tensor<64xi32, #line>
    %bits = tilegpu.local_alloc : !tilegpu.buffer<64xi1, #bits>
    tilegpu.local_store %below, %bits : tensor<64xi1, #line> -> !tilegpu.buffer<64xi1, #bits>
    %all = arith.constant dense<true> : tensor<64xi1, #line>
    tilegpu.local_store %all, %bits : tensor<64xi1, #line> -> !tilegpu.buffer<64xi1, #bits>
    %moved = tilegpu.local_load %bits : !tilegpu.buffer<64xi1, #bits> -> tensor<64xi1, #rows>
    %moved1 = tile.expand_dims %moved 1 : tensor<64xi1, #rows> -> tensor<64x1xi1, #rows1>
    %mask = tile.broadcast %moved1 : tensor<64x1xi1, #rows1> -> tensor<64x64xi1, #tile>
    %s = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #staged>
    tilegpu.local_store %y, %s : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #staged>
    %z = tilegpu.local_load %s : !tilegpu.buffer<64x64xf16, #staged> -> tensor<64x64xf16, #tile>
    tile.store %p, %z mask %mask : tensor<64x64x!tile.ptr<f16>, #tile>, tensor<64x64xf16, #tile>, mask tensor<64x64xi1, #tile>
    return
  }
}
