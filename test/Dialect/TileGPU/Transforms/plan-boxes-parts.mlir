// RUN: tilewright-opt %s --plan-boxes | FileCheck %s

// Warp groups store sums of four bytes in parts of some columns: boxes of one part are copied while threads store the
// next one. Here the swizzle's 128 bytes are the fewest columns, and a part needs no more shared memory than the operand.

#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#rows = #tilegpu.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]], block = [] : 64>
#rows1 = #tilegpu.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x1>
#cols = #tilegpu.layout<register = [[1], [8], [16], [32]], lane = [[2], [4], [0], [0], [0]], warp = [[0], [0]], block = [] : 64>
#cols1 = #tilegpu.layout<register = [[0, 1], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>
#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>

// CHECK-DAG: #[[ACC:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], {{.*}} : 64x64>
// CHECK-DAG: #[[PART:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = [] : 64x32>
// CHECK-LABEL: func.func @sums
// CHECK-SAME: box = [32, 64], swizzle = 128>
// CHECK: %[[DOT:.*]] = tilegpu.group_mma
// CHECK: %[[B:.*]] = tilegpu.local_alloc : <64x32xf32, #[[SHARED:.*]], 2>
// CHECK-NEXT: %[[X:.*]] = tilegpu.extract_slice %[[DOT]] from [0, 0] : tensor<64x64xf32, #[[ACC]]> -> tensor<64x32xf32, #[[PART]]>
// CHECK: %[[FIRST:.*]] = tilegpu.local_slot %[[B]][%c0{{.*}}]
// CHECK: tilegpu.local_store %[[X]], %[[FIRST]]
// CHECK-NEXT: tilegpu.box_store 0[{{.*}}] of %{{.*}} from %[[FIRST]] by_groups apart evict_first
// CHECK-NEXT: %[[Y:.*]] = tilegpu.extract_slice %[[DOT]] from [0, 32]
// CHECK: %[[SECOND:.*]] = tilegpu.local_slot %[[B]][%c1{{.*}}]
// CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %c32
// CHECK-NEXT: tilegpu.local_store %[[Y]], %[[SECOND]]
// CHECK-NEXT: tilegpu.box_store 0[%[[COLUMN]], {{.*}}] of %{{.*}} from %[[SECOND]] by_groups apart evict_first
// CHECK-NEXT: tilegpu.box_store_wait %[[B]] by_groups read
// CHECK-NOT: tile.store

// In a loop, threads store them: the copies' buffer would need memory beside the operands of the next iteration.
// CHECK-LABEL: func.func @sums_in_a_loop
// CHECK-NOT: box_store
// CHECK: tile.store

module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @sums(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %x: tensor<64x64xf32, #acc>, %z: tensor<64x64xf16, #acc>) attributes {tile.kernel} {
    %a = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #a>
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #a>
    tilegpu.local_store %z, %a : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #a>
    tilegpu.local_store %z, %b : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #a>
    %dot = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %x : !tilegpu.buffer<64x64xf16, #a> * !tilegpu.buffer<64x64xf16, #a> -> tensor<64x64xf32, #acc>
    %array = tile.splat %c : tensor<64x64x!tile.ptr<f32>, #acc>
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %m1 = tile.expand_dims %m 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %c64 = arith.constant dense<64> : tensor<64x1xi32, #rows1>
    %lines = arith.muli %m1, %c64 : tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #acc>
    %n = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %n1 = tile.expand_dims %n 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %n2 = tile.broadcast %n1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #acc>
    %offsets = arith.addi %lines2, %n2 : tensor<64x64xi32, #acc>
    %p = tile.addptr %array, %offsets : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xi32, #acc>
    tile.store %p, %dot : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>
    return
  }

  func.func @sums_in_a_loop(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %N: i32, %x: tensor<64x64xf32, #acc>, %z: tensor<64x64xf16, #acc>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %array = tile.splat %c : tensor<64x64x!tile.ptr<f32>, #acc>
    %m = tile.make_range 0 to 64 : tensor<64xi32, #rows>
    %m1 = tile.expand_dims %m 1 : tensor<64xi32, #rows> -> tensor<64x1xi32, #rows1>
    %c64 = arith.constant dense<64> : tensor<64x1xi32, #rows1>
    %lines = arith.muli %m1, %c64 : tensor<64x1xi32, #rows1>
    %lines2 = tile.broadcast %lines : tensor<64x1xi32, #rows1> -> tensor<64x64xi32, #acc>
    %n = tile.make_range 0 to 64 : tensor<64xi32, #cols>
    %n1 = tile.expand_dims %n 0 : tensor<64xi32, #cols> -> tensor<1x64xi32, #cols1>
    %n2 = tile.broadcast %n1 : tensor<1x64xi32, #cols1> -> tensor<64x64xi32, #acc>
    %offsets = arith.addi %lines2, %n2 : tensor<64x64xi32, #acc>
    %p = tile.addptr %array, %offsets : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xi32, #acc>
    scf.for %i = %c0 to %N step %c1 : i32 {
      %a = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #a>
      %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #a>
      tilegpu.local_store %z, %a : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #a>
      tilegpu.local_store %z, %b : tensor<64x64xf16, #acc> -> !tilegpu.buffer<64x64xf16, #a>
      %dot = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %x : !tilegpu.buffer<64x64xf16, #a> * !tilegpu.buffer<64x64xf16, #a> -> tensor<64x64xf32, #acc>
      tile.store %p, %dot : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>
    }
    return
  }
}
