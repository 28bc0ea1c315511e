// RUN: tilewright-opt %s --split-input-file --overlap-group-mma | FileCheck %s

#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]] : 64x32>
#b = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0]] : 32x64>
#ptrs = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// The loop carries the slot that the previous iteration has read; it begins before slot 0.
// CHECK-LABEL: @in_flight
// CHECK: %[[RING:.*]] = tilegpu.local_alloc : <64x32xf16, #{{.*}}, 3>
// CHECK: %[[OTHER:.*]] = tilegpu.local_alloc : <32x64xf16, #{{[a-z0-9]*}}>
// CHECK: %[[BEFORE0:.*]] = arith.constant 2 : i32
// CHECK: %[[LOOP:.*]]:6 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[SLOT:.*]] = %c0{{.*}}, {{.*}}, %[[BEFORE:.*]] = %[[BEFORE0]])
// CHECK: %[[R:.*]] = tilegpu.group_mma "m64k16.f16.f16.f32" async %{{.*}}, %[[OTHER]], %[[ACC]]
// CHECK: %[[READ:.*]] = tilegpu.local_slot %[[RING]][%[[BEFORE]]]
// CHECK: %[[W:.*]] = tilegpu.group_mma_wait %[[R]] pending 1 read %[[READ]], %[[OTHER]]
// CHECK: tilegpu.async_copy
// CHECK: scf.yield %[[W]], %{{.*}}, %[[SLOT]]
// CHECK: %[[D:.*]] = tilegpu.group_mma_wait %[[LOOP]]#0 pending 0 read %[[RING]], %[[OTHER]]
// CHECK: return %[[D]]
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @in_flight(%p: tensor<64x32x!tile.ptr<f16>, #ptrs>, %n: i32, %zero: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #a, 3>
    %b = tilegpu.local_alloc : !tilegpu.buffer<32x64xf16, #b>
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even, %ahead = %c2, %aheadPhase = %even)
        -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1) : i32 {
      %x = tilegpu.local_slot %ring[%slot phase %phase] : !tilegpu.buffer<64x32xf16, #a, 3> -> !tilegpu.buffer<64x32xf16, #a>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %x, %b, %acc : !tilegpu.buffer<64x32xf16, #a> * !tilegpu.buffer<32x64xf16, #b> -> tensor<64x64xf32, #acc>
      %to = tilegpu.local_slot %ring[%ahead phase %aheadPhase] : !tilegpu.buffer<64x32xf16, #a, 3> -> !tilegpu.buffer<64x32xf16, #a>
      %t = tilegpu.async_copy %p, %to : tensor<64x32x!tile.ptr<f16>, #ptrs> -> !tilegpu.buffer<64x32xf16, #a>
      %next, %nextPhase = tilegpu.ring_next %slot, %phase of 3
      %nextAhead, %nextAheadPhase = tilegpu.ring_next %ahead, %aheadPhase of 3
      scf.yield %d, %next, %nextPhase, %nextAhead, %nextAheadPhase : tensor<64x64xf32, #acc>, i32, i1, i32, i1
    }
    return %r#0 : tensor<64x64xf32, #acc>
  }
}

// -----

#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]] : 64x32>
#b = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0]] : 32x64>
#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// In the first loop, the next iteration overwrites what is read, in the second one the accumulator has another use, and
// in the third one a slot is written before the group_mma.
// CHECK-LABEL: @complete
// CHECK-NOT: async
// CHECK-NOT: group_mma_wait
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @complete(%x: tensor<64x32xf16, #rows>, %p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %a = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #a>
    %ring = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #a, 2>
    %b = tilegpu.local_alloc : !tilegpu.buffer<32x64xf16, #b>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      tilegpu.local_store %x, %a : tensor<64x32xf16, #rows> -> !tilegpu.buffer<64x32xf16, #a>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %acc : !tilegpu.buffer<64x32xf16, #a> * !tilegpu.buffer<32x64xf16, #b> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %scaled = arith.mulf %acc, %acc : tensor<64x64xf32, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %scaled : !tilegpu.buffer<64x32xf16, #a> * !tilegpu.buffer<32x64xf16, #b> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    %t:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even) -> (tensor<64x64xf32, #acc>, i32, i1) : i32 {
      %next, %nextPhase = tilegpu.ring_next %slot, %phase of 2
      %to = tilegpu.local_slot %ring[%next phase %nextPhase] : !tilegpu.buffer<64x32xf16, #a, 2> -> !tilegpu.buffer<64x32xf16, #a>
      tilegpu.local_store %x, %to : tensor<64x32xf16, #rows> -> !tilegpu.buffer<64x32xf16, #a>
      %from = tilegpu.local_slot %ring[%slot phase %phase] : !tilegpu.buffer<64x32xf16, #a, 2> -> !tilegpu.buffer<64x32xf16, #a>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %from, %b, %acc : !tilegpu.buffer<64x32xf16, #a> * !tilegpu.buffer<32x64xf16, #b> -> tensor<64x64xf32, #acc>
      scf.yield %d, %next, %nextPhase : tensor<64x64xf32, #acc>, i32, i1
    }
    return
  }
}

