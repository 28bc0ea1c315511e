// RUN: tilewright-opt %s --restore-locations --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Existing positions are kept.
// CHECK-LABEL: @known
func.func @known(%n: i32) -> i32 {
  // CHECK: arith.addi {{.*}} loc("kernel.py":2:5)
  %sum = arith.addi %n, %n : i32 loc("kernel.py":2:5)
  // CHECK: arith.muli {{.*}} loc(callsite("helpers.py":8:13 at "kernel.py":3:5))
  %product = arith.muli %sum, %n : i32 loc(callsite("helpers.py":8:13 at "kernel.py":3:5))
  return %product : i32 loc("kernel.py":4:5)
} loc("kernel.py":1:1)

// -----

// An operation without a position gets that of the enclosing operation.
// CHECK-LABEL: @unknown
func.func @unknown(%c: i1, %n: i32) -> i32 {
  // CHECK: arith.constant {{.*}} loc("kernel.py":1:1)
  %five = arith.constant 5 : i32 loc(unknown)
  // CHECK: scf.if
  %x = scf.if %c -> i32 {
    // CHECK: arith.addi {{.*}} loc("kernel.py":2:5)
    %sum = arith.addi %n, %five : i32 loc(unknown)
    scf.yield %sum : i32 loc("name"(unknown))
  } else {
    scf.yield %five : i32
  } loc("kernel.py":2:5)
  return %x : i32 loc("kernel.py":4:5)
} loc("kernel.py":1:1)

// -----

// Known frames of a call stack are kept, the innermost first.
// CHECK-LABEL: @calls
func.func @calls(%n: i32) -> i32 {
  // CHECK: arith.addi {{.*}} loc("kernel.py":46:44)
  %0 = arith.addi %n, %n : i32 loc(callsite(unknown at "kernel.py":46:44))
  // CHECK: arith.addi {{.*}} loc("helpers.py":7:8)
  %1 = arith.addi %0, %n : i32 loc(callsite("helpers.py":7:8 at unknown))
  // CHECK: arith.addi {{.*}} loc(callsite("a.py":1:1 at callsite("b.py":2:2 at "c.py":3:3)))
  %2 = arith.addi %1, %n : i32 loc(callsite(callsite("a.py":1:1 at "b.py":2:2) at "c.py":3:3))
  // CHECK: arith.addi {{.*}} loc(callsite("a.py":1:1 at "c.py":3:3))
  %3 = arith.addi %2, %n : i32 loc(callsite(callsite("a.py":1:1 at unknown) at "c.py":3:3))
  // CHECK: arith.addi {{.*}} loc("c.py":3:3)
  %4 = arith.addi %3, %n : i32 loc(callsite(callsite(unknown at unknown) at "c.py":3:3))
  return %4 : i32
} loc("kernel.py":1:1)

// -----

// Names and fused locations are reduced to a position.
// CHECK-LABEL: @composed
func.func @composed(%n: i32) -> i32 {
  // CHECK: arith.addi {{.*}} loc("kernel.py":2:5)
  %0 = arith.addi %n, %n : i32 loc("x"("kernel.py":2:5))
  // CHECK: arith.addi {{.*}} loc("kernel.py":3:5)
  %1 = arith.addi %0, %n : i32 loc(fused[unknown, "kernel.py":3:5, "kernel.py":4:5])
  // CHECK: arith.addi {{.*}} loc(callsite("helpers.py":7:8 at "kernel.py":5:5))
  %2 = arith.addi %1, %n : i32 loc(callsite(fused["helpers.py":7:8] at "f"("kernel.py":5:5)))
  // CHECK: arith.addi {{.*}} loc("kernel.py":6:5)
  %3 = arith.addi %2, %n : i32 loc("kernel.py":6:5 to 7:9)
  return %3 : i32
} loc("kernel.py":1:1)

// -----

// Nothing changes if no position is known.
// CHECK-LABEL: @nothing
module @nothing {
  // CHECK: func.func
  func.func @f(%n: i32) -> i32 {
    // CHECK: arith.addi {{.*}} loc(unknown)
    %0 = arith.addi %n, %n : i32 loc(unknown)
    return %0 : i32 loc(unknown)
  } loc(unknown)
} loc(unknown)
