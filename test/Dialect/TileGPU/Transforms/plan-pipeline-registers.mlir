// RUN: tilewright-opt %s --plan-pipeline | FileCheck %s
// RUN: tilewright-opt %s --plan-pipeline=through-registers=false | FileCheck %s --check-prefix=WITHOUT

// Without asynchronous copies, loads for shared memory are started an iteration ahead into registers.

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x32>
#columns = #tilegpu.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>

// WITHOUT-NOT: tilegpu.schedule
// WITHOUT-NOT: tilegpu.kept_slots

module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "gfx942"} {
  // What masked elements get is computed ahead, too, and others may use the loaded values. A second slot fits.
  //
  // CHECK-LABEL: @ahead
  func.func @ahead(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %m: tensor<64x32xi1, #rows>, %n: i32, %x: tensor<64x32xf16, #rows>) -> (tensor<64x32xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    // CHECK: arith.sitofp {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    // CHECK-NEXT: tile.splat {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    // CHECK-NEXT: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    // CHECK-NEXT: local_alloc {tilegpu.schedule = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>}
    // CHECK-NEXT: local_store {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 2, partition = 0>}
    // CHECK-NEXT: local_load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>}
    // CHECK-NEXT: arith.addf {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>}
    // CHECK: tilegpu.kept_slots = 1
    %sum = scf.for %k = %c0 to %n step %c32 iter_args(%s = %x) -> (tensor<64x32xf16, #rows>) : i32 {
      %f = arith.sitofp %k : i32 to f16
      %other = tile.splat %f : tensor<64x32xf16, #rows>
      %y = tile.load %p mask %m other %other contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows>, mask tensor<64x32xi1, #rows>, other tensor<64x32xf16, #rows> -> tensor<64x32xf16, #rows>
      %b = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %b : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %b : !buffer -> tensor<64x32xf16, #columns>
      %t = arith.addf %s, %y : tensor<64x32xf16, #rows>
      scf.yield %t : tensor<64x32xf16, #rows>
    }
    return %sum : tensor<64x32xf16, #rows>
  }

  // A second slot would take the room of another program on the multiprocessor: 28 KiB and two of 4 KiB are more than half.
  //
  // CHECK-LABEL: @one_slot
  // CHECK: local_store {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 2, partition = 0>}
  // CHECK-NOT: tilegpu.kept_slots
  // CHECK: return
  func.func @one_slot(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %z: tensor<64x32xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %other = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #shared, 7>
    %slot = tilegpu.local_slot %other[%c0] : !tilegpu.buffer<64x32xf16, #shared, 7> -> !buffer
    tilegpu.local_store %z, %slot : tensor<64x32xf16, #rows> -> !buffer
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %b = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %b : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %b : !buffer -> tensor<64x32xf16, #columns>
      %c = tilegpu.local_load %slot : !buffer -> tensor<64x32xf16, #columns>
    }
    return
  }

  // Loops with loops in them, and memory that the loop writes.
  //
  // CHECK-LABEL: @others
  // CHECK-NOT: tilegpu.schedule
  // CHECK: return
  func.func @others(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %c: tensor<64x32xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %b = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %b : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %b : !buffer -> tensor<64x32xf16, #columns>
      scf.for %j = %c0 to %k step %c32 : i32 {
        tile.print ["j", ""] ["d"] (%j : i32)
      }
    }
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %b = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %b : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %b : !buffer -> tensor<64x32xf16, #columns>
      tile.store %p, %c contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xf16, #rows>
    }
    return
  }
}