// -----

#b = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [4, 2], [8, 4], [0, 8], [0, 16], [0, 32]] : 32x64>
#ptrs = #tilegpu.layout<register = [[1, 0], [2, 0], [0, 16], [0, 32]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]], block = [] : 32x64>
#x = #tilegpu.layout<register = [[8, 0], [0, 4], [0, 8], [0, 16]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x32>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// With A in registers, an iteration waits at its end; what follows the group_mma overlaps with it. In the second loop, a
// copy overwrites what it reads.
// CHECK-LABEL: @registers
// CHECK: scf.for
// CHECK: %[[R:.*]] = tilegpu.group_mma "m64k8.tf32.tf32.f32" async %{{.*}} registers, %[[B:[a-z0-9]*]], %
// CHECK: tilegpu.async_copy
// CHECK: %[[W:.*]] = tilegpu.group_mma_wait %[[R]] pending 0 read %[[B]]
// CHECK-NEXT: scf.yield %[[W]]
// CHECK: scf.for
// CHECK-NOT: async %
// CHECK-NOT: group_mma_wait
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @registers(%p: tensor<32x64x!tile.ptr<f32>, #ptrs>, %x: tensor<64x32xf32, #x>, %n: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<32x64xf32, #b, 2>
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even, %ahead = %c1, %aheadPhase = %even)
        -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1) : i32 {
      %y = tilegpu.local_slot %ring[%slot phase %phase] : !tilegpu.buffer<32x64xf32, #b, 2> -> !tilegpu.buffer<32x64xf32, #b>
      %d = tilegpu.group_mma "m64k8.tf32.tf32.f32" %x registers, %y, %acc : tensor<64x32xf32, #x> * !tilegpu.buffer<32x64xf32, #b> -> tensor<64x64xf32, #acc>
      %to = tilegpu.local_slot %ring[%ahead phase %aheadPhase] : !tilegpu.buffer<32x64xf32, #b, 2> -> !tilegpu.buffer<32x64xf32, #b>
      %t = tilegpu.async_copy %p, %to : tensor<32x64x!tile.ptr<f32>, #ptrs> -> !tilegpu.buffer<32x64xf32, #b>
      %next, %nextPhase = tilegpu.ring_next %slot, %phase of 2
      %nextAhead, %nextAheadPhase = tilegpu.ring_next %ahead, %aheadPhase of 2
      scf.yield %d, %next, %nextPhase, %nextAhead, %nextAheadPhase : tensor<64x64xf32, #acc>, i32, i1, i32, i1
    }
    %s:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even) -> (tensor<64x64xf32, #acc>, i32, i1) : i32 {
      %y = tilegpu.local_slot %ring[%slot phase %phase] : !tilegpu.buffer<32x64xf32, #b, 2> -> !tilegpu.buffer<32x64xf32, #b>
      %d = tilegpu.group_mma "m64k8.tf32.tf32.f32" %x registers, %y, %acc : tensor<64x32xf32, #x> * !tilegpu.buffer<32x64xf32, #b> -> tensor<64x64xf32, #acc>
      %t = tilegpu.async_copy %p, %y : tensor<32x64x!tile.ptr<f32>, #ptrs> -> !tilegpu.buffer<32x64xf32, #b>
      %next, %nextPhase = tilegpu.ring_next %slot, %phase of 2
      scf.yield %d, %next, %nextPhase : tensor<64x64xf32, #acc>, i32, i1
    }
    return
  }
}
