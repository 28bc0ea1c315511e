// RUN: tilewright-opt %s --split-input-file --specialize-warps --remark-format=emitRemark --remarks-filter=.* --remark-policy=all 2>&1 | FileCheck %s --implicit-check-not="tilegpu.specialize_warps "

// What prevents additional warps, and why.

#tile = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#row = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = [] : 32>

// CHECK: the copies depend on a tile
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 100000 : i64, tilegpu.target = "sm_90a"} {
  // A row that is the sum of a tile.
  func.func @depends_on_tile(%n: i32, %rows: tensor<32xi32, #row>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc at 32768 : <2xi64, #pair, 2>
    %a = tilegpu.local_alloc at 0 : <64x64xf16, #tile, 2>
    %sum = "tile.reduce"(%rows) <{axis = 0 : i32}> ({
    ^bb0(%x: i32, %y: i32):
      %z = arith.addi %x, %y : i32
      tile.yield %z : i32
    }) : (tensor<32xi32, #row>) -> i32
    tilegpu.ring_begin %ring : <2xi64, #pair, 2>
    tilegpu.barrier
    scf.for %i = %c0 to %n step %c1 : i32 {
      %slot = tilegpu.local_slot %ring[%c0 phase %even] : <2xi64, #pair, 2> -> <2xi64, #pair>
      %to = tilegpu.local_slot %a[%c0 phase %even] : <64x64xf16, #tile, 2> -> <64x64xf16, #tile>
      tilegpu.ring_acquire %slot, %even expects 8192 : <2xi64, #pair>
      tilegpu.box_copy 0[%c0, %sum] to %to completes %slot : <64x64xf16, #tile>, <2xi64, #pair>
      %full = tilegpu.ring_wait %slot, %even : <2xi64, #pair>
      tilegpu.ring_release %slot : <2xi64, #pair>
    } {tile.warp_specialize}
    tilegpu.ring_end %ring : <2xi64, #pair, 2>
    return
  }
}

// -----

#tile = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#row = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = [] : 32>

// CHECK: the copies depend on memory that the kernel may write
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 100000 : i64, tilegpu.target = "sm_90a"} {
  // The row is in memory that the kernel writes.
  func.func @depends_on_written_memory(%n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc at 32768 : <2xi64, #pair, 2>
    %a = tilegpu.local_alloc at 0 : <64x64xf16, #tile, 2>
    tilegpu.ring_begin %ring : <2xi64, #pair, 2>
    tilegpu.barrier
    scf.for %i = %c0 to %n step %c1 : i32 {
      %row = tile.load %p : !tile.ptr<i32> -> i32
      tile.store %p, %i : !tile.ptr<i32>, i32
      %slot = tilegpu.local_slot %ring[%c0 phase %even] : <2xi64, #pair, 2> -> <2xi64, #pair>
      %to = tilegpu.local_slot %a[%c0 phase %even] : <64x64xf16, #tile, 2> -> <64x64xf16, #tile>
      tilegpu.ring_acquire %slot, %even expects 8192 : <2xi64, #pair>
      tilegpu.box_copy 0[%c0, %row] to %to completes %slot : <64x64xf16, #tile>, <2xi64, #pair>
      %full = tilegpu.ring_wait %slot, %even : <2xi64, #pair>
      tilegpu.ring_release %slot : <2xi64, #pair>
    } {tile.warp_specialize}
    tilegpu.ring_end %ring : <2xi64, #pair, 2>
    return
  }
}

// -----

#tile = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#row = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = [] : 32>

// CHECK: its tile takes memory of slots
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 100000 : i64, tilegpu.target = "sm_90a"} {
  // Another buffer takes the memory of the slots in an outer loop, where copies for its next iteration are in flight.
  func.func @memory_in_use(%n: i32, %x: tensor<32xi32, #row>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc at 32768 : <2xi64, #pair, 2>
    %a = tilegpu.local_alloc at 0 : <64x64xf16, #tile, 2>
    %b = tilegpu.local_alloc at 128 : <32xi32, #tilegpu.layout<offset = [[1], [2], [4], [8], [16]] : 32>>
    tilegpu.ring_begin %ring : <2xi64, #pair, 2>
    tilegpu.barrier
    scf.for %j = %c0 to %n step %c1 : i32 {
      scf.for %i = %c0 to %n step %c1 : i32 {
        %slot = tilegpu.local_slot %ring[%c0 phase %even] : <2xi64, #pair, 2> -> <2xi64, #pair>
        %to = tilegpu.local_slot %a[%c0 phase %even] : <64x64xf16, #tile, 2> -> <64x64xf16, #tile>
        tilegpu.ring_acquire %slot, %even expects 8192 : <2xi64, #pair>
        tilegpu.box_copy 0[%c0, %i] to %to completes %slot : <64x64xf16, #tile>, <2xi64, #pair>
        %full = tilegpu.ring_wait %slot, %even : <2xi64, #pair>
        tilegpu.ring_release %slot : <2xi64, #pair>
      } {tile.warp_specialize}
      tilegpu.local_store %x, %b : tensor<32xi32, #row> -> <32xi32, #tilegpu.layout<offset = [[1], [2], [4], [8], [16]] : 32>>
    }
    tilegpu.ring_end %ring : <2xi64, #pair, 2>
    return
  }
}

// -----

#tile = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#row = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = [] : 32>

// CHECK: the copies are in a loop that is no `for`
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 100000 : i64, tilegpu.target = "sm_90a"} {
  // A loop of which no one knows where it ends.
  func.func @while(%p: !tile.ptr<i32>) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %even = arith.constant false
    %ring = tilegpu.local_alloc at 32768 : <2xi64, #pair, 2>
    %a = tilegpu.local_alloc at 0 : <64x64xf16, #tile, 2>
    tilegpu.ring_begin %ring : <2xi64, #pair, 2>
    tilegpu.barrier
    scf.while : () -> () {
      %go = tile.load %p : !tile.ptr<i32> -> i32
      %more = arith.cmpi ne, %go, %c0 : i32
      scf.condition(%more)
    } do {
      %slot = tilegpu.local_slot %ring[%c0 phase %even] : <2xi64, #pair, 2> -> <2xi64, #pair>
      %to = tilegpu.local_slot %a[%c0 phase %even] : <64x64xf16, #tile, 2> -> <64x64xf16, #tile>
      tilegpu.ring_acquire %slot, %even expects 8192 : <2xi64, #pair>
      tilegpu.box_copy 0[%c0, %c0] to %to completes %slot : <64x64xf16, #tile>, <2xi64, #pair>
      %full = tilegpu.ring_wait %slot, %even : <2xi64, #pair>
      tilegpu.ring_release %slot : <2xi64, #pair>
      scf.yield
    } attributes {tile.warp_specialize}
    tilegpu.ring_end %ring : <2xi64, #pair, 2>
    return
  }
}

// -----

#tile = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#pair = #tilegpu.layout<offset = [[1]] : 2>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// Of seven programs by shared memory, four with 104 registers a thread fit, and three with another warp.
// CHECK: fewer programs would fit on a multiprocessor
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 30000 : i64, tilegpu.target = "sm_90a"} {
  func.func @fewer_programs(%n: i32, %step: i32, %zero: tensor<64x64xf32, #acc>) attributes {tile.kernel} {
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
