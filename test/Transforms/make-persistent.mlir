// RUN: tilewright-opt %s --make-persistent --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tilewright-opt %s --make-persistent=cooperative --split-input-file 2>&1 | FileCheck %s --check-prefix=COOPERATIVE

// COOPERATIVE: warning: the kernel is not persistent: all programs of a cooperative launch run at the same time
// COOPERATIVE-NOT: scf.for

// CHECK-LABEL: func.func @positions(
// CHECK-SAME: %[[X:.*]]: !tile.ptr<i32>, %[[GX:.*]]: i32 {tile.hidden_slot = 0 : i32}, %[[GY:.*]]: i32 {tile.hidden_slot = 1 : i32}, %[[GZ:.*]]: i32 {tile.hidden_slot = 2 : i32})
// CHECK-SAME: attributes {tile.kernel, tile.persistent}
// CHECK: %[[COLUMNS:.*]] = arith.maxsi %[[GX]], %{{.*}}
// CHECK: %[[ROWS:.*]] = arith.maxsi %[[GY]], %{{.*}}
// CHECK: %[[LAYERS:.*]] = arith.maxsi %[[GZ]], %{{.*}}
// CHECK: %[[PROGRAMS:.*]] = arith.muli %[[COLUMNS]], %{{.*}} overflow<nsw>
// CHECK: %[[FIRST:.*]] = tile.program_id 0
// CHECK: %[[STEP:.*]] = tile.num_programs 0
// CHECK: scf.for %[[NUMBER:.*]] = %[[FIRST]] to %[[PROGRAMS]] step %[[STEP]] : i32
// CHECK: %[[COLUMN:.*]] = arith.remsi %[[NUMBER]], %[[COLUMNS]]
// CHECK: %[[REST:.*]] = arith.divsi %[[NUMBER]], %[[COLUMNS]]
// CHECK: %[[ROW:.*]] = arith.remsi %[[REST]], %[[ROWS]]
// CHECK: %[[LAYER:.*]] = arith.divsi %[[REST]], %[[ROWS]]
// CHECK: arith.addi %[[COLUMN]], %[[LAYER]]
// CHECK: arith.addi %{{.*}}, %[[ROWS]]
// CHECK: return
func.func @positions(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %p = tile.program_id 0 : i32
  %r = tile.program_id 2 : i32
  %n = tile.num_programs 1 : i32
  %0 = arith.addi %p, %r : i32
  %1 = arith.addi %0, %n : i32
  %2 = tile.addptr %x, %1 : !tile.ptr<i32>, i32
  tile.store %2, %1 : !tile.ptr<i32>, i32
  return
}

// -----

// expected-warning @below {{the kernel is not persistent: it waits for other launches, or lets them start}}
func.func @waits(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %p = tile.program_id 0 : i32
  tile.wait_for_grids
  tile.store %x, %p : !tile.ptr<i32>, i32
  return
}

// -----

// expected-warning @below {{the kernel is not persistent: it has assertions, checks or prints, which name the program}}
func.func @checked(%x: !tile.ptr<i32>, %mailbox: !tile.ptr<i64> {tile.hidden_slot = 0 : i32}) attributes {tile.kernel} {
  %p = tile.program_id 0 : i32
  tile.store %x, %p : !tile.ptr<i32>, i32
  return
}

// -----

// expected-warning @below {{the kernel is not persistent: a function or assembly in it may read the program's position}}
func.func @assembly(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %p = tile.inline_asm "mov.u32 $0, %ctaid.x;", "=r" pack 1 pure () : () -> i32
  tile.store %x, %p : !tile.ptr<i32>, i32
  return
}
