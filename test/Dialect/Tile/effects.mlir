// What upstream's passes may do with memory operations.
// RUN: tilewright-opt %s -cse | FileCheck %s --check-prefixes=CHECK,CSE
// RUN: tilewright-opt %s -hoist-invariants | FileCheck %s --check-prefixes=CHECK,LICM
// RUN: tilewright-opt %s -canonicalize | FileCheck %s --check-prefixes=CHECK,DCE

// Equal loads are merged unless there is a store between them.
// CHECK-LABEL: func.func @loads
func.func @loads(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) -> (f32, f32, f32) {
  // CSE-NEXT: %[[A:.*]] = tile.load
  // CSE-NEXT: tile.store
  // CSE-NEXT: %[[B:.*]] = tile.load
  // CSE-NEXT: return %[[A]], %[[A]], %[[B]]
  %0 = tile.load %p : !tile.ptr<f32> -> f32
  %1 = tile.load %p : !tile.ptr<f32> -> f32
  tile.store %q, %0 : !tile.ptr<f32>, f32
  %2 = tile.load %p : !tile.ptr<f32> -> f32
  return %0, %1, %2 : f32, f32, f32
}

// An unused load is removed unless it is volatile; writes are not.
// CHECK-LABEL: func.func @dead
func.func @dead(%p: !tile.ptr<i32>, %i: i32, %x: tensor<8xi32>) {
  // DCE-NEXT: tile.load %{{.*}} volatile
  // DCE-NEXT: tile.atomic_rmw
  // DCE-NEXT: tile.atomic_cas
  // DCE-NEXT: tile.print
  // DCE-NEXT: tile.barrier
  // DCE-NEXT: return
  %0 = tile.load %p : !tile.ptr<i32> -> i32
  %1 = tile.load %p volatile : !tile.ptr<i32> -> i32
  %2 = tile.atomic_rmw #tile.rmw<add> %p, %i : !tile.ptr<i32>, i32
  %3 = tile.atomic_cas %p, %i, %i : !tile.ptr<i32>, i32
  %4 = tile.reduce(%x) 0 {
  ^bb0(%l: i32, %r: i32):
    %m = arith.maxsi %l, %r : i32
    tile.yield %m : i32
  } : (tensor<8xi32>) -> i32
  tile.print ["i", ""] ["d"] (%i : i32)
  tile.barrier
  return
}

// Pure operations, including reductions, are hoisted out of loops; loads are not.
// CHECK-LABEL: func.func @invariant
func.func @invariant(%x: tensor<8xi32>, %p: !tile.ptr<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // LICM: tile.make_range
  // LICM: tile.reduce
  // LICM: scf.for
  // LICM-NEXT: tile.load
  // LICM-NEXT: tile.store
  // LICM-NEXT: tile.store
  scf.for %i = %c0 to %n step %c1 {
    %r = tile.make_range 0 to 8 : tensor<8xi32>
    %y = arith.addi %x, %r : tensor<8xi32>
    %m = tile.reduce(%y) 0 {
    ^bb0(%l: i32, %s: i32):
      %t = arith.maxsi %l, %s : i32
      tile.yield %t : i32
    } : (tensor<8xi32>) -> i32
    %v = tile.load %p : !tile.ptr<i32> -> i32
    tile.store %p, %m : !tile.ptr<i32>, i32
    tile.store %p, %v : !tile.ptr<i32>, i32
  }
  return
}
