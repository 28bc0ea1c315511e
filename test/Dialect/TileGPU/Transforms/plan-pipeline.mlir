// RUN: tilewright-opt %s --plan-pipeline | FileCheck %s

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#row = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x32>
#operand = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = [] : 64x32>
#line = #tilegpu.layout<register = [[1], [2], [4]], lane = [[8], [16], [0], [0], [0]], warp = [[0], [0]], block = [] : 32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [4, 0], [32, 0], [8, 0], [16, 0], [2, 8], [4, 16]] : 64x32>
#columns = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>
#b = #tilegpu.layout<register = [[1, 0], [8, 0], [0, 16]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = [] : 16x32>
#a16 = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = [] : 64x16>
#c = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = [] : 64x32>

module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // The load, its address and the counter of the address are in stage 0; loads from shared memory are not.
  // CHECK-LABEL: @ahead
  func.func @ahead(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %x: tensor<64x32xf16, #operand>) -> tensor<64x32xf16, #operand> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %r = tile.make_range 0 to 32 : tensor<32xi32, #tilegpu.layout<register = [[1], [2], [4]], lane = [[8], [16], [0], [0], [0]], warp = [[0], [0]], block = [] : 32>>
    %e = tile.expand_dims %r 0 : tensor<32xi32, #tilegpu.layout<register = [[1], [2], [4]], lane = [[8], [16], [0], [0], [0]], warp = [[0], [0]], block = [] : 32>> -> tensor<1x32xi32, #row>
    %i = tile.broadcast %e : tensor<1x32xi32, #row> -> tensor<64x32xi32, #rows>
    %sum:2 = scf.for %k = %c0 to %n step %c32 iter_args(%s = %x, %o = %c0) -> (tensor<64x32xf16, #operand>, i32) : i32 {
      // CHECK: tile.addptr {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
      // CHECK-NEXT: tile.splat {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
      // CHECK-NEXT: tile.addptr {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
      // CHECK-NEXT: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
      // CHECK-NEXT: local_alloc {tilegpu.schedule = #tilegpu.schedule<stage = 2, cluster = 1, partition = 0>}
      // CHECK-NEXT: local_store {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
      // CHECK-NEXT: local_load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 2, cluster = 1, partition = 0>}
      // CHECK-NEXT: arith.addf {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 2, cluster = 1, partition = 0>}
      // CHECK-NEXT: arith.addi {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
      %b = tile.addptr %p, %o : !tile.ptr<f16>, i32
      %t = tile.splat %b : tensor<64x32x!tile.ptr<f16>, #rows>
      %q = tile.addptr %t, %i : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      %d = arith.addf %s, %a : tensor<64x32xf16, #operand>
      %u = arith.addi %o, %c32 : i32
      scf.yield %d, %u : tensor<64x32xf16, #operand>, i32
    }
    return %sum#0 : tensor<64x32xf16, #operand>
  }

  // Prints and accesses to other buffers do not conflict with the load. Divisions are in stage 0, to be guarded.
  // CHECK-LABEL: @besides
  func.func @besides(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %z: tensor<64x32xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    // CHECK: arith.divsi {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    // CHECK: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    scf.for %k = %c0 to %n step %c32 : i32 {
      %rest = arith.subi %n, %k : i32
      %o = arith.divsi %n, %rest : i32
      %t = tile.splat %o : tensor<64x32xi32, #rows>
      %q = tile.addptr %p, %t : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      %b = tilegpu.local_alloc : !buffer
      tilegpu.local_store %z, %b : tensor<64x32xf16, #rows> -> !buffer
      tile.print ["k", ""] ["d"] (%k : i32)
    }
    return
  }

  // An operation with an effect on all memory, or an unknown one, prevents pipelining wherever it is.
  // CHECK-LABEL: @fences
  func.func @fences(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %c: i1, %count: !tile.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    // CHECK-NOT: tilegpu.schedule
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      scf.if %c {
        tile.barrier
      }
    }
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      tile.assert %c, "c" : i1
    }
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      func.call @somewhere() : () -> ()
    }
    // CHECK: return
    return
  }

  // An address computed from loaded values is computed ahead, if the loop does not write these.
  // CHECK-LABEL: @indirect
  func.func @indirect(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %table: !tile.ptr<i32> {tile.noalias}, %out: !tile.ptr<i32> {tile.noalias}) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    // CHECK: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>} : !tile.ptr<i32> -> i32
    // CHECK: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>} : tensor
    // CHECK: tilegpu.local_load
    scf.for %k = %c0 to %n step %c32 : i32 {
      %o = tile.load %table : !tile.ptr<i32> -> i32
      %t = tile.splat %o : tensor<64x32xi32, #rows>
      %q = tile.addptr %p, %t : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
    }
    // CHECK: scf.for
    // CHECK-NOT: tilegpu.schedule
    scf.for %k = %c0 to %n step %c32 : i32 {
      %o = tile.load %table : !tile.ptr<i32> -> i32
      %t = tile.splat %o : tensor<64x32xi32, #rows>
      %q = tile.addptr %p, %t : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      tile.store %table, %k : !tile.ptr<i32>, i32
    }
    scf.for %k = %c0 to %n step %c32 : i32 {
      %o = tile.load %table volatile : !tile.ptr<i32> -> i32
      %t = tile.splat %o : tensor<64x32xi32, #rows>
      %q = tile.addptr %p, %t : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
    }
    // CHECK: return
    return
  }

  func.func private @somewhere()

  // Not pipelined: one stage; single elements of two bytes, as the buffer has the other order; a store that may alias
  // the load.
  // CHECK-LABEL: @stays
  func.func @stays(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %z: tensor<64x32xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    // CHECK-NOT: tilegpu.schedule
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
    } {tile.num_stages = 1 : i32}
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #columns>
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !tilegpu.buffer<64x32xf16, #columns>
      %a = tilegpu.local_load %m : !tilegpu.buffer<64x32xf16, #columns> -> tensor<64x32xf16, #operand>
    }
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      tile.store %p, %z : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xf16, #rows>
    }
    // CHECK: return
    return
  }

  // If a dot remains after the last load of copied data, the first dot's operands are loaded an iteration ahead.
  // CHECK-LABEL: @productsAhead
  func.func @productsAhead(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %b: tensor<16x32xf16, #b>, %x: tensor<64x32xf32, #c>) -> tensor<64x32xf32, #c> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    // CHECK: scf.for
    // CHECK-NEXT: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 2, partition = 0>}
    // CHECK-NEXT: local_alloc {tilegpu.schedule = #tilegpu.schedule<stage = 3, cluster = 0, partition = 0>}
    // CHECK-NEXT: local_store {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 2, partition = 0>}
    // CHECK-NEXT: local_load {{.*}} from [0, 0] {tilegpu.schedule = #tilegpu.schedule<stage = 2, cluster = 1, partition = 0>}
    // CHECK-NEXT: local_load {{.*}} from [0, 16] {tilegpu.schedule = #tilegpu.schedule<stage = 3, cluster = 0, partition = 0>}
    // CHECK-NEXT: mma {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 3, cluster = 0, partition = 0>}
    // CHECK-NEXT: mma {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 3, cluster = 3, partition = 0>}
    %sum = scf.for %k = %c0 to %n step %c32 iter_args(%s = %x) -> (tensor<64x32xf32, #c>) : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a0 = tilegpu.local_load %m from [0, 0] : !buffer -> tensor<64x16xf16, #a16>
      %a1 = tilegpu.local_load %m from [0, 16] : !buffer -> tensor<64x16xf16, #a16>
      %s0 = tilegpu.mma "m16n8k16.f16.f16.f32" %a0, %b, %s : tensor<64x16xf16, #a16> * tensor<16x32xf16, #b> -> tensor<64x32xf32, #c>
      %s1 = tilegpu.mma "m16n8k16.f16.f16.f32" %a1, %b, %s0 : tensor<64x16xf16, #a16> * tensor<16x32xf16, #b> -> tensor<64x32xf32, #c>
      scf.yield %s1 : tensor<64x32xf32, #c>
    }
    // CHECK: scf.for
    // CHECK: local_load {{.*}} from [0, 0] {tilegpu.schedule = #tilegpu.schedule<stage = 2, cluster = 1, partition = 0>}
    // CHECK: mma {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 2, cluster = 1, partition = 0>}
    // CHECK: local_load {{.*}} from [0, 16] {tilegpu.schedule = #tilegpu.schedule<stage = 2, cluster = 1, partition = 0>}
    %last = scf.for %k = %c0 to %n step %c32 iter_args(%s = %sum) -> (tensor<64x32xf32, #c>) : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a0 = tilegpu.local_load %m from [0, 0] : !buffer -> tensor<64x16xf16, #a16>
      %s0 = tilegpu.mma "m16n8k16.f16.f16.f32" %a0, %b, %s : tensor<64x16xf16, #a16> * tensor<16x32xf16, #b> -> tensor<64x32xf32, #c>
      %a1 = tilegpu.local_load %m from [0, 16] : !buffer -> tensor<64x16xf16, #a16>
      tile.print ["a", ""] [""] (%a1 : tensor<64x16xf16, #a16>)
      scf.yield %s0 : tensor<64x32xf32, #c>
    }
    return %last : tensor<64x32xf32, #c>
  }

  // Loads are not moved across atomics that acquire or release; relaxed ones do not prevent it.
  // CHECK-LABEL: @orderedByAtomics
  func.func @orderedByAtomics(%base: !tile.ptr<f16> {tile.noalias, tile.divisibility = 16 : i32}, %q: !tile.ptr<i32> {tile.noalias}, %n: i32, %z: tensor<64x32xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %r = tile.make_range 0 to 32 : tensor<32xi32, #line>
    %e = tile.expand_dims %r 0 : tensor<32xi32, #line> -> tensor<1x32xi32, #row>
    %i = tile.broadcast %e : tensor<1x32xi32, #row> -> tensor<64x32xi32, #rows>
    %t = tile.splat %base : tensor<64x32x!tile.ptr<f16>, #rows>
    %p = tile.addptr %t, %i : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
    // CHECK-NOT: tilegpu.schedule
    // CHECK: release
    scf.for %k = %c0 to %n step %c32 : i32 {
      %0 = tile.atomic_rmw #tile.rmw<add> %q, %k {sem = #tile.sem<acquire>} : !tile.ptr<i32>, i32
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
    }
    scf.for %k = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      %0 = tile.atomic_cas %q, %k, %k {sem = #tile.sem<release>} : !tile.ptr<i32>, i32
    }
    // CHECK: scf.for
    // CHECK-NEXT: atomic_rmw
    // CHECK-NEXT: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    scf.for %k = %c0 to %n step %c32 : i32 {
      %0 = tile.atomic_rmw #tile.rmw<add> %q, %k {sem = #tile.sem<relaxed>} : !tile.ptr<i32>, i32
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
    }
    tile.store %p, %z : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xf16, #rows>
    return
  }

  // Loads from memory that no program writes may move anywhere.
  // CHECK-LABEL: @readOnlyPastAtomics
  func.func @readOnlyPastAtomics(%base: !tile.ptr<f16> {tile.noalias, tile.divisibility = 16 : i32}, %q: !tile.ptr<i32> {tile.noalias}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %r = tile.make_range 0 to 32 : tensor<32xi32, #line>
    %e = tile.expand_dims %r 0 : tensor<32xi32, #line> -> tensor<1x32xi32, #row>
    %i = tile.broadcast %e : tensor<1x32xi32, #row> -> tensor<64x32xi32, #rows>
    %t = tile.splat %base : tensor<64x32x!tile.ptr<f16>, #rows>
    %p = tile.addptr %t, %i : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
    // CHECK: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    scf.for %k = %c0 to %n step %c32 : i32 {
      %0 = tile.atomic_rmw #tile.rmw<add> %q, %k : !tile.ptr<i32>, i32
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
    }
    return
  }

  // Copies of an outer loop need 3 slots of 4 KiB beside those of the inner one, and other loops 8 KiB, of 227 KiB. If
  // that is too little, they are only made where the user asks for stages.
  // CHECK-LABEL: @outer
  func.func @outer(%base: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %r = tile.make_range 0 to 32 : tensor<32xi32, #line>
    %e = tile.expand_dims %r 0 : tensor<32xi32, #line> -> tensor<1x32xi32, #row>
    %i = tile.broadcast %e : tensor<1x32xi32, #row> -> tensor<64x32xi32, #rows>
    %t = tile.splat %base : tensor<64x32x!tile.ptr<f16>, #rows>
    %p = tile.addptr %t, %i : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
    // CHECK: scf.for
    // CHECK-NEXT: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    // CHECK: tile.num_stages = 51
    // CHECK: scf.for
    // CHECK-NEXT: tile.load
    // CHECK-NOT: tilegpu.schedule
    // CHECK: scf.for
    // CHECK-NEXT: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    // CHECK: tile.num_stages = 54
    // CHECK: scf.for
    // CHECK-NEXT: tile.load {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    // CHECK: tile.num_stages = 54
    // CHECK: tile.num_stages = 3
    scf.for %j = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      scf.for %k = %c0 to %n step %c32 : i32 {
        %z = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
        %l = tilegpu.local_alloc : !buffer
        tilegpu.local_store %z, %l : tensor<64x32xf16, #rows> -> !buffer
        %b = tilegpu.local_load %l : !buffer -> tensor<64x32xf16, #operand>
      } {tile.num_stages = 51 : i32}
    }
    scf.for %j = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      scf.for %k = %c0 to %n step %c32 : i32 {
        %z = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
        %l = tilegpu.local_alloc : !buffer
        tilegpu.local_store %z, %l : tensor<64x32xf16, #rows> -> !buffer
        %b = tilegpu.local_load %l : !buffer -> tensor<64x32xf16, #operand>
      } {tile.num_stages = 54 : i32}
    }
    scf.for %j = %c0 to %n step %c32 : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      scf.for %k = %c0 to %n step %c32 : i32 {
        %z = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
        %l = tilegpu.local_alloc : !buffer
        tilegpu.local_store %z, %l : tensor<64x32xf16, #rows> -> !buffer
        %b = tilegpu.local_load %l : !buffer -> tensor<64x32xf16, #operand>
      } {tile.num_stages = 54 : i32}
    } {tile.num_stages = 3 : i32}
    return
  }
}
