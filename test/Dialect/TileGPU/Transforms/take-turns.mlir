// RUN: tilewright-opt %s --split-input-file --take-turns | FileCheck %s

#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]] : 128x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = [] : 128x64>

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.shared_bytes = 200000 : i64, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @attention
  // CHECK: tilegpu.take_turn only 1
  // CHECK-NEXT: scf.for
  // CHECK: %[[PRODUCT:.*]] = tilegpu.group_mma
  // CHECK-NEXT: tilegpu.pass_turn
  // CHECK: arith.truncf
  // CHECK-NEXT: tilegpu.take_turn after
  // CHECK-NEXT: tilegpu.group_mma
  // CHECK: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: tilegpu.pass_turn only 0
  func.func @attention(%n: i32, %zero: tensor<128x64xf32, #acc>, %q: !tilegpu.buffer<128x64xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<2xi64, #pair, 3>
    %x = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared, 3>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #acc>) : i32 {
      %slot = tilegpu.local_slot %ring[%c0 phase %even] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %k = tilegpu.local_slot %x[%c0 phase %even] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %full = tilegpu.ring_wait %slot, %even : !tilegpu.buffer<2xi64, #pair>
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" async %q, %k transposed, %zero : !tilegpu.buffer<128x64xf16, #rows> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<128x64xf32, #acc>
      %w = tilegpu.group_mma_wait %s pending 0 read %q, %k : !tilegpu.buffer<128x64xf16, #rows>, !tilegpu.buffer<64x64xf16, #shared> : tensor<128x64xf32, #acc>
      %p = arith.truncf %w : tensor<128x64xf32, #acc> to tensor<128x64xf16, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %p registers, %k, %acc : tensor<128x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    tilegpu.barrier
    return
  }

  // The first group may come to the next loop before the second one has taken its last turn.
  // CHECK-LABEL: @without_a_barrier
  // CHECK-NOT: _turn
  func.func @without_a_barrier(%n: i32, %zero: tensor<128x64xf32, #acc>, %q: !tilegpu.buffer<128x64xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<2xi64, #pair, 3>
    %x = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared, 3>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #acc>) : i32 {
      %slot = tilegpu.local_slot %ring[%c0 phase %even] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %k = tilegpu.local_slot %x[%c0 phase %even] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %full = tilegpu.ring_wait %slot, %even : !tilegpu.buffer<2xi64, #pair>
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" async %q, %k transposed, %zero : !tilegpu.buffer<128x64xf16, #rows> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<128x64xf32, #acc>
      %w = tilegpu.group_mma_wait %s pending 0 read %q, %k : !tilegpu.buffer<128x64xf16, #rows>, !tilegpu.buffer<64x64xf16, #shared> : tensor<128x64xf32, #acc>
      %p = arith.truncf %w : tensor<128x64xf32, #acc> to tensor<128x64xf16, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %p registers, %k, %acc : tensor<128x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    return
  }
}

// -----

// Two programs run on a multiprocessor at a time.

#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]] : 128x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = [] : 128x64>

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.shared_bytes = 100000 : i64, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @not_alone
  // CHECK-NOT: _turn
  func.func @not_alone(%n: i32, %zero: tensor<128x64xf32, #acc>, %q: !tilegpu.buffer<128x64xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<2xi64, #pair, 3>
    %x = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared, 3>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #acc>) : i32 {
      %slot = tilegpu.local_slot %ring[%c0 phase %even] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %k = tilegpu.local_slot %x[%c0 phase %even] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %full = tilegpu.ring_wait %slot, %even : !tilegpu.buffer<2xi64, #pair>
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" async %q, %k transposed, %zero : !tilegpu.buffer<128x64xf16, #rows> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<128x64xf32, #acc>
      %w = tilegpu.group_mma_wait %s pending 0 read %q, %k : !tilegpu.buffer<128x64xf16, #rows>, !tilegpu.buffer<64x64xf16, #shared> : tensor<128x64xf32, #acc>
      %p = arith.truncf %w : tensor<128x64xf32, #acc> to tensor<128x64xf16, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %p registers, %k, %acc : tensor<128x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    tilegpu.barrier
    return
  }
}

// -----

// The assembly may use the same barriers.

#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]] : 128x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = [] : 128x64>

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.shared_bytes = 200000 : i64, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @assembly
  // CHECK-NOT: _turn
  func.func @assembly(%n: i32, %zero: tensor<128x64xf32, #acc>, %q: !tilegpu.buffer<128x64xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc : !tilegpu.buffer<2xi64, #pair, 3>
    %x = tilegpu.local_alloc : !tilegpu.buffer<64x64xf16, #shared, 3>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #acc>) : i32 {
      %slot = tilegpu.local_slot %ring[%c0 phase %even] : !tilegpu.buffer<2xi64, #pair, 3> -> !tilegpu.buffer<2xi64, #pair>
      %k = tilegpu.local_slot %x[%c0 phase %even] : !tilegpu.buffer<64x64xf16, #shared, 3> -> !tilegpu.buffer<64x64xf16, #shared>
      %full = tilegpu.ring_wait %slot, %even : !tilegpu.buffer<2xi64, #pair>
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" async %q, %k transposed, %zero : !tilegpu.buffer<128x64xf16, #rows> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<128x64xf32, #acc>
      %w = tilegpu.group_mma_wait %s pending 0 read %q, %k : !tilegpu.buffer<128x64xf16, #rows>, !tilegpu.buffer<64x64xf16, #shared> : tensor<128x64xf32, #acc>
      %p = arith.truncf %w : tensor<128x64xf32, #acc> to tensor<128x64xf16, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %p registers, %k, %acc : tensor<128x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<128x64xf32, #acc>
      scf.yield %d : tensor<128x64xf32, #acc>
    }
    %none = tile.inline_asm "bar.sync 1, 256; mov.u32 $0, 0;", "=r" pack 1 () : () -> i32
    tilegpu.barrier
    return
  }
}
