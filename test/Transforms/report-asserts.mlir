// RUN: tilewright-opt %s --report-asserts --split-input-file | FileCheck %s

// Functions that are called get the mailbox, too, if they have assertions or call such functions. Callees come first.
// CHECK-LABEL: func.func private @checks(
// CHECK-SAME: %{{.*}}: i1, %[[MAILBOX:.*]]: !tile.ptr<i64>)
// CHECK: tile.assert %{{.*}}, "in a function" report 1 to %[[MAILBOX]]
func.func private @checks(%ok: i1) attributes {no_inline} {
  tile.assert %ok, "in a function" : i1 loc("called.py":3:5)
  return
}

// CHECK-LABEL: func.func private @calls(
// CHECK-SAME: %[[OK:.*]]: i1, %[[MAILBOX:.*]]: !tile.ptr<i64>)
// CHECK: tile.call @checks(%[[OK]], %[[MAILBOX]]) : (i1, !tile.ptr<i64>) -> ()
func.func private @calls(%ok: i1) attributes {no_inline} {
  tile.call @checks(%ok) : (i1) -> ()
  return
}

// CHECK-LABEL: func.func private @has_none(
// CHECK-SAME: %{{[a-z0-9]*}}: i1)
func.func private @has_none(%ok: i1) attributes {no_inline} {
  return
}

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %[[OK:.*]]: i1 {tile.slot = 0 : i32}, %[[MAILBOX:.*]]: !tile.ptr<i64> {tile.hidden_slot = 0 : i32})
// CHECK-SAME: tile.asserts = [
// CHECK-SAME: {column = 5 : i64, file = "called.py", line = 3 : i64, message = "in a function"},
// CHECK-SAME: {column = 1 : i64, file = "kernel.py", line = 7 : i64, message = "all"},
// CHECK-SAME: {column = 0 : i64, file = "", line = 0 : i64, message = ""}]
// CHECK: tile.assert %{{.*}}, "all" report 2 to %[[MAILBOX]] : tensor<64xi1>, !tile.ptr<i64>
// CHECK: scf.if
// CHECK-NEXT: tile.assert %[[OK]], "" report 3 to %[[MAILBOX]]
// CHECK: tile.call @calls(%[[OK]], %[[MAILBOX]])
// CHECK: tile.call @has_none(%[[OK]]) : (i1) -> ()
func.func @kernel(%ok: i1 {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %all = tile.splat %ok : tensor<64xi1>
  tile.assert %all, "all" : tensor<64xi1> loc("kernel.py":7:1)
  scf.if %ok {
    tile.assert %ok, "" : i1 loc(unknown)
  }
  tile.call @calls(%ok) : (i1) -> ()
  tile.call @has_none(%ok) : (i1) -> ()
  return
}

// -----

// The numbers follow those of checked accesses, and the mailbox is theirs.
// CHECK-LABEL: func.func @after_check_bounds(
// CHECK-SAME: %[[OK:.*]]: i1, %[[MAILBOX:.*]]: !tile.ptr<i64> {tile.hidden_slot = 0 : i32}, %{{.*}}: i64 {tile.hidden_slot = 1 : i32})
// CHECK-SAME: tile.asserts = [{{{[^}]*}}message = "own"}]
// CHECK: tile.assert %[[OK]], "reads 4 bytes out of bounds" report 2 to %[[MAILBOX]]
// CHECK: tile.assert %[[OK]], "own" report 3 to %[[MAILBOX]]
func.func @after_check_bounds(%ok: i1, %mailbox: !tile.ptr<i64> {tile.hidden_slot = 0 : i32},
                              %size: i64 {tile.hidden_slot = 1 : i32})
    attributes {tile.kernel, tile.checked_accesses = [{}, {}]} {
  tile.assert %ok, "reads 4 bytes out of bounds" report 2 to %mailbox : i1, !tile.ptr<i64>
  tile.assert %ok, "own" : i1
  return
}

// -----

// CHECK-LABEL: func.func @without(
// CHECK-SAME: %{{[a-z0-9]*}}: i1) attributes {tile.kernel}
func.func @without(%ok: i1) attributes {tile.kernel} {
  return
}
