// RUN: tilewright-opt %s -drop-dead-carried -canonicalize | FileCheck %s

// A running maximum that nothing uses, and what only it needs.
// CHECK-LABEL: func @unused
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK-NOT: maximumf
// CHECK: return
func.func @unused(%p: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %zero) -> f32 : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32> -> f32
    tile.store %q, %x : !tile.ptr<f32>, f32
    %next = arith.maximumf %m, %x : f32
    scf.yield %next : f32
  }
  return
}

// Its value in the loop is stored.
// CHECK-LABEL: func @stored
// CHECK: iter_args
// CHECK: arith.maximumf
func.func @stored(%p: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %zero) -> f32 : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32> -> f32
    %next = arith.maximumf %m, %x : f32
    tile.store %q, %next : !tile.ptr<f32>, f32
    scf.yield %next : f32
  }
  return
}

// Another carried value, which is used, is computed from it.
// CHECK-LABEL: func @feeds_another
// CHECK: iter_args
// CHECK: arith.maximumf
func.func @feeds_another(%p: !tile.ptr<f32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %zero, %s = %zero) -> (f32, f32) : i32 {
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32> -> f32
    %next = arith.maximumf %m, %x : f32
    %sum = arith.addf %s, %m : f32
    scf.yield %next, %sum : f32, f32
  }
  return %r#1 : f32
}

// A branch depends on it.
// CHECK-LABEL: func @decides
// CHECK: iter_args
func.func @decides(%p: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %c0) -> i32 : i32 {
    %is = arith.cmpi sgt, %m, %i : i32
    scf.if %is {
      tile.store %p, %i : !tile.ptr<i32>, i32
    }
    %next = arith.muli %m, %n : i32
    scf.yield %next : i32
  }
  return
}
