// tilegpu-to-thread: partitions of a program's warps, which execute different code and meet at joint barriers.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file | FileCheck %s

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32, tilegpu.registers = 168 : i32, tilegpu.target = "sm_90a"} {
  // All threads of a warp group take the same branch, since all of them change their registers. Of the third group,
  // the first warp executes the producer, and the other three end.
  //
  // CHECK-LABEL: func.func @branch
  // CHECK: %[[WARP:.*]] = thread.warp
  // CHECK: %[[SAME:.*]] = thread.shuffle <index> %[[WARP]], %c0_i32 : i32
  // CHECK: %[[GROUP:.*]] = arith.shrui %[[SAME]], %c2_i32 : i32
  // CHECK: %[[ADDED:.*]] = arith.cmpi uge, %[[GROUP]], %c2_i32 : i32
  // CHECK: scf.if %[[ADDED]] {
  // CHECK-NEXT: thread.set_registers 24
  // CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]], %c8_i32 : i32
  // CHECK-NEXT: scf.if %[[FIRST]] {
  // CHECK-NEXT: thread.print "producer"
  // CHECK-NEXT: }
  // CHECK-NEXT: } else {
  // CHECK-NEXT: thread.set_registers more 240
  // CHECK-NEXT: thread.print "consumers"
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  func.func @branch() {
    tilegpu.specialize_warps registers [24, 240] producer {
      thread.print "producer"
    } consumers {
      thread.print "consumers"
    }
    return
  }

  // 256 threads of the consumers and the 32 of the producer's warp meet at barrier 15. All other barriers are of the
  // consumers' threads alone: the producer arrives at none of them. Without counts, no registers move.
  //
  // CHECK-LABEL: func.func @barriers
  // CHECK: scf.if
  // CHECK-NEXT: arith.cmpi eq
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: thread.named_barrier_wait %c15_i32 of 288 anywhere{{$}}
  // CHECK-NEXT: }
  // CHECK-NEXT: } else {
  // CHECK-NEXT: thread.named_barrier_wait %c15_i32 of 288 anywhere{{$}}
  // CHECK-NEXT: thread.barrier of 256
  // CHECK-NEXT: thread.barrier of 256
  // CHECK-NEXT: }
  func.func @barriers() {
    tilegpu.specialize_warps producer {
      tilegpu.barrier joint {tilegpu.partition = 1 : i64}
    } consumers {
      tilegpu.barrier joint
      tilegpu.barrier
      tile.barrier
    }
    return
  }

  // Two warp groups take turns as they do without a producer: barriers 1 and 2 wait for the consumers' 256 threads.
  //
  // CHECK-LABEL: func.func @turns
  // CHECK: } else {
  // CHECK-NEXT: %[[MINE:.*]] = arith.addi %{{.*}}, %c1_i32 : i32
  // CHECK-NEXT: thread.named_barrier_wait %[[MINE]] of 256
  // CHECK-NEXT: %[[OTHER:.*]] = arith.subi %c2_i32, %{{.*}} : i32
  // CHECK-NEXT: thread.named_barrier_arrive %[[OTHER]] of 256
  func.func @turns() {
    tilegpu.specialize_warps producer {
    } consumers {
      tilegpu.take_turn
      tilegpu.pass_turn
    }
    return
  }
}

// -----

#pair = #tilegpu.layout<offset = [[1]] : 2>
#tile = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#map = #tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [64, 64], swizzle = 128>

// Warp 4, which begins with thread 128, acquires slots and starts copies to them. A slot is free again when the four
// warps of the consumers have released it; one of their threads begins the ring. A warp whose threads have loaded from
// the slot waits for all of them before its first one releases it.
//
// CHECK-LABEL: func.func @ring
// CHECK: %[[WARP:.*]] = thread.warp
// CHECK: %[[IS_ADDED:.*]] = arith.cmpi uge, %{{.*}}, %c1_i32 : i32
// CHECK: scf.if %[[IS_ADDED]] {
// CHECK: %[[IS_PRODUCER:.*]] = arith.cmpi eq, %[[WARP]], %c4_i32 : i32
// CHECK-NEXT: scf.if %[[IS_PRODUCER]] {
// CHECK-NEXT: thread.named_barrier_wait %c15_i32 of 160 anywhere{{$}}
// CHECK-NEXT: scf.if %[[IS_PRODUCER]] {
// CHECK: thread.transaction_barrier_wait
// CHECK: %[[ID:.*]] = thread.id
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ID]], %c128_i32 : i32
// CHECK: thread.transaction_barrier_expect %{{.*}}, %c8192_i32 mask %[[FIRST]]
// CHECK: thread.box_copy {{.*}} mask %[[FIRST]]
// CHECK: } else {
// CHECK: %[[ID:.*]] = thread.id
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ID]], %c0_i32 : i32
// CHECK: thread.transaction_barrier_init %{{.*}} arrivals 1 mask %[[FIRST]]
// CHECK: thread.transaction_barrier_init %{{.*}} arrivals 4 mask %[[FIRST]]
// CHECK: thread.named_barrier_wait %c15_i32 of 160 anywhere{{$}}
// CHECK: thread.transaction_barrier_wait
// CHECK-NEXT: thread.warp_barrier
// CHECK-NOT: thread.warp_barrier
// CHECK: thread.transaction_barrier_arrive
// CHECK-NEXT: thread.warp_barrier
// CHECK: thread.transaction_barrier_arrive
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.producer_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  func.func @ring(%x: !tile.ptr<f16>, %n: i32, %phase: i1, %map: !llvm.ptr {thread.tensor_map}) attributes {
      tilegpu.tensor_maps = [#map], tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>} {
    %slot = tilegpu.local_alloc at 8192 : !tilegpu.buffer<2xi64, #pair>
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64x64xf16, #tile>
    tilegpu.specialize_warps producer {
      tilegpu.barrier joint {tilegpu.partition = 1 : i64}
      tilegpu.ring_acquire %slot, %phase expects 8192 {tilegpu.partition = 1 : i64} : !tilegpu.buffer<2xi64, #pair>
      tilegpu.box_copy 0[%n, %n] to %a completes %slot {tilegpu.partition = 1 : i64} : !tilegpu.buffer<64x64xf16, #tile>, !tilegpu.buffer<2xi64, #pair>
    } consumers {
      tilegpu.ring_begin %slot : !tilegpu.buffer<2xi64, #pair>
      tilegpu.barrier joint
      %full = tilegpu.ring_wait %slot, %phase : !tilegpu.buffer<2xi64, #pair>
      tilegpu.ring_release %slot : !tilegpu.buffer<2xi64, #pair>
      tilegpu.ring_release %slot by_threads : !tilegpu.buffer<2xi64, #pair>
    }
    return
  }
}

// -----

// Without additional warps, a barrier is of all threads, and needs no count.
//
// CHECK-LABEL: func.func @one_partition
// CHECK-NEXT: thread.barrier{{$}}
// CHECK-NEXT: thread.barrier{{$}}
module attributes {tilegpu.num_warps = 8 : i32, tilegpu.target = "sm_90a"} {
  func.func @one_partition() {
    tilegpu.barrier
    tile.barrier
    return
  }
}
