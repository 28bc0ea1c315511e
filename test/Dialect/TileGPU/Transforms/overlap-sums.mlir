// RUN: tilewright-opt %s --split-input-file --overlap-group-mma | FileCheck %s

#q = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#ptrs = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// The sum is in flight until the product of the next iteration has completed. The copy in between writes neither the
// slot of this iteration nor that of the one before, which the sum reads.
// CHECK-LABEL: @attention
// CHECK: %[[Q:.*]] = tilegpu.local_alloc : <64x64xf16
// CHECK: %[[RING:.*]] = tilegpu.local_alloc : <64x64xf16, #{{.*}}, 3>
// CHECK: %[[FIRST:.*]] = arith.constant 2 : i32
// CHECK: %[[LOOP:.*]]:6 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[SLOT:.*]] = %c0{{.*}}, {{.*}}, %[[BEFORE:.*]] = %[[FIRST]])
// CHECK: %[[X:.*]] = tilegpu.local_slot %[[RING]][%[[SLOT]]
// CHECK: %[[P:.*]] = tilegpu.group_mma "m64k16.f16.f16.f32" async %[[Q]], %[[X]] transposed
// CHECK: tilegpu.async_copy
// CHECK: %[[S:.*]] = tilegpu.group_mma_wait %[[P]] pending 0 read %[[Q]], %[[X]]
// CHECK: %[[READ:.*]] = tilegpu.local_slot %[[RING]][%[[BEFORE]]]
// CHECK: %[[OLD:.*]] = tilegpu.group_mma_wait %[[ACC]] pending 0 read %[[READ]]
// CHECK: %[[E:.*]] = math.exp2 %[[S]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[OLD]], %[[E]]
// CHECK: %[[R:.*]] = tilegpu.group_mma "m64k16.f16.f16.f32" async %{{.*}} registers, %[[X]], %[[SCALED]]
// CHECK: scf.yield %[[R]], %{{.*}}, %[[SLOT]]
// CHECK: %[[D:.*]] = tilegpu.group_mma_wait %[[LOOP]]#0 pending 0 read %[[RING]]
// CHECK: return %[[D]]
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @attention(%p: tensor<64x64x!tile.ptr<f16>, #ptrs>, %n: i32, %zero: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %q = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #q>
    %ring = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #q, 3>
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even, %ahead = %c1, %aheadPhase = %even)
        -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1) : i32 {
      %x = tilegpu.local_slot %ring[%slot phase %phase] : !tilegpu.buffer<64x64xf16, #q, 3> -> !tilegpu.buffer<64x64xf16, #q>
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" %q, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #q> * !tilegpu.buffer<64x64xf16, #q> -> tensor<64x64xf32, #acc>
      %to = tilegpu.local_slot %ring[%ahead phase %aheadPhase] : !tilegpu.buffer<64x64xf16, #q, 3> -> !tilegpu.buffer<64x64xf16, #q>
      %t = tilegpu.async_copy %p, %to : tensor<64x64x!tile.ptr<f16>, #ptrs> -> !tilegpu.buffer<64x64xf16, #q>
      %e = math.exp2 %s : tensor<64x64xf32, #acc>
      %scaled = arith.mulf %acc, %e : tensor<64x64xf32, #acc>
      %a = arith.truncf %e : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %a registers, %x, %scaled : tensor<64x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #q> -> tensor<64x64xf32, #acc>
      %next, %nextPhase = tilegpu.ring_next %slot, %phase of 3
      %nextAhead, %nextAheadPhase = tilegpu.ring_next %ahead, %aheadPhase of 3
      scf.yield %d, %next, %nextPhase, %nextAhead, %nextAheadPhase : tensor<64x64xf32, #acc>, i32, i1, i32, i1
    }
    return %r#0 : tensor<64x64xf32, #acc>
  }
}

// -----

#q = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#ptrs = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// The copy, two slots ahead in a ring of three, writes what the sum of the previous iteration reads. In the second
// loop, a buffer that the sum reads is written before the product of the next iteration.
// CHECK-LABEL: @complete
// CHECK-NOT: group_mma {{.*}} async
// CHECK-NOT: group_mma_wait
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @complete(%p: tensor<64x64x!tile.ptr<f16>, #ptrs>, %v: tensor<64x64xf16, #ptrs>, %n: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %even = arith.constant false
    %q = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #q>
    %b = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #q>
    %ring = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #q, 3>
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even, %ahead = %c2, %aheadPhase = %even)
        -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1) : i32 {
      %x = tilegpu.local_slot %ring[%slot phase %phase] : !tilegpu.buffer<64x64xf16, #q, 3> -> !tilegpu.buffer<64x64xf16, #q>
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" %q, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #q> * !tilegpu.buffer<64x64xf16, #q> -> tensor<64x64xf32, #acc>
      %to = tilegpu.local_slot %ring[%ahead phase %aheadPhase] : !tilegpu.buffer<64x64xf16, #q, 3> -> !tilegpu.buffer<64x64xf16, #q>
      %t = tilegpu.async_copy %p, %to : tensor<64x64x!tile.ptr<f16>, #ptrs> -> !tilegpu.buffer<64x64xf16, #q>
      %scaled = arith.mulf %acc, %s : tensor<64x64xf32, #acc>
      %a = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %a registers, %x, %scaled : tensor<64x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #q> -> tensor<64x64xf32, #acc>
      %next, %nextPhase = tilegpu.ring_next %slot, %phase of 3
      %nextAhead, %nextAheadPhase = tilegpu.ring_next %ahead, %aheadPhase of 3
      scf.yield %d, %next, %nextPhase, %nextAhead, %nextAheadPhase : tensor<64x64xf32, #acc>, i32, i1, i32, i1
    }
    %u = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      tilegpu.local_store %v, %b : tensor<64x64xf16, #ptrs> -> !tilegpu.buffer<64x64xf16, #q>
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" %q, %q transposed, %zero : !tilegpu.buffer<64x64xf16, #q> * !tilegpu.buffer<64x64xf16, #q> -> tensor<64x64xf32, #acc>
      %a = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %a registers, %b, %acc : tensor<64x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #q> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    return
  }
}
