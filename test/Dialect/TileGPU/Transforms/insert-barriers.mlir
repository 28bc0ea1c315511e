// RUN: tilewright-opt %s --insert-barriers --split-input-file --verify-diagnostics | FileCheck %s

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [] : 64>
#moved = #tilegpu.layout<register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1]], block = [] : 64>
#replicas = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]], block = [] : 32>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>
#half = #tilegpu.layout<offset = [[1], [2], [4], [8], [16]] : 32>

module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a", tilegpu.shared_bytes = 1024 : i64} {
  // A write and a read; another read; another buffer; another write to the first buffer.
  // CHECK-LABEL: @shared
  func.func @shared(%x: tensor<64xf32, #line>) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared>
    %b = tilegpu.local_alloc at 256 : !tilegpu.buffer<64xf32, #shared>
    // CHECK: local_store
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_load
    // CHECK-NEXT: local_load
    // CHECK-NEXT: local_store
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_store
    // CHECK-NEXT: local_load
    // CHECK-NEXT: return
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    %y = tilegpu.local_load %a : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    %z = tilegpu.local_load %a : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    tilegpu.local_store %x, %b : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    %w = tilegpu.local_load %b : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    return
  }

  // The second buffer overlaps with half of the first.
  // CHECK-LABEL: @overlap
  func.func @overlap(%x: tensor<64xf32, #line>) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared>
    %b = tilegpu.local_alloc at 128 : !tilegpu.buffer<64xf32, #shared>
    // CHECK: local_load
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_store
    %y = tilegpu.local_load %a : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    tilegpu.local_store %x, %b : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    return
  }

  // One barrier before a loop that only reads; in one that also writes, two, and then none before.
  // CHECK-LABEL: @loops
  func.func @loops(%x: tensor<64xf32, #line>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared>
    // CHECK: local_store
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    // CHECK-NEXT: barrier
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: local_load
    // CHECK-NEXT: }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %y = tilegpu.local_load %a : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    }
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_store
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_load
    // CHECK-NEXT: }
    scf.for %i = %c0 to %n step %c1 : i32 {
      tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
      %y = tilegpu.local_load %a : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    }
    return
  }

  // A barrier in one branch does not separate accesses on the other path.
  // CHECK-LABEL: @branches
  func.func @branches(%x: tensor<64xf32, #line>, %c: i1) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared>
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    // CHECK: scf.if
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_load
    // CHECK-NEXT: }
    scf.if %c {
      %y = tilegpu.local_load %a : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    }
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_load
    %z = tilegpu.local_load %a : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    return
  }

  // The loop of a pipelined matmul: one barrier, after the wait.
  // CHECK-LABEL: @pipelined
  func.func @pipelined(%p: tensor<64x!tile.ptr<f32>, #line>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared, 2>
    %first = tilegpu.local_slot %a[%c0] : !tilegpu.buffer<64xf32, #shared, 2> -> !tilegpu.buffer<64xf32, #shared>
    %copy0 = tilegpu.async_copy %p, %first : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
    %t0 = tilegpu.async_commit of %copy0
    // CHECK: scf.for
    %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%read = %c0, %t = %t0) -> (i32, !tilegpu.token) : i32 {
      %write = arith.subi %c1, %read : i32
      %to = tilegpu.local_slot %a[%write] : !tilegpu.buffer<64xf32, #shared, 2> -> !tilegpu.buffer<64xf32, #shared>
      %from = tilegpu.local_slot %a[%read] : !tilegpu.buffer<64xf32, #shared, 2> -> !tilegpu.buffer<64xf32, #shared>
      // CHECK: async_wait
      // CHECK-NEXT: barrier
      // CHECK-NEXT: async_copy
      // CHECK-NEXT: async_commit
      // CHECK-NEXT: local_load
      // CHECK-NEXT: yield
      %done = tilegpu.async_wait %t
      %copy = tilegpu.async_copy %p, %to : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
      %next = tilegpu.async_commit of %copy
      %y = tilegpu.local_load %from after %done : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
      scf.yield %write, %next : i32, !tilegpu.token
    }
    // CHECK: async_wait
    // CHECK-NEXT: return
    %end = tilegpu.async_wait %last#1
    return
  }

  // Existing barriers are taken into account.
  // CHECK-LABEL: @debugBarrier
  func.func @debugBarrier(%x: tensor<64xf32, #line>) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared>
    // CHECK: tile.barrier
    // CHECK-NOT: tilegpu.barrier
    // CHECK: return
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    tile.barrier
    %y = tilegpu.local_load %a : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    return
  }

  // Threads read from a buffer what they have copied themselves, also where another copy overwrites it; not without
  // `own`, where lanes may read for each other.
  // CHECK-LABEL: @ownBytes
  func.func @ownBytes(%p: tensor<64x!tile.ptr<f32>, #line>) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared>
    // CHECK: async_wait
    // CHECK-NEXT: local_load
    // CHECK-NEXT: async_copy
    // CHECK-NEXT: async_commit
    // CHECK-NEXT: async_wait
    // CHECK-NEXT: local_load %{{.*}} own
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_load
    %copy0 = tilegpu.async_copy %p, %a : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
    %t0 = tilegpu.async_commit of %copy0
    %done0 = tilegpu.async_wait %t0
    %x0 = tilegpu.local_load %a own after %done0 : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #line>
    %copy1 = tilegpu.async_copy %p, %a : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
    %t1 = tilegpu.async_commit of %copy1
    %done1 = tilegpu.async_wait %t1
    %x1 = tilegpu.local_load %a own after %done1 : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #line>
    %x2 = tilegpu.local_load %a after %done1 : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #line>
    return
  }

  // And not if several threads hold an element, of which one copies it.
  // CHECK-LABEL: @ownReplicas
  func.func @ownReplicas(%p: tensor<32x!tile.ptr<f32>, #replicas>) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<32xf32, #half>
    // CHECK: async_wait
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_load
    %copy = tilegpu.async_copy %p, %a : tensor<32x!tile.ptr<f32>, #replicas> -> !tilegpu.buffer<32xf32, #half>
    %t = tilegpu.async_commit of %copy
    %done = tilegpu.async_wait %t
    %x = tilegpu.local_load %a own after %done : !tilegpu.buffer<32xf32, #half> -> tensor<32xf32, #replicas>
    return
  }

  // Global memory: another thread may have stored the loaded elements.
  // CHECK-LABEL: @memory
  func.func @memory(%p: tensor<64x!tile.ptr<f32>, #line>, %q: tensor<64x!tile.ptr<f32>, #line>, %x: tensor<64xf32, #line>) {
    // CHECK: tile.store
    // CHECK-NEXT: barrier
    // CHECK-NEXT: tile.load
    // CHECK-NEXT: barrier
    // CHECK-NEXT: tile.store
    tile.store %p, %x : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    %y = tile.load %q : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
    tile.store %p, %y : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    return
  }

  // Each thread loads the elements that it stored, except in the next iteration, or if another thread holds replicas.
  // CHECK-LABEL: @ownElements
  func.func @ownElements(%p: !tile.ptr<f32>, %x: tensor<64xf32, #line>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tile.make_range 0 to 64 : tensor<64xi32, #line>
    // CHECK: scf.for
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = tile.addptr %p, %i : !tile.ptr<f32>, i32
      %b = tile.splat %s : tensor<64x!tile.ptr<f32>, #line>
      %q = tile.addptr %b, %r : tensor<64x!tile.ptr<f32>, #line>, tensor<64xi32, #line>
      // CHECK: barrier
      // CHECK-NEXT: tile.store
      // CHECK-NEXT: tile.load
      // CHECK-NEXT: }
      tile.store %q, %x contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
      %y = tile.load %q contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
    }
    %r2 = tile.make_range 0 to 32 : tensor<32xi32, #replicas>
    %b2 = tile.splat %p : tensor<32x!tile.ptr<f32>, #replicas>
    %q2 = tile.addptr %b2, %r2 : tensor<32x!tile.ptr<f32>, #replicas>, tensor<32xi32, #replicas>
    %z = arith.constant dense<0.0> : tensor<32xf32, #replicas>
    // CHECK: barrier
    // CHECK-NEXT: tile.store
    // CHECK-NEXT: barrier
    // CHECK-NEXT: tile.load
    tile.store %q2, %z contiguity [32] width [1] : tensor<32x!tile.ptr<f32>, #replicas>, tensor<32xf32, #replicas>
    %w = tile.load %q2 contiguity [32] width [1] : tensor<32x!tile.ptr<f32>, #replicas> -> tensor<32xf32, #replicas>
    return
  }

  // In each iteration, equal addresses are those of the same place in the tile if the addresses differ by multiples of
  // the tile's size, also where the row depends on another loop.
  // CHECK-LABEL: @ownElementsOfIterations
  func.func @ownElementsOfIterations(%p: !tile.ptr<f32>, %x: tensor<64xf32, #line>, %begin: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %c192 = arith.constant 192 : i32
    %r = tile.make_range 0 to 64 : tensor<64xi32, #line>
    // CHECK: scf.for
    // CHECK-NEXT: scf.for
    // CHECK-NOT: barrier
    // CHECK: tile.load
    scf.for %row = %c0 to %n step %c1 : i32 {
      scf.for %i = %begin to %n step %c192 : i32 {
        %first = arith.muli %row, %c64 : i32
        %s = tile.addptr %p, %first : !tile.ptr<f32>, i32
        %b = tile.splat %s : tensor<64x!tile.ptr<f32>, #line>
        %is = tile.splat %i : tensor<64xi32, #line>
        %j = arith.addi %is, %r : tensor<64xi32, #line>
        %q = tile.addptr %b, %j : tensor<64x!tile.ptr<f32>, #line>, tensor<64xi32, #line>
        tile.store %q, %x contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
        %y = tile.load %q contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
      }
    }
    return
  }

  // Half a tile; a lower bound that changes; a row of any length; a number of 8 bits, whatever the tile's size.
  // CHECK-LABEL: @elementsOfOtherIterations
  func.func @elementsOfOtherIterations(%p: !tile.ptr<f32>, %x: tensor<64xf32, #line>, %n: i32, %length: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %r = tile.make_range 0 to 64 : tensor<64xi32, #line>
    %b = tile.splat %p : tensor<64x!tile.ptr<f32>, #line>
    // CHECK: barrier
    // CHECK-NEXT: tile.store
    scf.for %i = %c0 to %n step %c32 : i32 {
      %is = tile.splat %i : tensor<64xi32, #line>
      %j = arith.addi %is, %r : tensor<64xi32, #line>
      %q = tile.addptr %b, %j : tensor<64x!tile.ptr<f32>, #line>, tensor<64xi32, #line>
      tile.store %q, %x contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    }
    // CHECK: barrier
    // CHECK-NEXT: tile.store
    scf.for %first = %c0 to %n step %c1 : i32 {
      scf.for %i = %first to %n step %c64 : i32 {
        %is = tile.splat %i : tensor<64xi32, #line>
        %j = arith.addi %is, %r : tensor<64xi32, #line>
        %q = tile.addptr %b, %j : tensor<64x!tile.ptr<f32>, #line>, tensor<64xi32, #line>
        tile.store %q, %x contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
      }
    }
    // CHECK: barrier
    // CHECK-NEXT: tile.store
    scf.for %row = %c0 to %n step %c1 : i32 {
      %first = arith.muli %row, %length : i32
      %is = tile.splat %first : tensor<64xi32, #line>
      %j = arith.addi %is, %r : tensor<64xi32, #line>
      %q = tile.addptr %b, %j : tensor<64x!tile.ptr<f32>, #line>, tensor<64xi32, #line>
      tile.store %q, %x contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    }
    // CHECK: barrier
    // CHECK-NEXT: tile.store
    scf.for %i = %c0 to %n step %c64 : i32 {
      %narrow = arith.trunci %i : i32 to i8
      %wide = arith.extsi %narrow : i8 to i32
      %is = tile.splat %wide : tensor<64xi32, #line>
      %j = arith.addi %is, %r : tensor<64xi32, #line>
      %q = tile.addptr %b, %j : tensor<64x!tile.ptr<f32>, #line>, tensor<64xi32, #line>
      tile.store %q, %x contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    }
    return
  }

  // Different arguments that do not alias; atomics that commute.
  // CHECK-LABEL: @apart
  func.func @apart(%p: !tile.ptr<i32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias}, %r: !tile.ptr<i32> {tile.noalias},
                   %v: i32) {
    // CHECK-NOT: barrier
    // CHECK: return
    tile.store %p, %v : !tile.ptr<i32>, i32
    %x = tile.load %q : !tile.ptr<i32> -> i32
    %0 = tile.atomic_rmw #tile.rmw<add> %r, %v : !tile.ptr<i32>, i32
    %1 = tile.atomic_rmw #tile.rmw<add> %r, %v : !tile.ptr<i32>, i32
    return
  }

  // Slots with different constant indices are different. Loop-carried positions whose distance no iteration changes are
  // different unless the distance is a multiple of the number of slots. That does not hold for accesses of the previous
  // iteration, nor if only one of the positions advances.
  // CHECK-LABEL: @slots
  func.func @slots(%p: tensor<64x!tile.ptr<f32>, #line>, %i: i32, %j: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared, 3>
    %s0 = tilegpu.local_slot %b[%c0] : !tilegpu.buffer<64xf32, #shared, 3> -> !tilegpu.buffer<64xf32, #shared>
    %s1 = tilegpu.local_slot %b[%c1] : !tilegpu.buffer<64xf32, #shared, 3> -> !tilegpu.buffer<64xf32, #shared>
    // CHECK: local_load
    // CHECK-NEXT: async_copy
    // CHECK-NEXT: local_load
    // CHECK-NEXT: barrier
    // CHECK-NEXT: async_copy
    %x0 = tilegpu.local_load %s0 : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    %copy1 = tilegpu.async_copy %p, %s1 : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
    %x1 = tilegpu.local_load %s0 : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    %copy0 = tilegpu.async_copy %p, %s0 : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
    %token = tilegpu.async_commit of %copy0, %copy1
    %done = tilegpu.async_wait %token
    // CHECK: scf.for
    // CHECK: barrier
    // CHECK-NEXT: local_load
    // CHECK-NEXT: async_copy
    // CHECK-NEXT: barrier
    // CHECK-NEXT: async_copy
    // CHECK: }
    %false = arith.constant false
    %c2 = arith.constant 2 : i32
    scf.for %k = %c0 to %n step %c1 iter_args(%r = %c0, %o = %false, %w = %c2, %q = %false) -> (i32, i1, i32, i1) : i32 {
      %later:2 = tilegpu.ring_next %w, %q of 3
      %now = tilegpu.local_slot %b[%r phase %o] : !tilegpu.buffer<64xf32, #shared, 3> -> !tilegpu.buffer<64xf32, #shared>
      %ahead = tilegpu.local_slot %b[%w phase %q] : !tilegpu.buffer<64xf32, #shared, 3> -> !tilegpu.buffer<64xf32, #shared>
      %same = tilegpu.local_slot %b[%later#0 phase %later#1] : !tilegpu.buffer<64xf32, #shared, 3> -> !tilegpu.buffer<64xf32, #shared>
      %y = tilegpu.local_load %now : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
      %a = tilegpu.async_copy %p, %ahead : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
      %s = tilegpu.async_copy %p, %same : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
      %t = tilegpu.async_commit of %a, %s
      %end = tilegpu.async_wait %t
      %next:2 = tilegpu.ring_next %r, %o of 3
      scf.yield %next#0, %next#1, %later#0, %later#1 : i32, i1, i32, i1
    }
    // CHECK: scf.for
    // CHECK: barrier
    // CHECK-NEXT: local_load
    // CHECK-NEXT: barrier
    // CHECK-NEXT: async_copy
    // CHECK: }
    scf.for %k = %c0 to %n step %c1 iter_args(%r = %c0, %o = %false, %w = %c2) -> (i32, i1, i32) : i32 {
      %now = tilegpu.local_slot %b[%r] : !tilegpu.buffer<64xf32, #shared, 3> -> !tilegpu.buffer<64xf32, #shared>
      %ahead = tilegpu.local_slot %b[%w] : !tilegpu.buffer<64xf32, #shared, 3> -> !tilegpu.buffer<64xf32, #shared>
      %y = tilegpu.local_load %now : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
      %a = tilegpu.async_copy %p, %ahead : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
      %t = tilegpu.async_commit of %a
      %end = tilegpu.async_wait %t
      %next:2 = tilegpu.ring_next %r, %o of 3
      scf.yield %next#0, %next#1, %w : i32, i1, i32
    }
    // Those that an outer loop carries keep their distance through the inner loop.
    // CHECK: scf.for
    // CHECK: scf.for
    // CHECK-NEXT: tile.barrier
    // CHECK-NOT: tilegpu.barrier
    // CHECK: async_copy
    // CHECK: }
    scf.for %k = %c0 to %n step %c1 iter_args(%r = %c0, %o = %false, %w = %c2, %q = %false) -> (i32, i1, i32, i1) : i32 {
      %last:4 = scf.for %l = %c0 to %n step %c1 iter_args(%ir = %r, %io = %o, %iw = %w, %iq = %q) -> (i32, i1, i32, i1) : i32 {
        tile.barrier
        %now = tilegpu.local_slot %b[%ir phase %io] : !tilegpu.buffer<64xf32, #shared, 3> -> !tilegpu.buffer<64xf32, #shared>
        %ahead = tilegpu.local_slot %b[%iw phase %iq] : !tilegpu.buffer<64xf32, #shared, 3> -> !tilegpu.buffer<64xf32, #shared>
        %y = tilegpu.local_load %now : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
        %a = tilegpu.async_copy %p, %ahead : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
        %t = tilegpu.async_commit of %a
        %end = tilegpu.async_wait %t
        %next:2 = tilegpu.ring_next %ir, %io of 3
        %later:2 = tilegpu.ring_next %iw, %iq of 3
        scf.yield %next#0, %next#1, %later#0, %later#1 : i32, i1, i32, i1
      }
      scf.yield %last#0, %last#1, %last#2, %last#3 : i32, i1, i32, i1
    }
    return
  }

  // A copy is an access from the wait for its own token on: not from the wait for another one.
  // CHECK-LABEL: @tokens
  func.func @tokens(%p: tensor<64x!tile.ptr<f32>, #line>, %x: tensor<64xf32, #line>) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared>
    %b = tilegpu.local_alloc at 256 : !tilegpu.buffer<64xf32, #shared>
    %c = tilegpu.local_alloc at 512 : !tilegpu.buffer<64xf32, #shared>
    %copya = tilegpu.async_copy %p, %a : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
    %ta = tilegpu.async_commit of %copya
    %copyb = tilegpu.async_copy %p, %b : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
    %tb = tilegpu.async_commit of %copyb
    // CHECK: async_wait
    // CHECK-NEXT: local_store
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_load
    // CHECK-NEXT: async_wait
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_load
    %da = tilegpu.async_wait %ta
    tilegpu.local_store %x, %c : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    %y = tilegpu.local_load %a after %da : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    %db = tilegpu.async_wait %tb
    %z = tilegpu.local_load %b after %db : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    return
  }

  // A barrier of one partition does not separate the accesses of another one. A token orders two partitions: from the
  // wait on, the copy is an access of the partition that waits.
  // CHECK-LABEL: @partitions
  func.func @partitions(%p: tensor<64x!tile.ptr<f32>, #line>, %x: tensor<64xf32, #line>) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared>
    %b = tilegpu.local_alloc at 256 : !tilegpu.buffer<64xf32, #shared>
    %c = tilegpu.local_alloc at 512 : !tilegpu.buffer<64xf32, #shared>
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    tilegpu.local_store %x, %b {tilegpu.partition = 1 : i64} : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    // CHECK: local_store
    // CHECK-NEXT: local_store
    // CHECK-NEXT: barrier {tilegpu.partition = 1 : i64}
    // CHECK-NEXT: local_load
    // CHECK-NEXT: barrier{{$}}
    // CHECK-NEXT: local_load
    %y = tilegpu.local_load %b {tilegpu.partition = 1 : i64} : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    %z = tilegpu.local_load %a : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    // CHECK: async_wait
    // CHECK-NEXT: barrier {tilegpu.partition = 1 : i64}
    // CHECK-NEXT: local_load
    %copy = tilegpu.async_copy %p, %c : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #shared>
    %t = tilegpu.async_commit of %copy
    %done = tilegpu.async_wait %t {tilegpu.partition = 1 : i64}
    %w = tilegpu.local_load %c after %done {tilegpu.partition = 1 : i64} : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    return
  }

  // A release is ordered after the accesses of all threads, an acquire before them; one atomic may be both.
  // CHECK-LABEL: @releaseAndAcquire
  func.func @releaseAndAcquire(%p_base: !tile.ptr<f32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias},
                               %x: tensor<64xf32, #line>, %v: i32) {
    %p = tile.splat %p_base : tensor<64x!tile.ptr<f32>, #line>
    // CHECK: tile.store
    // CHECK-NEXT: barrier
    // CHECK-NEXT: atomic_rmw
    // CHECK-NEXT: tile.load
    tile.store %p, %x : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    %0 = tile.atomic_rmw #tile.rmw<add> %q, %v {sem = #tile.sem<release>} : !tile.ptr<i32>, i32
    %y = tile.load %p : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
    // CHECK-NEXT: atomic_cas
    // CHECK-NEXT: barrier
    // CHECK-NEXT: tile.store
    %1 = tile.atomic_cas %q, %v, %v {sem = #tile.sem<acquire>} : !tile.ptr<i32>, i32
    tile.store %p, %y : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    // CHECK-NEXT: atomic_rmw {{.*}}relaxed
    // CHECK-NEXT: barrier
    // CHECK-NEXT: atomic_rmw
    // CHECK-NEXT: barrier
    // CHECK-NEXT: tile.load
    // CHECK-NEXT: return
    %2 = tile.atomic_rmw #tile.rmw<xchg> %q, %v {sem = #tile.sem<relaxed>} : !tile.ptr<i32>, i32
    %3 = tile.atomic_rmw #tile.rmw<xchg> %q, %v : !tile.ptr<i32>, i32
    %z = tile.load %p : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
    return
  }

  // One thread stores and updates scalars, in its own order; memory that is never written needs no order.
  // CHECK-LABEL: @oneThread
  func.func @oneThread(%p: !tile.ptr<i32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias},
                       %constants_base: !tile.ptr<f32> {tile.noalias}, %v: i32) {
    %constants = tile.splat %constants_base : tensor<64x!tile.ptr<f32>, #line>
    // CHECK-NOT: barrier
    // CHECK: return
    %x = tile.load %constants : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
    tile.store %p, %v : !tile.ptr<i32>, i32
    %0 = tile.atomic_rmw #tile.rmw<add> %q, %v : !tile.ptr<i32>, i32
    tile.store %p, %v : !tile.ptr<i32>, i32
    %y = tile.load %constants : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
    return
  }

  // Each element of a tile of atomics belongs to another thread, and releases the accesses of all threads.
  // CHECK-LABEL: @tileOfAtomics
  func.func @tileOfAtomics(%p_base: !tile.ptr<i32> {tile.noalias},
                           %q_base: !tile.ptr<i32> {tile.noalias}, %x: tensor<64xi32, #line>) {
    %p = tile.splat %p_base : tensor<64x!tile.ptr<i32>, #line>
    %q = tile.splat %q_base : tensor<64x!tile.ptr<i32>, #line>
    // CHECK: tile.store
    // CHECK-NEXT: barrier
    // CHECK-NEXT: atomic_rmw
    // CHECK-NEXT: barrier
    // CHECK-NEXT: tile.load
    tile.store %p, %x : tensor<64x!tile.ptr<i32>, #line>, tensor<64xi32, #line>
    %0 = tile.atomic_rmw #tile.rmw<add> %q, %x : tensor<64x!tile.ptr<i32>, #line>, tensor<64xi32, #line>
    %y = tile.load %p : tensor<64x!tile.ptr<i32>, #line> -> tensor<64xi32, #line>
    return
  }

  // A lock: the loop that acquires it needs no barrier; the accesses it protects need one on either side.
  // CHECK-LABEL: @lock
  func.func @lock(%p_base: !tile.ptr<f32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias},
                  %x: tensor<64xf32, #line>, %n: i32) {
    %p = tile.splat %p_base : tensor<64x!tile.ptr<f32>, #line>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.for
    // CHECK-NEXT: scf.while
    // CHECK-NEXT: atomic_cas
    // CHECK-NOT: barrier
    // CHECK: barrier
    // CHECK-NEXT: tile.store
    // CHECK-NEXT: barrier
    // CHECK-NEXT: atomic_rmw
    // CHECK-NEXT: }
    scf.for %k = %c0 to %n step %c1 : i32 {
      scf.while : () -> () {
        %old = tile.atomic_cas %q, %c0, %c1 : !tile.ptr<i32>, i32
        %taken = arith.cmpi eq, %old, %c1 : i32
        scf.condition(%taken)
      } do {
        scf.yield
      }
      tile.store %p, %x : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
      %0 = tile.atomic_rmw #tile.rmw<xchg> %q, %c0 : !tile.ptr<i32>, i32
    }
    return
  }
}

