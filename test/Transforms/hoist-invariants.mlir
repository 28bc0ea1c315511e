// RUN: tilewright-opt %s --hoist-invariants | FileCheck %s

// CHECK-LABEL: func.func @hoists
// CHECK: arith.muli
// CHECK: scf.for
func.func @hoists(%n: i32, %a: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> i32 : i32 {
    %x = arith.muli %a, %a : i32
    %y = arith.addi %sum, %x : i32
    scf.yield %y : i32
  }
  return %r : i32
}

// Nothing leaves the loop with the attribute; the inner loop is not affected.
// CHECK-LABEL: func.func @keeps
// CHECK: scf.for
// CHECK: arith.muli
// CHECK: scf.for
// CHECK-NOT: arith.muli
// CHECK: tile.disable_licm
func.func @keeps(%n: i32, %a: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> i32 : i32 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %sum) -> i32 : i32 {
      %x = arith.muli %a, %a : i32
      %y = arith.addi %inner, %x : i32
      scf.yield %y : i32
    }
    scf.yield %s : i32
  } {tile.disable_licm}
  return %r : i32
}

// CHECK-LABEL: func.func @keeps_while
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: arith.muli
// CHECK: attributes {tile.disable_licm}
func.func @keeps_while(%n: i32, %a: i32) -> i32 {
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %goes = arith.cmpi sgt, %i, %a : i32
    scf.condition(%goes) %i : i32
  } do {
  ^bb0(%i: i32):
    %x = arith.muli %a, %a : i32
    %y = arith.subi %i, %x : i32
    scf.yield %y : i32
  } attributes {tile.disable_licm}
  return %r : i32
}
