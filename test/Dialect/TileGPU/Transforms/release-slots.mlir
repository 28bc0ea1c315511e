// RUN: tilewright-opt %s --split-input-file --release-slots | FileCheck %s

// A dot that completes in its iteration has read the slot for which the iteration waited; one in flight until the next
// iteration, the slot before.

#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @complete
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SLOT:.*]] = %c0{{.*}}, %
  // CHECK: tilegpu.ring_wait
  // CHECK-NEXT: tilegpu.group_mma
  // CHECK-NEXT: %[[FREE:.*]] = tilegpu.local_slot %{{.*}}[%[[SLOT]]]
  // CHECK-NEXT: tilegpu.ring_release %[[FREE]] :
  func.func @complete(%n: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<2xi64, #pair, 2>
    %x = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared, 2>
    %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even, %ahead = %c1, %other = %even)
        -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1) : i32 {
      %read = tilegpu.local_slot %ring[%slot phase %phase] : !tilegpu.buffer<2xi64, #pair, 2> -> !tilegpu.buffer<2xi64, #pair>
      %a = tilegpu.local_slot %x[%slot phase %phase] : !tilegpu.buffer<64x64xf16, #shared, 2> -> !tilegpu.buffer<64x64xf16, #shared>
      %done = tilegpu.ring_wait %read, %phase : !tilegpu.buffer<2xi64, #pair>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %a transposed, %acc : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %write = tilegpu.local_slot %ring[%ahead phase %other] : !tilegpu.buffer<2xi64, #pair, 2> -> !tilegpu.buffer<2xi64, #pair>
      %b = tilegpu.local_slot %x[%ahead phase %other] : !tilegpu.buffer<64x64xf16, #shared, 2> -> !tilegpu.buffer<64x64xf16, #shared>
      tilegpu.ring_acquire %write, %other expects 8192 : !tilegpu.buffer<2xi64, #pair>
      tilegpu.box_copy 0[%c0, %i] to %b completes %write : !tilegpu.buffer<64x64xf16, #shared>, !tilegpu.buffer<2xi64, #pair>
      %next, %nextPhase = tilegpu.ring_next %slot, %phase of 2
      %further, %furtherPhase = tilegpu.ring_next %ahead, %other of 2
      scf.yield %d, %next, %nextPhase, %further, %furtherPhase : tensor<64x64xf32, #acc>, i32, i1, i32, i1
    }
    return
  }

  // CHECK-LABEL: @in_flight
  // CHECK: scf.for %[[I:.*]] = %[[FIRST:.*]] to {{.*}} iter_args({{.*}}, %[[BEFORE:.*]] = %c2{{.*}})
  // CHECK: tilegpu.group_mma_wait
  // CHECK-NEXT: %[[LATER:.*]] = arith.cmpi ne, %[[I]], %[[FIRST]]
  // CHECK-NEXT: %[[FREE:.*]] = tilegpu.local_slot %{{.*}}[%[[BEFORE]]]
  // CHECK-NEXT: tilegpu.ring_release %[[FREE]] if %[[LATER]]
  func.func @in_flight(%n: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<2xi64, #pair, 3>
    %x = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared, 3>
    %r:6 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even, %ahead = %c1, %other = %even, %before = %c2)
        -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1, i32) : i32 {
      %read = tilegpu.local_slot %ring[%slot phase %phase] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %a = tilegpu.local_slot %x[%slot phase %phase] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %done = tilegpu.ring_wait %read, %phase : !tilegpu.buffer<2xi64, #pair>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %a, %a transposed, %acc : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %old = tilegpu.local_slot %x[%before] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %w = tilegpu.group_mma_wait %d pending 1 read %old : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      %write = tilegpu.local_slot %ring[%ahead phase %other] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %b = tilegpu.local_slot %x[%ahead phase %other] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      tilegpu.ring_acquire %write, %other expects 8192 : !tilegpu.buffer<2xi64, #pair>
      tilegpu.box_copy 0[%c0, %i] to %b completes %write : !tilegpu.buffer<64x64xf16, #shared>, !tilegpu.buffer<2xi64, #pair>
      %next, %nextPhase = tilegpu.ring_next %slot, %phase of 3
      %further, %furtherPhase = tilegpu.ring_next %ahead, %other of 3
      scf.yield %w, %next, %nextPhase, %further, %furtherPhase, %slot : tensor<64x64xf32, #acc>, i32, i1, i32, i1, i32
    }
    return
  }

  // A is read into registers an iteration ahead, the first one before the loop, and the dot that completes in the
  // iteration is the last to read the slot: also that of the first iteration.
  // CHECK-LABEL: @read_ahead
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SLOT:[a-z0-9]+]] = %c0{{.*}}, %
  // CHECK: tilegpu.group_mma_wait
  // CHECK-NEXT: %[[FREE:.*]] = tilegpu.local_slot %{{.*}}[%[[SLOT]]]
  // CHECK-NEXT: tilegpu.ring_release %[[FREE]] by_threads :
  func.func @read_ahead(%n: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<2xi64, #pair, 3>
    %x = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared, 3>
    %y = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared, 3>
    %zeroth = tilegpu.local_slot %ring[%c0 phase %even] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
    %filled = tilegpu.ring_wait %zeroth, %even : !tilegpu.buffer<2xi64, #pair>
    %x0 = tilegpu.local_slot %x[%c0 phase %even] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
    %a0 = tilegpu.local_load %x0 after %filled : !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf16, #acc>
    %r:8 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even, %later = %c1, %laterPhase = %even, %ahead = %c2, %other = %even, %a = %a0)
        -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1, i32, i1, tensor<64x64xf16, #acc>) : i32 {
      %b = tilegpu.local_slot %y[%slot phase %phase] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %a registers, %b transposed, %acc : tensor<64x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %read = tilegpu.local_slot %ring[%later phase %laterPhase] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %done = tilegpu.ring_wait %read, %laterPhase : !tilegpu.buffer<2xi64, #pair>
      %x1 = tilegpu.local_slot %x[%later phase %laterPhase] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %a1 = tilegpu.local_load %x1 after %done : !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf16, #acc>
      %write = tilegpu.local_slot %ring[%ahead phase %other] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %to = tilegpu.local_slot %x[%ahead phase %other] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %further = tilegpu.local_slot %y[%ahead phase %other] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      tilegpu.ring_acquire %write, %other expects 16384 : !tilegpu.buffer<2xi64, #pair>
      tilegpu.box_copy 0[%c0, %i] to %to completes %write : !tilegpu.buffer<64x64xf16, #shared>, !tilegpu.buffer<2xi64, #pair>
      tilegpu.box_copy 1[%c0, %i] to %further completes %write : !tilegpu.buffer<64x64xf16, #shared>, !tilegpu.buffer<2xi64, #pair>
      %w = tilegpu.group_mma_wait %d pending 0 read %b : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      %s1, %p1 = tilegpu.ring_next %slot, %phase of 3
      %s2, %p2 = tilegpu.ring_next %later, %laterPhase of 3
      %s3, %p3 = tilegpu.ring_next %ahead, %other of 3
      scf.yield %w, %s1, %p1, %s2, %p2, %s3, %p3, %a1 : tensor<64x64xf32, #acc>, i32, i1, i32, i1, i32, i1, tensor<64x64xf16, #acc>
    }
    return
  }

  // Nothing in the iteration reads what was waited for in the one before: slots are released after the read ahead, and
  // the first one before the loop.
  // CHECK-LABEL: @all_ahead
  // CHECK: %[[FIRST:.*]] = tilegpu.local_slot
  // CHECK: tilegpu.ring_wait %[[FIRST]], %{{.*}} if %[[ANY:.*]] :
  // CHECK: tilegpu.local_load
  // CHECK-NEXT: tilegpu.ring_release %[[FIRST]] by_threads if %[[ANY]]
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %c0{{.*}}, %{{.*}} = %{{.*}}, %[[LATER:[a-z0-9]+]] = %c1
  // CHECK: tilegpu.ring_wait %{{.*}} if %[[EXISTS:.*]] :
  // CHECK: tilegpu.local_load
  // CHECK-NEXT: %[[FREE:.*]] = tilegpu.local_slot %{{.*}}[%[[LATER]]]
  // CHECK-NEXT: tilegpu.ring_release %[[FREE]] by_threads if %[[EXISTS]]
  func.func @all_ahead(%n: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<2xi64, #pair, 3>
    %x = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared, 3>
    %right = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared>
    %zeroth = tilegpu.local_slot %ring[%c0 phase %even] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
    %any = arith.cmpi sgt, %n, %c0 : i32
    %filled = tilegpu.ring_wait %zeroth, %even if %any : !tilegpu.buffer<2xi64, #pair>
    %x0 = tilegpu.local_slot %x[%c0 phase %even] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
    %a0 = tilegpu.local_load %x0 after %filled : !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf16, #acc>
    %r:8 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %slot = %c0, %phase = %even, %later = %c1, %laterPhase = %even, %ahead = %c2, %other = %even, %a = %a0)
        -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1, i32, i1, tensor<64x64xf16, #acc>) : i32 {
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %a registers, %right transposed, %acc : tensor<64x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %read = tilegpu.local_slot %ring[%later phase %laterPhase] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %last = arith.subi %n, %c1 : i32
      %exists = arith.cmpi slt, %i, %last : i32
      %done = tilegpu.ring_wait %read, %laterPhase if %exists : !tilegpu.buffer<2xi64, #pair>
      %x1 = tilegpu.local_slot %x[%later phase %laterPhase] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %a1 = tilegpu.local_load %x1 after %done : !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf16, #acc>
      %write = tilegpu.local_slot %ring[%ahead phase %other] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %to = tilegpu.local_slot %x[%ahead phase %other] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      tilegpu.ring_acquire %write, %other expects 8192 : !tilegpu.buffer<2xi64, #pair>
      tilegpu.box_copy 0[%c0, %i] to %to completes %write : !tilegpu.buffer<64x64xf16, #shared>, !tilegpu.buffer<2xi64, #pair>
      %w = tilegpu.group_mma_wait %d pending 0 : tensor<64x64xf32, #acc>
      %s1, %p1 = tilegpu.ring_next %slot, %phase of 3
      %s2, %p2 = tilegpu.ring_next %later, %laterPhase of 3
      %s3, %p3 = tilegpu.ring_next %ahead, %other of 3
      scf.yield %w, %s1, %p1, %s2, %p2, %s3, %p3, %a1 : tensor<64x64xf32, #acc>, i32, i1, i32, i1, i32, i1, tensor<64x64xf16, #acc>
    }
    return
  }
}