// -----

#moved = #tilegpu.layout<register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1]], block = [] : 64>
#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [] : 64>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>

module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a", tilegpu.shared_bytes = 1024 : i64} {
  func.func @unordered(%x: tensor<64xf32, #line>) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #shared>
    // expected-note @+1 {{the other operation}}
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !tilegpu.buffer<64xf32, #shared>
    // expected-error @+1 {{may access the same memory as an operation of partition 0, and no token orders the two partitions}}
    %y = tilegpu.local_load %a {tilegpu.partition = 1 : i64} : !tilegpu.buffer<64xf32, #shared> -> tensor<64xf32, #moved>
    return
  }
}

// -----

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x16>
#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]] : 64x16>
#b = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]] : 16x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// A fence before the barrier makes what a thread has stored visible to group_mma. A buffer may be overwritten only
// after all threads have waited for the group_mma that reads it: that barrier needs no fence.
// CHECK-LABEL: @groups
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a", tilegpu.shared_bytes = 4096 : i64} {
  func.func @groups(%x: tensor<64x16xf16, #rows>, %acc: tensor<64x64xf32, #acc>) {
    // CHECK: local_store
    // CHECK-NEXT: async_fence
    // CHECK-NEXT: barrier
    // CHECK-NEXT: group_mma
    // CHECK-NEXT: group_mma_wait
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_store
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64x16xf16, #a>
    %b = tilegpu.local_alloc at 2048 : !tilegpu.buffer<16x64xf16, #b>
    tilegpu.local_store %x, %a : tensor<64x16xf16, #rows> -> !tilegpu.buffer<64x16xf16, #a>
    %r = tilegpu.group_mma "m64k16.f16.f16.f32" async %a, %b, %acc : !tilegpu.buffer<64x16xf16, #a> * !tilegpu.buffer<16x64xf16, #b> -> tensor<64x64xf32, #acc>
    %w = tilegpu.group_mma_wait %r pending 0 read %a, %b : !tilegpu.buffer<64x16xf16, #a>, !tilegpu.buffer<16x64xf16, #b> : tensor<64x64xf32, #acc>
    tilegpu.local_store %x, %a : tensor<64x16xf16, #rows> -> !tilegpu.buffer<64x16xf16, #a>
    return
  }
}

