// RUN: tilewright-opt %s --speculate-loads | FileCheck %s

!ptrs = tensor<16x!tile.ptr<f32>>
!mask = tensor<16xi1>
!tile = tensor<16xf32>

// The store after the branch reaches all that the load reads, whatever the condition is.
// CHECK-LABEL: func.func @sum(
// CHECK-NEXT: %[[X:.*]] = tile.load
// CHECK-NEXT: scf.if
// CHECK: tile.atomic_rmw
// CHECK: } else {
// CHECK-NEXT: arith.addf %{{.*}}, %[[X]]
func.func @sum(%c: i1, %p: !ptrs, %m: !mask, %v: !tile, %flag: !tile.ptr<i32>, %one: i32) {
  %s = scf.if %c -> (!tile) {
    %old = tile.atomic_rmw <xchg> %flag, %one : !tile.ptr<i32>, i32
    scf.yield %v : !tile
  } else {
    %x = tile.load %p mask %m : !ptrs, mask !mask -> !tile
    %t = arith.addf %v, %x : !tile
    scf.yield %t : !tile
  }
  %u = arith.negf %s : !tile
  tile.store %p, %u mask %m : !ptrs, !tile, mask !mask
  return
}

// A branch without an alternative; a store without a mask.
// CHECK-LABEL: func.func @no_alternative(
// CHECK-NEXT: tile.load
// CHECK-NEXT: scf.if
func.func @no_alternative(%c: i1, %p: !ptrs, %q: !ptrs, %m: !mask, %v: !tile) {
  scf.if %c {
    %x = tile.load %p mask %m : !ptrs, mask !mask -> !tile
    tile.store %q, %x : !ptrs, !tile
  }
  tile.store %p, %v : !ptrs, !tile
  return
}

// The store writes fewer elements.
// CHECK-LABEL: func.func @other_mask(
// CHECK-NEXT: scf.if
func.func @other_mask(%c: i1, %p: !ptrs, %q: !ptrs, %m: !mask, %v: !tile) {
  scf.if %c {
    %x = tile.load %p : !ptrs -> !tile
    tile.store %q, %x : !ptrs, !tile
  }
  tile.store %p, %v mask %m : !ptrs, !tile, mask !mask
  return
}

// The branch writes memory before it loads.
// CHECK-LABEL: func.func @store_before(
// CHECK-NEXT: scf.if
func.func @store_before(%c: i1, %p: !ptrs, %q: !ptrs, %v: !tile) {
  scf.if %c {
    tile.store %q, %v : !ptrs, !tile
    %x = tile.load %p : !ptrs -> !tile
    tile.store %q, %x : !ptrs, !tile
  }
  tile.store %p, %v : !ptrs, !tile
  return
}

// An atomic before the store may wait for what another program does with this memory, as may a barrier for another warp.
// CHECK-LABEL: func.func @atomic_before_store(
// CHECK-NEXT: scf.if
func.func @atomic_before_store(%c: i1, %p: !ptrs, %q: !ptrs, %v: !tile, %flag: !tile.ptr<i32>, %one: i32) {
  scf.if %c {
    %x = tile.load %p : !ptrs -> !tile
    tile.store %q, %x : !ptrs, !tile
  }
  %old = tile.atomic_rmw <xchg> %flag, %one : !tile.ptr<i32>, i32
  tile.store %p, %v : !ptrs, !tile
  return
}

// The other region may not come to its end: it asserts, or loops.
// CHECK-LABEL: func.func @assert_otherwise(
// CHECK-NEXT: scf.if
func.func @assert_otherwise(%c: i1, %d: i1, %p: !ptrs, %q: !ptrs, %v: !tile) {
  scf.if %c {
    %x = tile.load %p : !ptrs -> !tile
    tile.store %q, %x : !ptrs, !tile
  } else {
    tile.assert %d, "no" : i1
  }
  tile.store %p, %v : !ptrs, !tile
  return
}

// Volatile loads are executed where the program has them; an address of the branch is not known before it.
// CHECK-LABEL: func.func @volatile_and_own_address(
// CHECK-NEXT: scf.if
func.func @volatile_and_own_address(%c: i1, %p: !ptrs, %q: !ptrs, %o: tensor<16xi32>, %v: !tile) {
  scf.if %c {
    %x = tile.load %p volatile : !ptrs -> !tile
    %r = tile.addptr %p, %o : !ptrs, tensor<16xi32>
    %y = tile.load %r : !ptrs -> !tile
    %z = arith.addf %x, %y : !tile
    tile.store %q, %z : !ptrs, !tile
  }
  tile.store %p, %v : !ptrs, !tile
  return
}
