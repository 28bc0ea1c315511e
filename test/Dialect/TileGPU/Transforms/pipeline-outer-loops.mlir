// pipeline-outer-loops: the first copies of an inner loop, in the outer loop's previous iteration.
// RUN: tilewright-opt %s --plan-pipeline --expand-pipeline --pipeline-outer-loops --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --plan-pipeline --expand-pipeline --pipeline-outer-loops --canonicalize --cse --allocate-shared --insert-barriers --resolve-waits | FileCheck %s --check-prefix=WAITS

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#operand = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [4, 0], [32, 0], [8, 0], [16, 0], [2, 8], [4, 16]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>
!tile = tensor<64x32xf16, #rows>
!pointers = tensor<64x32x!tile.ptr<f16>, #rows>

module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // Two copies before the outer loop, and two after the inner one, for the next iteration; their tokens and the position
  // are carried. The inner loop writes two slots after the position at which it reads. Only the copies for iterations
  // that do not exist are waited for after the inner loop; the others are waited for in the next one.
  // CHECK-LABEL: @persistent
  // CHECK-SAME: %[[FROM:arg2]]: i32, %[[TO:arg3]]: i32, %[[STEP:arg4]]: i32
  // WAITS-LABEL: @persistent
  func.func @persistent(%pa: !tile.ptr<f16> {tile.noalias}, %pc: !tile.ptr<f16> {tile.noalias}, %from: i32, %to: i32,
                        %by: i32, %n: i32, %x: tensor<64x32xf16, #operand>) {
    %a = tile.splat %pa : !pointers
    %c = tile.splat %pc : !pointers
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %[[B:.*]] = tilegpu.local_alloc : <64x32xf16, #{{.*}}, 3>
    // CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[FROM]], %[[TO]]
    // CHECK: tilegpu.async_copy {{.*}} mask
    // CHECK: %[[T0:.*]] = tilegpu.async_commit
    // CHECK: tilegpu.async_copy {{.*}} mask
    // CHECK: %[[T1:.*]] = tilegpu.async_commit
    // CHECK: %[[LAST:.*]]:4 = scf.for %[[TILE:.*]] = %[[FROM]] to %[[TO]] step %[[STEP]] iter_args(%[[C0:.*]] = %[[T0]], %[[C1:.*]] = %[[T1]], %[[SLOT:.*]] = %c0_i32, %[[PHASE:.*]] = %false)
    // CHECK-NOT: async_copy
    // CHECK: %[[S1:.*]], %[[P1:.*]] = tilegpu.ring_next %[[SLOT]], %[[PHASE]] of 3
    // CHECK: %[[S2:.*]], %[[P2:.*]] = tilegpu.ring_next %[[S1]], %[[P1]] of 3
    // CHECK: %[[INNER:.*]]:{{.*}} = scf.for {{.*}} iter_args({{.*}} = %[[S2]], {{.*}} = %[[P2]], {{.*}} = %[[SLOT]], {{.*}} = %[[PHASE]], {{.*}} = %[[C0]], {{.*}} = %[[C1]])
    // CHECK: async_wait
    // CHECK: async_copy
    // CHECK: }
    // CHECK: async_wait
    // CHECK: %[[LEFT:.*]] = arith.subi %[[TO]], %[[TILE]]
    // CHECK: %[[EXISTS:.*]] = arith.cmpi ugt, %[[LEFT]], %[[STEP]]
    // CHECK: %[[NEXT:.*]] = arith.addi %[[TILE]], %[[STEP]]
    // CHECK: tile.splat %[[NEXT]]
    // CHECK: tilegpu.local_slot %[[B]][%[[INNER]]#
    // CHECK: tilegpu.async_copy
    // CHECK: %[[N0:.*]] = tilegpu.async_commit
    // CHECK: tilegpu.ring_next %[[INNER]]#
    // CHECK: tilegpu.async_copy
    // CHECK: %[[N1:.*]] = tilegpu.async_commit
    // CHECK: tile.store
    // CHECK: scf.yield %[[N0]], %[[N1]], %[[INNER]]#{{.*}}, %[[INNER]]#
    // CHECK: async_wait %[[LAST]]#0, %[[LAST]]#1
    // WAITS: scf.for
    // WAITS: scf.for
    // WAITS: async_wait {{.*}} pending 1
    // WAITS: barrier
    // WAITS: async_wait {{.*}} pending 0
    // WAITS: barrier
    // WAITS: async_commit
    // WAITS: async_commit
    // WAITS-NOT: wait
    // WAITS: tile.store
    // WAITS-NEXT: yield
    scf.for %tile = %from to %to step %by : i32 {
      %offset = tile.splat %tile : tensor<64x32xi32, #rows>
      %base = tile.addptr %a, %offset : !pointers, tensor<64x32xi32, #rows>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<64x32xf16, #operand> : i32 {
        %t = tile.splat %k : tensor<64x32xi32, #rows>
        %q = tile.addptr %base, %t : !pointers, tensor<64x32xi32, #rows>
        %y = tile.load %q contiguity [1, 32] width [1, 8] : !pointers -> !tile
        %m = tilegpu.local_alloc : !buffer
        tilegpu.local_store %y, %m : !tile -> !buffer
        %z = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
        %d = arith.addf %s, %z : tensor<64x32xf16, #operand>
        scf.yield %d : tensor<64x32xf16, #operand>
      }
      %result = tilegpu.convert_layout %sum : tensor<64x32xf16, #operand> -> !tile
      %o = tile.addptr %c, %offset : !pointers, tensor<64x32xi32, #rows>
      tile.store %o, %result : !pointers, !tile
    } {tile.num_stages = 2 : i32}
    return
  }

  // The store may change what the next iteration's copies read.
  // CHECK-LABEL: @aliases
  // CHECK-NOT: async_copy
  // CHECK: scf.for
  // CHECK: async_copy
  // CHECK: scf.for
  // CHECK: async_wait
  // CHECK: async_wait
  // CHECK-NOT: async_copy
  // CHECK: tile.store
  func.func @aliases(%a: !pointers, %c: !pointers, %from: i32, %to: i32, %by: i32, %n: i32,
                     %x: tensor<64x32xf16, #operand>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %tile = %from to %to step %by : i32 {
      %offset = tile.splat %tile : tensor<64x32xi32, #rows>
      %base = tile.addptr %a, %offset : !pointers, tensor<64x32xi32, #rows>
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<64x32xf16, #operand> : i32 {
        %t = tile.splat %k : tensor<64x32xi32, #rows>
        %q = tile.addptr %base, %t : !pointers, tensor<64x32xi32, #rows>
        %y = tile.load %q contiguity [1, 32] width [1, 8] : !pointers -> !tile
        %m = tilegpu.local_alloc : !buffer
        tilegpu.local_store %y, %m : !tile -> !buffer
        %z = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
        %d = arith.addf %s, %z : tensor<64x32xf16, #operand>
        scf.yield %d : tensor<64x32xf16, #operand>
      }
      %result = tilegpu.convert_layout %sum : tensor<64x32xf16, #operand> -> !tile
      %o = tile.addptr %c, %offset : !pointers, tensor<64x32xi32, #rows>
      tile.store %o, %result : !pointers, !tile
    } {tile.num_stages = 2 : i32}
    return
  }

  // An argument of the outer loop from which addresses are computed is carried twice: for this iteration, and an
  // iteration ahead. A division for an iteration that does not exist divides by 1.
  // CHECK-LABEL: @argument
  // CHECK: async_commit
  // CHECK: async_commit
  // CHECK: scf.for {{.*}} iter_args(%[[THIS:arg[0-9]+]] = %c0_i32, {{.*}}, %[[AHEAD:arg11]] = %arg4)
  // CHECK: arith.divsi %[[THIS]],
  // CHECK: scf.for
  // CHECK: %[[EXISTS:.*]] = arith.cmpi ugt
  // CHECK: %[[SAFE:.*]] = arith.select %[[EXISTS]], %{{.*}}, %c1_i32
  // CHECK: arith.divsi %[[AHEAD]], %[[SAFE]]
  // CHECK: async_copy
  // CHECK: arith.addi %[[AHEAD]], %arg4
  // CHECK: tile.print ["place", ""] ["d"](%[[THIS]]
  func.func @argument(%a: !pointers, %from: i32, %to: i32, %by: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %last = scf.for %tile = %from to %to step %by iter_args(%place = %c0) -> i32 : i32 {
      %left = arith.subi %to, %tile : i32
      %part = arith.divsi %place, %left : i32
      %offset = tile.splat %part : tensor<64x32xi32, #rows>
      %base = tile.addptr %a, %offset : !pointers, tensor<64x32xi32, #rows>
      scf.for %k = %c0 to %n step %c1 : i32 {
        %y = tile.load %base contiguity [1, 32] width [1, 8] : !pointers -> !tile
        %m = tilegpu.local_alloc : !buffer
        tilegpu.local_store %y, %m : !tile -> !buffer
        %z = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
        tile.print ["a", ""] [""] (%z : tensor<64x32xf16, #operand>)
      }
      tile.print ["place", ""] ["d"] (%place : i32)
      %next = arith.addi %place, %n : i32
      scf.yield %next : i32
    } {tile.num_stages = 2 : i32}
    return
  }

  // The user's request of one stage holds for the outer loop, too.
  // CHECK-LABEL: @one_stage
  // CHECK-NOT: async_copy
  // CHECK: scf.for
  // CHECK: return
  func.func @one_stage(%a: !pointers, %from: i32, %to: i32, %by: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %tile = %from to %to step %by : i32 {
      scf.for %k = %c0 to %n step %c1 : i32 {
        %y = tile.load %a contiguity [1, 32] width [1, 8] : !pointers -> !tile
        %m = tilegpu.local_alloc : !buffer
        tilegpu.local_store %y, %m : !tile -> !buffer
        %z = tilegpu.local_load %m : !buffer -> tensor<64x32xf16, #operand>
        tile.print ["a", ""] [""] (%z : tensor<64x32xf16, #operand>)
      }
    } {tile.num_stages = 1 : i32}
    return
  }
}