// -----

#rows = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = [] : 128x64>
#boxes = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]] : 128x64>
!buffer = !tilegpu.buffer<128x64xf16, #boxes>

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.target = "sm_90a", tilegpu.shared_bytes = 32768 : i64} {
  // No two warp groups ever write the same elements. Each group waits for its own copies, and needs no other group.
  // CHECK-LABEL: @groupsApart
  func.func @groupsApart(%c: !tile.ptr<f16>, %n: i32, %x: tensor<128x64xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = tilegpu.local_alloc at 0 : !buffer
    // CHECK: scf.for
    // CHECK-NEXT: local_store
    // CHECK-NEXT: box_store
    // CHECK-NEXT: box_store_wait
    // CHECK-NEXT: }
    // CHECK-NEXT: return
    scf.for %i = %c0 to %n step %c1 : i32 {
      tilegpu.local_store %x, %b : tensor<128x64xf16, #rows> -> !buffer
      tilegpu.box_store 0[%c0, %i] of %c from %b by_groups apart : !tile.ptr<f16>, !buffer
      tilegpu.box_store_wait %b by_groups : !buffer
    }
    return
  }

  // Tiles overlap: the rows of one group may be those of another group in the next iteration. The barrier follows the
  // waits of all groups for their copies.
  // CHECK-LABEL: @groupsOverlap
  func.func @groupsOverlap(%c: !tile.ptr<f16>, %n: i32, %x: tensor<128x64xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = tilegpu.local_alloc at 0 : !buffer
    // CHECK: scf.for
    // CHECK-NEXT: local_store
    // CHECK-NEXT: async_fence
    // CHECK-NEXT: barrier
    // CHECK-NEXT: box_store
    // CHECK-NEXT: box_store_wait
    // CHECK-NEXT: }
    // CHECK-NEXT: return
    scf.for %i = %c0 to %n step %c1 : i32 {
      tilegpu.local_store %x, %b : tensor<128x64xf16, #rows> -> !buffer
      tilegpu.box_store 0[%c0, %i] of %c from %b by_groups : !tile.ptr<f16>, !buffer
      tilegpu.box_store_wait %b by_groups : !buffer
    }
    return
  }

  // `apart` is about the groups of one operation. Another one, with another map, may write the same elements.
  // CHECK-LABEL: @otherMap
  func.func @otherMap(%c: !tile.ptr<f16>, %i: i32, %x: tensor<128x64xf16, #rows>) {
    %a = tilegpu.local_alloc at 0 : !buffer
    %b = tilegpu.local_alloc at 16384 : !buffer
    // CHECK: box_store 0
    // CHECK-NEXT: box_store_wait
    // CHECK-NEXT: local_store
    // CHECK-NEXT: async_fence
    // CHECK-NEXT: barrier
    // CHECK-NEXT: box_store 1
    tilegpu.local_store %x, %a : tensor<128x64xf16, #rows> -> !buffer
    tilegpu.box_store 0[%i, %i] of %c from %a by_groups apart : !tile.ptr<f16>, !buffer
    tilegpu.box_store_wait %a by_groups : !buffer
    tilegpu.local_store %x, %b : tensor<128x64xf16, #rows> -> !buffer
    tilegpu.box_store 1[%i, %i] of %c from %b by_groups apart : !tile.ptr<f16>, !buffer
    tilegpu.box_store_wait %b by_groups : !buffer
    return
  }

  // All threads write what each warp copies a part of, and again after the wait: a barrier before the copy, and one
  // before the next iteration's writes. The second one also separates the copies.
  // CHECK-LABEL: @allThreads
  func.func @allThreads(%c: !tile.ptr<f16>, %n: i32, %x: tensor<128x64xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = tilegpu.local_alloc at 0 : !buffer
    // CHECK: scf.for
    // CHECK-NEXT: async_fence
    // CHECK-NEXT: barrier
    // CHECK-NEXT: local_store
    // CHECK-NEXT: async_fence
    // CHECK-NEXT: barrier
    // CHECK-NEXT: box_store
    // CHECK-NEXT: box_store_wait
    // CHECK-NEXT: }
    scf.for %i = %c0 to %n step %c1 : i32 {
      tilegpu.local_store %x, %b : tensor<128x64xf16, #rows> -> !buffer
      tilegpu.box_store 0[%c0, %i] of %c from %b : !tile.ptr<f16>, !buffer
      tilegpu.box_store_wait %b : !buffer
    }
    return
  }
}
