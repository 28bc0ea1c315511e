// RUN: tilewright-opt %s --split-input-file --defer-store-waits | FileCheck %s

#boxes = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
!buffer = !tilegpu.buffer<64x64xf16, #boxes>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // Both waits are before the first store to a buffer: each is for all copies.
  // CHECK-LABEL: @two
  // CHECK: %[[A:.*]] = tilegpu.local_alloc
  // CHECK: %[[B:.*]] = tilegpu.local_alloc
  // CHECK: scf.for
  // CHECK-NEXT: tilegpu.box_store_wait %[[A]] :
  // CHECK-NEXT: tilegpu.box_store_wait %[[B]] :
  // CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[A]]
  // CHECK-NEXT: tilegpu.box_store 0
  // CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[B]]
  // CHECK-NEXT: tilegpu.box_store 1
  // CHECK-NEXT: }
  // CHECK-NEXT: tilegpu.box_store_wait %{{.*}} read
  // CHECK-NEXT: tilegpu.box_store_wait %{{.*}} read
  func.func @two(%c: !tile.ptr<f16>, %n: i32, %x: tensor<64x64xf16, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %a = tilegpu.local_alloc : !buffer
      tilegpu.local_store %x, %a : tensor<64x64xf16, #acc> -> !buffer
      tilegpu.box_store 0[%c0, %i] of %c from %a apart : !tile.ptr<f16>, !buffer
      tilegpu.box_store_wait %a : !buffer
      %b = tilegpu.local_alloc : !buffer
      tilegpu.local_store %x, %b : tensor<64x64xf16, #acc> -> !buffer
      tilegpu.box_store 1[%c0, %i] of %c from %b apart : !tile.ptr<f16>, !buffer
      tilegpu.box_store_wait %b : !buffer
    }
    return
  }

  // Warp groups may write the same elements: a barrier between two copies must follow the wait for the first one.
  // CHECK-LABEL: @not_apart
  // CHECK: scf.for
  // CHECK: tilegpu.box_store 0
  // CHECK-NEXT: tilegpu.box_store_wait
  // CHECK-NEXT: }
  func.func @not_apart(%c: !tile.ptr<f16>, %n: i32, %x: tensor<64x64xf16, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %a = tilegpu.local_alloc : !buffer
      tilegpu.local_store %x, %a : tensor<64x64xf16, #acc> -> !buffer
      tilegpu.box_store 0[%c0, %i] of %c from %a : !tile.ptr<f16>, !buffer
      tilegpu.box_store_wait %a : !buffer
    }
    return
  }

  // A loop around this one may store the same elements: the wait after the loop is for the write.
  // CHECK-LABEL: @nested
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: box_store 0
  // CHECK: }
  // CHECK-NEXT: tilegpu.box_store_wait %{{[a-z0-9]*}} :
  func.func @nested(%c: !tile.ptr<f16>, %n: i32, %x: tensor<64x64xf16, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      scf.for %i = %c0 to %n step %c1 : i32 {
        %a = tilegpu.local_alloc : !buffer
        tilegpu.local_store %x, %a : tensor<64x64xf16, #acc> -> !buffer
        tilegpu.box_store 0[%c0, %i] of %c from %a apart : !tile.ptr<f16>, !buffer
        tilegpu.box_store_wait %a : !buffer
      }
    }
    return
  }

  // What is written in a branch, or read by threads too, stays.
  // CHECK-LABEL: @branch
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: box_store 0
  // CHECK-NEXT: box_store_wait
  // CHECK-LABEL: @read
  // CHECK: scf.for
  // CHECK-NEXT: local_alloc
  // CHECK: box_store 0
  // CHECK-NEXT: box_store_wait
  func.func @branch(%c: !tile.ptr<f16>, %n: i32, %some: i1, %x: tensor<64x64xf16, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.if %some {
        %a = tilegpu.local_alloc : !buffer
        tilegpu.local_store %x, %a : tensor<64x64xf16, #acc> -> !buffer
        tilegpu.box_store 0[%c0, %i] of %c from %a apart : !tile.ptr<f16>, !buffer
        tilegpu.box_store_wait %a : !buffer
      }
    }
    return
  }
  func.func @read(%c: !tile.ptr<f16>, %n: i32, %x: tensor<64x64xf16, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %a = tilegpu.local_alloc : !buffer
      tilegpu.local_store %x, %a : tensor<64x64xf16, #acc> -> !buffer
      tilegpu.box_store 0[%c0, %i] of %c from %a apart : !tile.ptr<f16>, !buffer
      tilegpu.box_store_wait %a : !buffer
      %y = tilegpu.local_load %a : !buffer -> tensor<64x64xf16, #acc>
    }
    return
  }
}

// -----

// Three programs of 64 KiB of shared memory run on a multiprocessor; with a buffer of its own for the copy, only two of
// 72 KiB more would.

#boxes = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
!buffer = !tilegpu.buffer<64x64xf16, #boxes>
!ring = !tilegpu.buffer<64x64xf16, #boxes, 9>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @occupancy
  // CHECK: scf.for
  // CHECK: box_store 0
  // CHECK-NEXT: box_store_wait
  func.func @occupancy(%c: !tile.ptr<f16>, %n: i32, %x: tensor<64x64xf16, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %r = tilegpu.local_alloc : !ring
      %s = tilegpu.local_slot %r[%c0] : !ring -> !buffer
      tilegpu.local_store %x, %s : tensor<64x64xf16, #acc> -> !buffer
      %y = tilegpu.local_load %s : !buffer -> tensor<64x64xf16, #acc>
      %a = tilegpu.local_alloc : !buffer
      tilegpu.local_store %y, %a : tensor<64x64xf16, #acc> -> !buffer
      tilegpu.box_store 0[%c0, %i] of %c from %a apart : !tile.ptr<f16>, !buffer
      tilegpu.box_store_wait %a : !buffer
    }
    return
  }
}
