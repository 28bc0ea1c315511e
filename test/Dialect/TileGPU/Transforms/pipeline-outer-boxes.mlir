// pipeline-outer-loops: copies of boxes.
// RUN: tilewright-opt %s --pipeline-outer-loops --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --pipeline-outer-loops --overlap-group-mma --release-slots | FileCheck %s --check-prefix=RELEASE

// After the inner loop, the slot that its last dot has read is released, unless the loop had no iteration. Copies for
// the next tile do not wait for that dot.
// RELEASE-LABEL: @flattened
// RELEASE: scf.for
// RELEASE: %[[LAST:.*]]:{{[0-9]+}} = scf.for
// RELEASE: tilegpu.ring_release {{.*}} if
// RELEASE: scf.yield
// RELEASE: tilegpu.group_mma_wait %[[LAST]]#0 pending 0
// RELEASE: %[[ANY:.*]] = arith.cmpi slt
// RELEASE: %[[SLOT:.*]] = tilegpu.local_slot {{.*}}[%[[LAST]]#
// RELEASE: tilegpu.ring_release %[[SLOT]] if %[[ANY]]
// RELEASE-LABEL: @rotated
// RELEASE: scf.for
// RELEASE: %[[LAST:.*]]:{{[0-9]+}} = scf.for
// RELEASE: }
// RELEASE: tilegpu.box_copy
// RELEASE: tilegpu.group_mma_wait %[[LAST]]#0 pending 0
// RELEASE: tilegpu.ring_release

// Copies of boxes go on with the next tile: the inner loop carries the tile and the iteration of its copies, and the
// row at which that tile begins. Where the number of iterations depends on the tile, only the first copies move.

#boxes = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
!slot = !tilegpu.buffer<64x64xf16, #boxes>
!slots = !tilegpu.buffer<64x64xf16, #boxes, 3>
!pair = !tilegpu.buffer<2xi64, #pair>
!ring = !tilegpu.buffer<2xi64, #pair, 3>

