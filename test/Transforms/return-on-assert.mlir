// RUN: tilewright-opt %s --return-on-assert --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @checked(
// CHECK-SAME: tile.asserts = [{column = 5 : i64, file = "k.py", line = 7 : i64, message = "n is positive"},
// CHECK-SAME: message = "n is even"
// CHECK: cf.cond_br %{{.*}}, ^[[NEXT:.*]], ^[[FIRST:bb[0-9]+]]
// CHECK: ^[[NEXT]]:
// CHECK: cf.cond_br %{{.*}}, ^[[LAST:.*]], ^[[SECOND:bb[0-9]+]]
// CHECK: ^[[FIRST]]:
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: return %[[ONE]]
// CHECK: ^[[SECOND]]:
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: return %[[TWO]]
func.func @checked(%a: i1, %b: i1) -> i32 {
  %ok = arith.constant 0 : i32
  cf.assert %a, "n is positive" loc("k.py":7:5)
  cf.assert %b, "n is even"
  return %ok : i32
}

// -----

// expected-error @below {{has assertions but does not return an i32 status}}
func.func @no_status(%a: i1) {
  cf.assert %a, "always"
  return
}

// -----

// An assertion with `tile.status` returns that value, and is not listed.
// CHECK-LABEL: func.func @status(
// CHECK-NOT: tile.asserts
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^[[FAILED:bb[0-9]+]]
// CHECK: ^[[FAILED]]:
// CHECK: %[[CODE:.*]] = arith.constant -1 : i32
// CHECK: return %[[CODE]]
func.func @status(%a: i1) -> i32 {
  %zero = arith.constant 0 : i32
  cf.assert %a, "out of bounds" {tile.status = -1 : i32}
  return %zero : i32
}

// -----

// Assertions are numbered in the module. A caller of a function that can fail returns the function's status.
// CHECK-LABEL: func.func private @callee(
// CHECK-NOT: tile.asserts
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[NOTHING:.*]] = llvm.mlir.poison : f32
// CHECK: return %[[ONE]], %[[NOTHING]]
func.func private @callee(%a: i1, %x: f32) -> (i32, f32) {
  %zero = arith.constant 0 : i32
  cf.assert %a, "inner"
  return %zero, %x : i32, f32
}

func.func private @harmless() -> i32 {
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// CHECK-LABEL: func.func @caller(
// CHECK-SAME: tile.asserts = [{{.*}}message = "inner"{{.*}}message = "outer"
// CHECK: %[[CALL:.*]]:2 = call @callee
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[CALL]]#0, %{{.*}} : i32
// CHECK: cf.cond_br %[[OK]], ^{{.*}}, ^[[PASS:bb[0-9]+]]
// CHECK: call @harmless
// CHECK-NEXT: return
// CHECK: arith.constant 2 : i32
// CHECK: ^[[PASS]]:
// CHECK-NEXT: return %[[CALL]]#0
func.func @caller(%a: i1, %x: f32) -> i32 {
  %zero = arith.constant 0 : i32
  cf.assert %a, "outer"
  %status, %y = call @callee(%a, %x) : (i1, f32) -> (i32, f32)
  %fine = call @harmless() : () -> i32
  return %zero : i32
}
