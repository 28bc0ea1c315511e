// RUN: tilewright-opt %s --plan-boxes | FileCheck %s

// Relaxed atomics whose results are not used become reductions of boxes.

#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#rows = #tilegpu.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]], block = [] : 64>
#rows1 = #tilegpu.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x1>
#cols = #tilegpu.layout<register = [[1], [8], [16], [32]], lane = [[2], [4], [0], [0], [0]], warp = [[0], [0]], block = [] : 64>
#cols1 = #tilegpu.layout<register = [[0, 1], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>
#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>

// CHECK-LABEL: func.func @relaxed
// CHECK: %[[B:.*]] = tilegpu.local_alloc : <64x32xf32, #{{.*}}, 2>
// CHECK: tilegpu.box_store 0[{{.*}}] of %{{.*}} from %{{.*}} by_groups apart reduce <fadd> :
// CHECK: tilegpu.box_store 0[{{.*}}] of %{{.*}} from %{{.*}} by_groups apart reduce <fadd> :
// CHECK-NEXT: tilegpu.box_store_wait %[[B]] by_groups read
// CHECK-NOT: tile.atomic_rmw

// Its order with other accesses is not promised by the copy.
// CHECK-LABEL: func.func @acquires
// CHECK-NOT: box_store
// CHECK: tile.atomic_rmw

// Other devices see it.
// CHECK-LABEL: func.func @of_the_system
// CHECK-NOT: box_store
// CHECK: tile.atomic_rmw

// CHECK-LABEL: func.func @exchange
// CHECK-NOT: box_store
// CHECK: tile.atomic_rmw

// A later atomic that does not release may follow, and one that does may not.
// CHECK-LABEL: func.func @then_relaxed
// CHECK: box_store
// CHECK-LABEL: func.func @then_released
// CHECK-NOT: box_store

module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @relaxed(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %x: tensor<64x64xf32, #acc>, %z: tensor<64x64xf16, #acc>) attributes {tile.kernel} {
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
    %old = tile.atomic_rmw #tile.rmw<fadd> %p, %dot {scope = #tile.scope<gpu>, sem = #tile.sem<relaxed>} : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>
    return
  }

  func.func @acquires(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %x: tensor<64x64xf32, #acc>, %z: tensor<64x64xf16, #acc>) attributes {tile.kernel} {
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
    %old = tile.atomic_rmw #tile.rmw<fadd> %p, %dot {scope = #tile.scope<gpu>, sem = #tile.sem<acquire>} : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>
    return
  }

  func.func @of_the_system(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %x: tensor<64x64xf32, #acc>, %z: tensor<64x64xf16, #acc>) attributes {tile.kernel} {
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
    %old = tile.atomic_rmw #tile.rmw<fadd> %p, %dot {scope = #tile.scope<sys>, sem = #tile.sem<relaxed>} : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>
    return
  }

  func.func @exchange(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %x: tensor<64x64xf32, #acc>, %z: tensor<64x64xf16, #acc>) attributes {tile.kernel} {
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
    %old = tile.atomic_rmw #tile.rmw<xchg> %p, %dot {scope = #tile.scope<gpu>, sem = #tile.sem<relaxed>} : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>
    return
  }

  func.func @then_relaxed(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.noalias, tile.slot = 0 : i32}, %d: !tile.ptr<f32> {tile.noalias, tile.slot = 1 : i32}, %x: tensor<64x64xf32, #acc>, %z: tensor<64x64xf16, #acc>) attributes {tile.kernel} {
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
    %old = tile.atomic_rmw #tile.rmw<fadd> %p, %dot {scope = #tile.scope<gpu>, sem = #tile.sem<relaxed>} : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>
    %one = arith.constant 1.0 : f32
    %count = tile.atomic_rmw #tile.rmw<fadd> %d, %one {sem = #tile.sem<relaxed>} : !tile.ptr<f32>, f32
    return
  }

  func.func @then_released(%c: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.noalias, tile.slot = 0 : i32}, %d: !tile.ptr<f32> {tile.noalias, tile.slot = 1 : i32}, %x: tensor<64x64xf32, #acc>, %z: tensor<64x64xf16, #acc>) attributes {tile.kernel} {
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
    %old = tile.atomic_rmw #tile.rmw<fadd> %p, %dot {scope = #tile.scope<gpu>, sem = #tile.sem<relaxed>} : tensor<64x64x!tile.ptr<f32>, #acc>, tensor<64x64xf32, #acc>
    %one = arith.constant 1.0 : f32
    %count = tile.atomic_rmw #tile.rmw<fadd> %d, %one {sem = #tile.sem<release>} : !tile.ptr<f32>, f32
    return
  }
}
