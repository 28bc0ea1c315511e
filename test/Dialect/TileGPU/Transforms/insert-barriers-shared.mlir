// RUN: tilewright-opt %s --insert-barriers | FileCheck %s

// Barriers that separate no accesses to global memory leave them in flight, on targets that have such barriers.

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [] : 64>
#moved = #tilegpu.layout<register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1]], block = [] : 64>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>
!buffer = !tilegpu.buffer<64xf32, #shared>

module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "gfx1100", tilegpu.shared_bytes = 1024 : i64} {
  // CHECK-LABEL: @loads
  // CHECK: local_store
  // CHECK-NEXT: barrier shared
  // CHECK-NEXT: local_load
  func.func @loads(%p: tensor<64x!tile.ptr<f32>, #line>) {
    %a = tilegpu.local_alloc at 0 : !buffer
    %x = tile.load %p contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !buffer
    %y = tilegpu.local_load %a : !buffer -> tensor<64xf32, #moved>
    return
  }

  // The barrier also separates what a thread writes from what another one reads.
  //
  // CHECK-LABEL: @exchange
  // CHECK: tile.store
  // CHECK: tilegpu.barrier{{$}}
  // CHECK-NEXT: local_load
  // CHECK-NEXT: tile.load
  func.func @exchange(%p: tensor<64x!tile.ptr<f32>, #line>, %q: tensor<64x!tile.ptr<f32>, #moved>, %x: tensor<64xf32, #line>) {
    %a = tilegpu.local_alloc at 0 : !buffer
    tile.store %p, %x contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !buffer
    %y = tilegpu.local_load %a : !buffer -> tensor<64xf32, #moved>
    %z = tile.load %q contiguity [1] width [1] : tensor<64x!tile.ptr<f32>, #moved> -> tensor<64xf32, #moved>
    return
  }

  // One barrier for both: the load comes before the read of the buffer.
  //
  // CHECK-LABEL: @both
  // CHECK: local_store
  // CHECK-NEXT: tilegpu.barrier{{$}}
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: local_load
  func.func @both(%p: tensor<64x!tile.ptr<f32>, #line>, %q: tensor<64x!tile.ptr<f32>, #moved>, %x: tensor<64xf32, #line>) {
    %a = tilegpu.local_alloc at 0 : !buffer
    tile.store %p, %x contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !buffer
    %z = tile.load %q contiguity [1] width [1] : tensor<64x!tile.ptr<f32>, #moved> -> tensor<64xf32, #moved>
    %y = tilegpu.local_load %a : !buffer -> tensor<64xf32, #moved>
    return
  }

  // The next iteration reads what this one writes: the barrier between the two orders that, and also what this one has
  // read before it writes. The barrier before the store to global memory need not.
  //
  // CHECK-LABEL: @loop
  // CHECK: scf.for
  // CHECK-NEXT: tilegpu.barrier{{$}}
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: local_store
  // CHECK-NEXT: tilegpu.barrier shared
  // CHECK-NEXT: local_load
  // CHECK-NEXT: tilegpu.barrier{{$}}
  // CHECK-NEXT: local_store
  // CHECK-NEXT: tile.store
  func.func @loop(%p: tensor<64x!tile.ptr<f32>, #line>, %q: tensor<64x!tile.ptr<f32>, #moved>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = tilegpu.local_alloc at 0 : !buffer
    scf.for %k = %c0 to %n step %c1 : i32 {
      %x = tile.load %p contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
      tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !buffer
      %y = tilegpu.local_load %a : !buffer -> tensor<64xf32, #moved>
      tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !buffer
      tile.store %q, %y contiguity [1] width [1] : tensor<64x!tile.ptr<f32>, #moved>, tensor<64xf32, #moved>
    }
    return
  }

  // A barrier behind the loop separates its loads from the store, rather than one in each iteration.
  //
  // CHECK-LABEL: @behind
  // CHECK: scf.for
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tilegpu.barrier shared
  // CHECK-NEXT: local_store
  // CHECK-NEXT: tilegpu.barrier shared
  // CHECK-NEXT: local_load
  // CHECK-NEXT: }
  // CHECK-NEXT: tilegpu.barrier{{$}}
  // CHECK-NEXT: tile.store
  func.func @behind(%p: tensor<64x!tile.ptr<f32>, #line>, %q: tensor<64x!tile.ptr<f32>, #moved>, %n: i32, %z: tensor<64xf32, #moved>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = tilegpu.local_alloc at 0 : !buffer
    scf.for %k = %c0 to %n step %c1 : i32 {
      %x = tile.load %p contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line> -> tensor<64xf32, #line>
      tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !buffer
      %y = tilegpu.local_load %a : !buffer -> tensor<64xf32, #moved>
    }
    tile.store %q, %z contiguity [1] width [1] : tensor<64x!tile.ptr<f32>, #moved>, tensor<64xf32, #moved>
    return
  }

  // An atomic that releases orders the stores of all threads before it.
  //
  // CHECK-LABEL: @release
  // CHECK: tilegpu.barrier{{$}}
  // CHECK: tile.atomic_rmw
  func.func @release(%p: tensor<64x!tile.ptr<f32>, #line>, %x: tensor<64xf32, #line>, %count: !tile.ptr<i32>) {
    %c1 = arith.constant 1 : i32
    tile.store %p, %x contiguity [64] width [1] : tensor<64x!tile.ptr<f32>, #line>, tensor<64xf32, #line>
    %old = tile.atomic_rmw #tile.rmw<add> %count, %c1 {sem = #tile.sem<release>} : !tile.ptr<i32>, i32
    return
  }

  // A barrier of the program orders everything.
  //
  // CHECK-LABEL: @explicit
  // CHECK: tile.barrier{{$}}
  func.func @explicit(%x: tensor<64xf32, #line>) {
    %a = tilegpu.local_alloc at 0 : !buffer
    tilegpu.local_store %x, %a : tensor<64xf32, #line> -> !buffer
    tile.barrier
    %y = tilegpu.local_load %a : !buffer -> tensor<64xf32, #moved>
    return
  }
}