module attributes {tilegpu.default_num_stages = 2 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @flattened
  // CHECK-SAME: %[[TILES:arg0]]: i32, %[[N:arg1]]: i32, %[[D:arg2]]: i32
  // CHECK: tilegpu.ring_begin
  // CHECK: %[[ANY:.*]] = arith.andi
  // CHECK: %[[SAFE:.*]] = arith.select %[[ANY]], %[[D]], %c1
  // CHECK: arith.remsi %{{.*}}, %[[SAFE]]
  // CHECK: tilegpu.ring_acquire {{.*}} if %[[ANY]]
  // CHECK: tilegpu.box_copy 0[{{.*}} if %[[ANY]]
  // CHECK: scf.if
  // CHECK: tilegpu.ring_acquire
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[TILES]]
  // CHECK-NOT: ring_acquire
  // CHECK: scf.for {{.*}} to %[[N]]
  // CHECK: tilegpu.group_mma
  // CHECK: tilegpu.ring_acquire {{.*}} if %[[EXISTS:.*]] :
  // CHECK: tilegpu.box_copy 0[{{.*}} if %[[EXISTS]]
  // CHECK: scf.if
  // CHECK: } else {
  // CHECK: arith.remsi
  // CHECK: }
  // CHECK: scf.yield
  // CHECK: }
  // CHECK-NOT: ring_acquire
  // CHECK: }
  // CHECK: tilegpu.ring_end
  func.func @flattened(%tiles: i32, %n: i32, %d: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %even = arith.constant false
    scf.for %tile = %c0 to %tiles step %c1 : i32 {
      %row = arith.remsi %tile, %d : i32
      %x = tilegpu.local_alloc : !slots
      %ring = tilegpu.local_alloc : !ring
      tilegpu.ring_begin %ring : !ring
      %e0 = arith.cmpi slt, %c0, %n : i32
      %r0 = tilegpu.local_slot %ring[%c0 phase %even] : !ring -> !pair
      tilegpu.ring_acquire %r0, %even expects 8192 if %e0 : !pair
      %x0 = tilegpu.local_slot %x[%c0 phase %even] : !slots -> !slot
      tilegpu.box_copy 0[%c0, %row] to %x0 completes %r0 if %e0 : !slot, !pair
      %s1, %p1 = tilegpu.ring_next %c0, %even of 3
      %e1 = arith.cmpi slt, %c1, %n : i32
      %r1 = tilegpu.local_slot %ring[%s1 phase %p1] : !ring -> !pair
      tilegpu.ring_acquire %r1, %p1 expects 8192 if %e1 : !pair
      %x1 = tilegpu.local_slot %x[%s1 phase %p1] : !slots -> !slot
      tilegpu.box_copy 0[%c1, %row] to %x1 completes %r1 if %e1 : !slot, !pair
      %s2, %p2 = tilegpu.ring_next %s1, %p1 of 3
      %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %w = %s2, %wp = %p2, %s = %c0, %p = %even)
          -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1) : i32 {
        %left = arith.subi %n, %c2 : i32
        %e = arith.cmpi slt, %i, %left : i32
        %rr = tilegpu.local_slot %ring[%s phase %p] : !ring -> !pair
        %done = tilegpu.ring_wait %rr, %p : !pair
        %a = tilegpu.local_slot %x[%s phase %p] : !slots -> !slot
        %y = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %a transposed, %acc : !slot * !slot -> tensor<64x64xf32, #acc>
        %rw = tilegpu.local_slot %ring[%w phase %wp] : !ring -> !pair
        tilegpu.ring_acquire %rw, %wp expects 8192 if %e : !pair
        %ahead = arith.addi %i, %c2 : i32
        %xw = tilegpu.local_slot %x[%w phase %wp] : !slots -> !slot
        tilegpu.box_copy 0[%ahead, %row] to %xw completes %rw if %e : !slot, !pair
        %w1, %wp1 = tilegpu.ring_next %w, %wp of 3
        %s3, %p3 = tilegpu.ring_next %s, %p of 3
        scf.yield %y, %w1, %wp1, %s3, %p3 : tensor<64x64xf32, #acc>, i32, i1, i32, i1
      }
      tilegpu.ring_end %ring : !ring
    }
    return
  }

  // CHECK-LABEL: @rotated
  // CHECK: tilegpu.ring_begin
  // CHECK: tilegpu.ring_acquire
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: tilegpu.ring_acquire
  // CHECK: }
  // CHECK: tilegpu.ring_acquire
  // CHECK: tilegpu.box_copy
  // CHECK: }
  // CHECK: tilegpu.ring_end
  func.func @rotated(%tiles: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    scf.for %tile = %c0 to %tiles step %c1 : i32 {
      %x = tilegpu.local_alloc : !slots
      %ring = tilegpu.local_alloc : !ring
      tilegpu.ring_begin %ring : !ring
      %e0 = arith.cmpi slt, %c0, %tile : i32
      %r0 = tilegpu.local_slot %ring[%c0 phase %even] : !ring -> !pair
      tilegpu.ring_acquire %r0, %even expects 8192 if %e0 : !pair
      %x0 = tilegpu.local_slot %x[%c0 phase %even] : !slots -> !slot
      tilegpu.box_copy 0[%c0, %tile] to %x0 completes %r0 if %e0 : !slot, !pair
      %s1, %p1 = tilegpu.ring_next %c0, %even of 3
      %r:5 = scf.for %i = %c0 to %tile step %c1 iter_args(%acc = %zero, %w = %s1, %wp = %p1, %s = %c0, %p = %even)
          -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1) : i32 {
        %left = arith.subi %tile, %c1 : i32
        %e = arith.cmpi slt, %i, %left : i32
        %rr = tilegpu.local_slot %ring[%s phase %p] : !ring -> !pair
        %done = tilegpu.ring_wait %rr, %p : !pair
        %a = tilegpu.local_slot %x[%s phase %p] : !slots -> !slot
        %y = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %a transposed, %acc : !slot * !slot -> tensor<64x64xf32, #acc>
        %rw = tilegpu.local_slot %ring[%w phase %wp] : !ring -> !pair
        tilegpu.ring_acquire %rw, %wp expects 8192 if %e : !pair
        %ahead = arith.addi %i, %c1 : i32
        %xw = tilegpu.local_slot %x[%w phase %wp] : !slots -> !slot
        tilegpu.box_copy 0[%ahead, %tile] to %xw completes %rw if %e : !slot, !pair
        %w1, %wp1 = tilegpu.ring_next %w, %wp of 3
        %s3, %p3 = tilegpu.ring_next %s, %p of 3
        scf.yield %y, %w1, %wp1, %s3, %p3 : tensor<64x64xf32, #acc>, i32, i1, i32, i1
      }
      tilegpu.ring_end %ring : !ring
    }
    return
  }
}
