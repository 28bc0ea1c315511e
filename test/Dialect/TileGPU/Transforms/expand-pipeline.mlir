// RUN: tilewright-opt %s --plan-pipeline --expand-pipeline --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --plan-pipeline --expand-pipeline --canonicalize --cse --allocate-shared --insert-barriers | FileCheck %s --check-prefix=BARRIERS

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#operand = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [4, 0], [32, 0], [8, 0], [16, 0], [2, 8], [4, 16]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>
#b = #tilegpu.layout<register = [[1, 0], [8, 0], [0, 16]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = [] : 16x32>
#a16 = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = [] : 64x16>
#c = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = [] : 64x32>


module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // Two copies before the loop, masked by the existence of their iterations, and in the loop a copy two iterations
  // ahead. The offset that only the address needs is carried ahead; the mask uses the induction variable plus two
  // iterations.
  // CHECK-LABEL: @masked
  // CHECK-SAME: %[[N:arg[0-9]+]]: i32
  // BARRIERS-LABEL: @masked
  func.func @masked(%p: tensor<64x32x!tile.ptr<f16>, #rows>,
                    %n: i32, %x: tensor<64x32xf16, #operand>) -> tensor<64x32xf16, #operand> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
    // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
    // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
    // CHECK-DAG: %[[EVEN:.*]] = arith.constant false
    // CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i32
    // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i32
    // CHECK: %[[B:.*]] = tilegpu.local_alloc : <64x32xf16, #{{.*}}, 3>
    // CHECK: %[[FIRST:.*]] = arith.cmpi sgt, %[[N]], %[[C0]]
    // CHECK: %[[TO0:.*]] = tilegpu.local_slot %[[B]][%[[C0]] phase %[[EVEN]]]
    // CHECK: %[[M0:.*]] = tile.splat %[[FIRST]]
    // CHECK: %[[A0:.*]] = arith.andi %{{.*}}, %[[M0]]
    // CHECK: %[[COPY0:.*]] = tilegpu.async_copy %{{.*}}, %[[TO0]] mask %[[A0]]
    // CHECK: %[[T0:.*]] = tilegpu.async_commit of %[[COPY0]]
    // CHECK: tilegpu.local_slot %[[B]][%[[C1]] phase %[[EVEN]]]
    // CHECK: %[[COPY1:.*]] = tilegpu.async_copy
    // CHECK: %[[T1:.*]] = tilegpu.async_commit of %[[COPY1]]
    // CHECK: %[[RESULTS:.*]]:8 = scf.for %[[K:.*]] = %[[C0]] to %[[N]] step %[[C32]] iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[C64]], %[[W:.*]] = %[[C2]], %[[WP:.*]] = %[[EVEN]], %[[R:.*]] = %[[C0]], %[[RP:.*]] = %[[EVEN]], %[[OLDER:.*]] = %[[T0]], %[[NEWER:.*]] = %[[T1]])
    // CHECK: %[[END:.*]] = arith.subi %[[N]], %[[C64]]
    // CHECK: %[[THIRD:.*]] = arith.cmpi slt, %[[K]], %[[END]]
    // CHECK: %[[DONE:.*]] = tilegpu.async_wait %[[OLDER]]
    // CHECK: %[[AHEAD:.*]] = arith.addi %[[K]], %[[C64]]
    // CHECK: %[[REST:.*]] = arith.subi %[[N]], %[[AHEAD]]
    // CHECK: %[[TO:.*]] = tilegpu.local_slot %[[B]][%[[W]] phase %[[WP]]]
    // CHECK: %[[COPY:.*]] = tilegpu.async_copy %{{.*}}, %[[TO]] mask
    // CHECK: %[[TOKEN:.*]] = tilegpu.async_commit of %[[COPY]]
    // CHECK: %[[W2:.*]], %[[WP2:.*]] = tilegpu.ring_next %[[W]], %[[WP]] of 3
    // CHECK: %[[FROM:.*]] = tilegpu.local_slot %[[B]][%[[R]] phase %[[RP]]]
    // CHECK: tilegpu.local_load %[[FROM]] after %[[DONE]]
    // CHECK: %[[R2:.*]], %[[RP2:.*]] = tilegpu.ring_next %[[R]], %[[RP]] of 3
    // CHECK: scf.yield {{.*}}, %[[W2]], %[[WP2]], %[[R2]], %[[RP2]], %[[NEWER]], %[[TOKEN]] :
    // CHECK: tilegpu.async_wait %[[RESULTS]]#6, %[[RESULTS]]#7
    // BARRIERS-NOT: barrier
    // BARRIERS: scf.for
    // BARRIERS: async_wait
    // BARRIERS: barrier
    // BARRIERS: async_copy
    // BARRIERS: async_commit
    // BARRIERS: local_load
    // BARRIERS-NOT: barrier
    // BARRIERS: return
    %sum:2 = scf.for %k = %c0 to %n step %c32 iter_args(%s = %x, %o = %c0) -> (tensor<64x32xf16, #operand>, i32) : i32 {
      %t = tile.splat %o : tensor<64x32xi32, #rows>
      %q = tile.addptr %p, %t : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %rest = arith.subi %n, %k : i32
      %inside = arith.cmpi sgt, %rest, %c32 : i32
      %mask = tile.splat %inside : tensor<64x32xi1, #rows>
      %y = tile.load %q mask %mask contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows>, mask tensor<64x32xi1, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      %d = arith.addf %s, %a : tensor<64x32xf16, #operand>
      %u = arith.addi %o, %c32 : i32
      scf.yield %d, %u : tensor<64x32xf16, #operand>, i32
    }
    return %sum#0 : tensor<64x32xf16, #operand>
  }

  // Where the index may be at the ends of its type, the distance to the end tells whether an iteration exists, which
  // has no sign: a sum or difference could wrap.
  // CHECK-LABEL: @at_the_ends
  // CHECK-SAME: %[[FROM:arg[0-9]+]]: i32, %[[N:arg[0-9]+]]: i32
  // BARRIERS-LABEL: @at_the_ends
  func.func @at_the_ends(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %first: i32, %n: i32, %x: tensor<64x32xf16, #operand>) -> tensor<64x32xf16, #operand> {
    // CHECK-DAG: %[[STEP:.*]] = arith.constant 1 : i32
    // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
    // CHECK-DAG: %[[LEFT:.*]] = arith.subi %[[N]], %[[FROM]]
    // CHECK-DAG: %[[ANY:.*]] = arith.cmpi slt, %[[FROM]], %[[N]]
    // CHECK: tilegpu.async_copy
    // CHECK: %[[SECOND:.*]] = arith.cmpi ugt, %[[LEFT]], %[[STEP]]
    // CHECK: %[[BOTH:.*]] = arith.andi %[[ANY]], %[[SECOND]]
    // CHECK: tile.splat %[[BOTH]]
    // CHECK: tilegpu.async_copy
    // CHECK: scf.for %[[K:.*]] = %[[FROM]] to %[[N]]
    // CHECK: %[[REST:.*]] = arith.subi %[[N]], %[[K]]
    // CHECK: %[[THIRD:.*]] = arith.cmpi ugt, %[[REST]], %[[TWO]]
    // CHECK: tile.splat %[[THIRD]]
    // CHECK: tilegpu.async_copy
    %c1 = arith.constant 1 : i32
    %sum = scf.for %k = %first to %n step %c1 iter_args(%s = %x) -> (tensor<64x32xf16, #operand>) : i32 {
      %t = tile.splat %k : tensor<64x32xi32, #rows>
      %q = tile.addptr %p, %t : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      %d = arith.addf %s, %a : tensor<64x32xf16, #operand>
      scf.yield %d : tensor<64x32xf16, #operand>
    }
    return %sum : tensor<64x32xf16, #operand>
  }

  // A division for an iteration that does not exist divides by 1; a constant divisor needs no guard.
  // CHECK-LABEL: @divisions
  // CHECK-SAME: %[[N:arg[0-9]+]]: i32
  func.func @divisions(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %x: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    // CHECK: %[[FIRST:.*]] = arith.cmpi sgt, %[[N]], %{{.*}}
    // CHECK: %[[SAFE:.*]] = arith.select %[[FIRST]], %{{.*}}, %[[C1:.*]] : i32
    // CHECK: arith.divsi %{{.*}}, %[[SAFE]]
    // CHECK-NOT: arith.select %[[FIRST]]
    // CHECK: async_copy
    // CHECK: scf.for
    // CHECK: %[[EXISTS:.*]] = arith.cmpi slt
    // CHECK: %[[REST:.*]] = arith.subi %[[N]]
    // CHECK: %[[SAFE:.*]] = arith.select %[[EXISTS]], %[[REST]], %[[C1]] : i32
    // CHECK: arith.divsi %{{.*}}, %[[SAFE]]
    // CHECK-NOT: arith.select %[[EXISTS]]
    // CHECK: async_copy
    scf.for %k = %c0 to %n step %c1 : i32 {
      %rest = arith.subi %n, %k : i32
      %quotient = arith.divsi %x, %rest : i32
      %o = arith.remui %quotient, %c32 : i32
      %t = tile.splat %o : tensor<64x32xi32, #rows>
      %q = tile.addptr %p, %t : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      tile.print ["a", ""] [""] (%a : tensor<64x32xf16, #operand>)
    } {tile.num_stages = 2 : i32}
    return
  }

  // Operations that both parts need are in both: the offset is carried twice, once ahead.
  // CHECK-LABEL: @both
  func.func @both(%p: tensor<64x32x!tile.ptr<f16>, #rows>,
                  %n: i32, %step: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %[[S:.*]]:9 = scf.for {{.*}} iter_args(%[[LATE:arg[0-9]+]] = %{{[^,]*}}, %[[EARLY:arg[0-9]+]] = %{{[^,]*}}, %
    // CHECK: tile.splat %[[EARLY]]
    // CHECK: async_copy
    // CHECK: %[[OFFSET:.*]] = tile.splat %[[LATE]]
    // CHECK: tile.print ["offset ", " ", ""] ["d", ""](%[[OFFSET]]
    // CHECK: return %[[S]]#0
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%o = %c0) -> i32 : i32 {
      %t = tile.splat %o : tensor<64x32xi32, #rows>
      %q = tile.addptr %p, %t : tensor<64x32x!tile.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
      %offset = tile.splat %o : tensor<64x32xi32, #operand>
      tile.print ["offset ", " ", ""] ["d", ""] (%offset, %a : tensor<64x32xi32, #operand>, tensor<64x32xf16, #operand>)
      %u = arith.muli %o, %step : i32
      scf.yield %u : i32
    } {tile.num_stages = 4 : i32}
    return %last : i32
  }

  // The first dot's operand is loaded before the last dot of the previous iteration. The slot that this iteration has
  // read is copied into after all threads have read it: one barrier suffices.
  // CHECK-LABEL: @early
  // BARRIERS-LABEL: @early
  func.func @early(%p: tensor<64x32x!tile.ptr<f16>, #rows>,
                   %n: i32, %b: tensor<16x32xf16, #b>, %x: tensor<64x32xf32, #c>) -> tensor<64x32xf32, #c> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %[[B:.*]] = tilegpu.local_alloc : <64x32xf16, #{{.*}}, 3>
    // CHECK-COUNT-2: tilegpu.async_commit
    // CHECK: %[[DONE:.*]] = tilegpu.async_wait
    // CHECK: %[[READ:.*]] = tilegpu.local_load %{{.*}} from [0, 0] after %[[DONE]]
    // CHECK: tilegpu.async_copy
    // CHECK: tilegpu.async_commit
    // CHECK: scf.for {{.*}} iter_args({{.*}}%[[LAST:arg[0-9]+]] = %[[DONE]]{{.*}}%[[FIRST:arg[0-9]+]] = %[[READ]]
    // CHECK: %[[SECOND:.*]] = tilegpu.local_load %{{.*}} from [0, 16] after %[[LAST]]
    // CHECK: %[[SUM:.*]] = tilegpu.mma "m16n8k16.f16.f16.f32" %[[FIRST]],
    // CHECK: %[[THIS:.*]] = tilegpu.async_wait
    // CHECK: %[[NEXT:.*]] = tilegpu.local_slot %[[B]][%{{.*}}]
    // CHECK: tilegpu.local_load %[[NEXT]] from [0, 0] after %[[THIS]]
    // CHECK: %[[COPIED:.*]] = tilegpu.local_slot %[[B]][%{{.*}}]
    // CHECK: tilegpu.async_copy %{{.*}}, %[[COPIED]]
    // CHECK: tilegpu.async_commit
    // CHECK: tilegpu.mma "m16n8k16.f16.f16.f32" %[[SECOND]], %{{.*}}, %[[SUM]]
    // CHECK: scf.yield
    // CHECK: tilegpu.async_wait
    // BARRIERS: async_wait
    // BARRIERS: barrier
    // BARRIERS: scf.for
    // BARRIERS-NOT: barrier
    // BARRIERS: async_wait
    // BARRIERS: barrier
    // BARRIERS: local_load
    // BARRIERS-NOT: barrier
    // BARRIERS: async_copy
    // BARRIERS-NOT: barrier
    // BARRIERS: return
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<64x32xf32, #c>) : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %a0 = tilegpu.local_load %m from [0, 0] : !buffer -> tensor<64x16xf16, #a16>
      %a1 = tilegpu.local_load %m from [0, 16] : !buffer -> tensor<64x16xf16, #a16>
      %s0 = tilegpu.mma "m16n8k16.f16.f16.f32" %a0, %b, %s : tensor<64x16xf16, #a16> * tensor<16x32xf16, #b> -> tensor<64x32xf32, #c>
      %s1 = tilegpu.mma "m16n8k16.f16.f16.f32" %a1, %b, %s0 : tensor<64x16xf16, #a16> * tensor<16x32xf16, #b> -> tensor<64x32xf32, #c>
      scf.yield %s1 : tensor<64x32xf32, #c>
    }
    return %sum : tensor<64x32xf32, #c>
  }

  // Threads read what they have copied themselves before they copy the next data to the same slot: with 4 stages there
  // are 3 slots, and no barrier.
  // CHECK-LABEL: @own
  // BARRIERS-LABEL: @own
  // BARRIERS-NOT: barrier
  // BARRIERS: return
  func.func @own(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %zero: tensor<64x32xf16, #rows>) -> tensor<64x32xf16, #rows> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %[[B:.*]] = tilegpu.local_alloc : <64x32xf16, #{{.*}}, 3>
    // CHECK-COUNT-3: tilegpu.async_commit
    // CHECK: scf.for
    // CHECK: %[[DONE:.*]] = tilegpu.async_wait
    // CHECK: tilegpu.local_load %{{.*}} own after %[[DONE]]
    // CHECK: tilegpu.async_copy
    // CHECK: tilegpu.async_commit
    // CHECK: arith.addf
    // CHECK: scf.yield
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x32xf16, #rows>) : i32 {
      %y = tile.load %p contiguity [1, 32] width [1, 8] : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
      %m = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %m : tensor<64x32xf16, #rows> -> !buffer
      %x = tilegpu.local_load %m own : !buffer -> tensor<64x32xf16, #rows>
      %e = arith.addf %s, %x : tensor<64x32xf16, #rows>
      scf.yield %e : tensor<64x32xf16, #rows>
    } {tile.num_stages = 4 : i32}
    return %sum : tensor<64x32xf16, #rows>
  }
}
