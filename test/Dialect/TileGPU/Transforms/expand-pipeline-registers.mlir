// RUN: tilewright-opt %s --expand-pipeline | FileCheck %s

// Without asynchronous copies, registers hold what the next iteration reads from shared memory.

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x32>
#columns = #tilegpu.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>
#load = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>
#use = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>
#store = #tilegpu.schedule<stage = 0, cluster = 2, partition = 0>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "gfx942"} {
  // CHECK-LABEL: @one_slot
  // CHECK: %[[BUFFER:.*]] = tilegpu.local_alloc : <64x32xf16, #shared>
  // CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask %{{.*}} other %{{.*}} contiguity
  // CHECK: tilegpu.local_store %[[FIRST]]
  // CHECK: scf.for
  // CHECK: tile.splat %{{.*}} : tensor<64x32xi1
  // CHECK: %[[MASK:.*]] = arith.andi
  // CHECK: %[[NEXT:.*]] = tile.load %{{.*}} mask %[[MASK]] other %{{.*}} contiguity
  // CHECK: tilegpu.local_load
  // CHECK: tilegpu.local_store %[[NEXT]]
  // CHECK-NOT: tilegpu.async
  // CHECK: return
  func.func @one_slot(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %m: tensor<64x32xi1, #rows>, %o: tensor<64x32xf16, #rows>, %n: i32, %x: tensor<64x32xf16, #columns>) -> tensor<64x32xf16, #columns> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<64x32xf16, #columns>) : i32 {
      %y = tile.load %p mask %m other %o contiguity [1, 32] width [1, 8] {tilegpu.schedule = #load} : tensor<64x32x!tile.ptr<f16>, #rows>, mask tensor<64x32xi1, #rows>, other tensor<64x32xf16, #rows> -> tensor<64x32xf16, #rows>
      %b = tilegpu.local_alloc {tilegpu.schedule = #use} : !buffer
      tilegpu.local_store %y, %b {tilegpu.schedule = #store} : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %b {tilegpu.schedule = #use} : !buffer -> tensor<64x32xf16, #columns>
      %t = arith.addf %s, %a {tilegpu.schedule = #use} : tensor<64x32xf16, #columns>
      scf.yield %t : tensor<64x32xf16, #columns>
    }
    return %sum : tensor<64x32xf16, #columns>
  }

  // Another use of the loaded tile gets the value that the previous iteration has loaded.
  //
  // CHECK-LABEL: @two_slots
  // CHECK: tilegpu.local_alloc : <64x32xf16, #shared, 2>
  // CHECK: %[[FIRST:.*]] = tile.load
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, {{.*}}, %[[CARRIED:.*]] = %[[FIRST]])
  // CHECK: %[[NEXT:.*]] = tile.load
  // CHECK: arith.addf %{{.*}}, %[[CARRIED]]
  // CHECK: tilegpu.local_store %[[NEXT]]
  // CHECK: scf.yield {{.*}}, %[[NEXT]]
  func.func @two_slots(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %x: tensor<64x32xf16, #rows>) -> tensor<64x32xf16, #rows> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<64x32xf16, #rows>) : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] {tilegpu.schedule = #load} : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %b = tilegpu.local_alloc {tilegpu.schedule = #use} : !buffer
      tilegpu.local_store %y, %b {tilegpu.schedule = #store} : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %b {tilegpu.schedule = #use} : !buffer -> tensor<64x32xf16, #columns>
      %t = arith.addf %s, %y {tilegpu.schedule = #use} : tensor<64x32xf16, #rows>
      scf.yield %t : tensor<64x32xf16, #rows>
    } {tilegpu.kept_slots = 1 : i64}
    return %sum : tensor<64x32xf16, #rows>
  }

  // A store that precedes the reads of the previous iteration's data needs a second slot.
  //
  // CHECK-LABEL: @store_first
  // CHECK: tilegpu.local_alloc : <64x32xf16, #shared, 2>
  func.func @store_first(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] {tilegpu.schedule = #load} : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %b = tilegpu.local_alloc {tilegpu.schedule = #use} : !buffer
      tilegpu.local_store %y, %b {tilegpu.schedule = #load} : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %b {tilegpu.schedule = #use} : !buffer -> tensor<64x32xf16, #columns>
    }
    return
  }
}
