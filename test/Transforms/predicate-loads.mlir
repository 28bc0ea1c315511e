// RUN: tilewright-opt %s --predicate-loads | FileCheck %s
// RUN: tilewright-opt %s --predicate-loads=num-stages=1 | FileCheck %s --check-prefix=ONE
// RUN: tilewright-opt %s --predicate-loads=shared-bytes=2048 | FileCheck %s
// RUN: tilewright-opt %s --predicate-loads=shared-bytes=2047 | FileCheck %s --check-prefix=ONE

!ptrs = tensor<16x16x!tile.ptr<f16>>

// The load, its address and its mask are computed in every iteration; the dot is not. Its 512 bytes need to fit shared
// memory in three stages and one more.
// CHECK-LABEL: func.func @after_continue(
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1, %[[OWN:[a-z0-9]+]]: tensor<16x16xi1>
// CHECK: scf.for
// CHECK-NEXT: %[[Q:.*]] = tile.addptr
// CHECK-NEXT: %[[SPLAT:.*]] = tile.splat %[[C]] : tensor<16x16xi1>
// CHECK-NEXT: %[[MASK:.*]] = arith.andi %[[OWN]], %[[SPLAT]]
// CHECK-NEXT: %[[X:.*]] = tile.load %[[Q]] mask %[[MASK]]
// CHECK-NEXT: scf.if %[[C]]
// CHECK-NEXT: tile.dot %[[X]], %[[X]]
// ONE-LABEL: func.func @after_continue(
// ONE: scf.if
// ONE: tile.load
func.func @after_continue(%c: i1, %own: tensor<16x16xi1>, %p: !ptrs, %o: tensor<16x16xi32>, %init: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<16x16xf32>) : i32 {
    %s = scf.if %c -> (tensor<16x16xf32>) {
      %q = tile.addptr %p, %o : !ptrs, tensor<16x16xi32>
      %x = tile.load %q mask %own : !ptrs, mask tensor<16x16xi1> -> tensor<16x16xf16>
      %d = tile.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    } else {
      scf.yield %acc : tensor<16x16xf32>
    }
    scf.yield %s : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// Branches in branches, the inner of which depends on a load; and a region that is executed where a condition is false.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1, %[[FLAG:[a-z0-9]+]]: !tile.ptr<i1>
// CHECK: scf.for
// CHECK: %[[NOT:.*]] = arith.xori %[[C]], %true
// CHECK: %[[INNER:.*]] = tile.load %[[FLAG]] mask %[[NOT]] : !tile.ptr<i1>, mask i1 -> i1
// CHECK: %[[M:.*]] = tile.splat %[[INNER]]
// CHECK: %[[N:.*]] = tile.splat %[[NOT]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[M]], %[[N]]
// CHECK: tile.load %{{.*}} mask %[[BOTH]]
// CHECK: scf.if %[[C]]
func.func @nested(%c: i1, %flag: !tile.ptr<i1>, %p: !ptrs, %init: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<16x16xf32>) : i32 {
    %s = scf.if %c -> (tensor<16x16xf32>) {
      scf.yield %acc : tensor<16x16xf32>
    } else {
      %f = tile.load %flag : !tile.ptr<i1> -> i1
      %t = scf.if %f -> (tensor<16x16xf32>) {
        %x = tile.load %p : !ptrs -> tensor<16x16xf16>
        %d = tile.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
        scf.yield %d : tensor<16x16xf32>
      } else {
        scf.yield %acc : tensor<16x16xf32>
      }
      scf.yield %t : tensor<16x16xf32>
    }
    scf.yield %s : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// Loads stay that follow a store, that are volatile, whose address is divided by a value, or that feed no dot.
// CHECK-LABEL: func.func @stay(
// CHECK: scf.for
// CHECK-NEXT: scf.if
// CHECK-NOT: scf.for
// CHECK: return
func.func @stay(%c: i1, %p: !ptrs, %o: tensor<16x16xi32>, %init: tensor<16x16xf32>, %n: i32, %v: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<16x16xf32>) : i32 {
    %s = scf.if %c -> (tensor<16x16xf32>) {
      %volatile = tile.load %p volatile : !ptrs -> tensor<16x16xf16>
      %quotient = arith.remsi %o, %o : tensor<16x16xi32>
      %divided = tile.addptr %p, %quotient : !ptrs, tensor<16x16xi32>
      %y = tile.load %divided : !ptrs -> tensor<16x16xf16>
      %uncached = tile.load %p {cache = #tile.cache<cv>} : !ptrs -> tensor<16x16xf16>
      %unused = tile.load %p : !ptrs -> tensor<16x16xf16>
      %c0f = tile.dot %uncached, %uncached, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      %d = tile.dot %volatile, %y, %c0f : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      tile.store %p, %v : !ptrs, tensor<16x16xf16>
      %x = tile.load %p : !ptrs -> tensor<16x16xf16>
      %e = tile.dot %x, %x, %d : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %e : tensor<16x16xf32>
    } else {
      scf.yield %acc : tensor<16x16xf32>
    }
    scf.yield %s : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}
