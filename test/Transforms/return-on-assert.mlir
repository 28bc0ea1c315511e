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
