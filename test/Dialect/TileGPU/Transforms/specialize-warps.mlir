// RUN: tilewright-opt %s --split-input-file --specialize-warps | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --specialize-warps=can-move-registers=false | FileCheck %s --check-prefix=FIXED

#tile = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// The producer has the loop without the accumulator, the consumers have it without the coordinates.
// CHECK: tilegpu.producer_warps = 1 : i32
// CHECK-LABEL: func.func @loop
// CHECK: %[[RING:.*]] = tilegpu.local_alloc at 32768
// CHECK: tilegpu.specialize_warps producer {
// CHECK-NOT: ring_begin
// CHECK: tilegpu.barrier joint {tilegpu.partition = 1 : i64}
// CHECK-NEXT: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i32, i1, i32)
// CHECK-NOT: group_mma
// CHECK: tilegpu.ring_acquire {{.*}} expects 8192 {tilegpu.partition = 1 : i64}
// CHECK: tilegpu.box_copy {{.*}} {tilegpu.partition = 1 : i64}
// CHECK: scf.yield {{.*}} : i32, i1, i32
// CHECK: } consumers {
// CHECK: tilegpu.ring_begin %[[RING]]
// CHECK-NEXT: tilegpu.barrier joint{{$}}
// CHECK-NEXT: scf.for {{.*}} -> (tensor<64x64xf32, #{{.*}}>, i32, i1)
// CHECK-NOT: ring_acquire
// CHECK: tilegpu.ring_wait
// CHECK: tilegpu.group_mma
// CHECK: tilegpu.ring_release
// CHECK: tilegpu.barrier{{$}}
// CHECK: tilegpu.ring_end
// CHECK: }
// CHECK-NEXT: return

// FIXED: module attributes {{.*}}tilegpu.producer_warps = 1 : i32
// FIXED-NOT: tilegpu.registers
// FIXED: tilegpu.specialize_warps producer {
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 100000 : i64, tilegpu.target = "sm_90a"} {
  func.func @loop(%n: i32, %step: i32, %zero: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc at 32768 : <2xi64, #pair, 2>
    %a = tilegpu.local_alloc at 0 : <64x64xf16, #tile, 2>
    tilegpu.ring_begin %ring : <2xi64, #pair, 2>
    tilegpu.barrier
    %r:6 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %w = %c1, %p = %even, %s = %c0, %q = %even, %row = %c0) -> (tensor<64x64xf32, #acc>, i32, i1, i32, i1, i32) : i32 {
      %read = tilegpu.local_slot %ring[%s phase %q] : <2xi64, #pair, 2> -> <2xi64, #pair>
      %full = tilegpu.ring_wait %read, %q : <2xi64, #pair>
      %x = tilegpu.local_slot %a[%s phase %q] : <64x64xf16, #tile, 2> -> <64x64xf16, #tile>
      %sum = tilegpu.group_mma "m64k16.f16.f16.f32" %x, %x, %acc : !tilegpu.buffer<64x64xf16, #tile> * !tilegpu.buffer<64x64xf16, #tile> -> tensor<64x64xf32, #acc>
      tilegpu.ring_release %read : <2xi64, #pair>
      %write = tilegpu.local_slot %ring[%w phase %p] : <2xi64, #pair, 2> -> <2xi64, #pair>
      %to = tilegpu.local_slot %a[%w phase %p] : <64x64xf16, #tile, 2> -> <64x64xf16, #tile>
      tilegpu.ring_acquire %write, %p expects 8192 : <2xi64, #pair>
      tilegpu.box_copy 0[%c0, %row] to %to completes %write : <64x64xf16, #tile>, <2xi64, #pair>
      %row1 = arith.addi %row, %step : i32
      %w1, %p1 = tilegpu.ring_next %w, %p of 2
      %s1, %q1 = tilegpu.ring_next %s, %q of 2
      scf.yield %sum, %w1, %p1, %s1, %q1, %row1 : tensor<64x64xf32, #acc>, i32, i1, i32, i1, i32
    } {tile.warp_specialize}
    tilegpu.barrier
    tilegpu.ring_end %ring : <2xi64, #pair, 2>
    return
  }
}

// -----

#tile = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>

// Loads of memory that the kernel only reads are made by the producer, and a ring without a barrier gets one. What only
// the producer needs is no longer in the consumers, and branches keep what is needed.
// CHECK-LABEL: func.func @loads_and_branches
// CHECK: producer {
// CHECK: scf.if
// CHECK: tilegpu.barrier joint
// CHECK: scf.for
// CHECK: tile.load
// CHECK: scf.if {{.*}} -> (i32)
// CHECK: tilegpu.box_copy
// CHECK: consumers {
// CHECK: scf.if
// CHECK: tilegpu.ring_begin
// CHECK-NEXT: tilegpu.barrier joint
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: scf.if {{.*}} {
// CHECK: tile.store
// CHECK: tilegpu.ring_wait
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 100000 : i64, tilegpu.target = "sm_90a"} {
  func.func @loads_and_branches(%n: i32, %p: !tile.ptr<i32> {tile.noalias}, %out: !tile.ptr<i32> {tile.noalias}, %some: i1) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc at 32768 : <2xi64, #pair, 2>
    %a = tilegpu.local_alloc at 0 : <64x64xf16, #tile, 2>
    scf.if %some {
      tilegpu.ring_begin %ring : <2xi64, #pair, 2>
      scf.for %i = %c0 to %n step %c1 : i32 {
        %at = tile.addptr %p, %i : !tile.ptr<i32>, i32
        %loaded = tile.load %at : !tile.ptr<i32> -> i32
        %row = scf.if %some -> (i32) {
          tile.store %out, %i : !tile.ptr<i32>, i32
          scf.yield %loaded : i32
        } else {
          scf.yield %i : i32
        }
        %slot = tilegpu.local_slot %ring[%c0 phase %even] : <2xi64, #pair, 2> -> <2xi64, #pair>
        %to = tilegpu.local_slot %a[%c0 phase %even] : <64x64xf16, #tile, 2> -> <64x64xf16, #tile>
        tilegpu.ring_acquire %slot, %even expects 8192 : <2xi64, #pair>
        tilegpu.box_copy 0[%c0, %row] to %to completes %slot : <64x64xf16, #tile>, <2xi64, #pair>
        %full = tilegpu.ring_wait %slot, %even : <2xi64, #pair>
        tilegpu.ring_release %slot : <2xi64, #pair>
      } {tile.warp_specialize}
      tilegpu.ring_end %ring : <2xi64, #pair, 2>
    }
    return
  }
}
