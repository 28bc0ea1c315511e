// RUN: tilewright-opt %s -split-input-file --while-to-for --canonicalize | FileCheck %s

// A `break` at the top: `%t * 32 >= %limit`. The index may wrap, so that scalars are counted if it does.
// CHECK-LABEL: func.func @at_the_top(
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32, %[[LIMIT:[a-z0-9]+]]: i32
// CHECK: arith.divui %{{.*}}, %c32_i32
// CHECK: %[[TRIPS:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK: scf.while
// CHECK-NOT: tile.load
// CHECK: %[[END:.*]] = arith.minsi %[[TRIPS]], %[[N]]
// CHECK: %[[SUM:.*]] = scf.for %[[T:.*]] = %c0_i32 to %[[END]] step %c1_i32 iter_args(%[[ACC:.*]] = %arg
// CHECK-NEXT: arith.muli %[[T]], %c32_i32
// CHECK-NOT: scf.if
// CHECK: tile.dot {{.*}}, %[[ACC]]
// CHECK-NEXT: scf.yield
// CHECK: tile.num_stages = 4
// CHECK: return %[[SUM]]
func.func @at_the_top(%n: i32, %limit: i32, %p: tensor<16x16x!tile.ptr<f16>>, %init: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 32 : i32
  %false = arith.constant false
  %true = arith.constant true
  %r:3 = scf.while (%acc = %init, %stop = %false, %t = %zero) : (tensor<16x16xf32>, i1, i32) -> (tensor<16x16xf32>, i1, i32) {
    %more = arith.cmpi slt, %t, %n : i32
    %on = arith.xori %stop, %true : i1
    %runs = arith.andi %more, %on : i1
    scf.condition(%runs) %acc, %stop, %t : tensor<16x16xf32>, i1, i32
  } do {
  ^bb0(%acc: tensor<16x16xf32>, %stop: i1, %t: i32):
    %i = arith.muli %t, %step : i32
    %exits = arith.cmpi sge, %i, %limit : i32
    %next:2 = scf.if %exits -> (tensor<16x16xf32>, i1) {
      scf.yield %acc, %true : tensor<16x16xf32>, i1
    } else {
      %o = tile.splat %i : tensor<16x16xi32>
      %q = tile.addptr %p, %o : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
      %x = tile.load %q : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      %sum = tile.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %sum, %stop : tensor<16x16xf32>, i1
    }
    %u = arith.addi %t, %one : i32
    scf.yield %next#0, %next#1, %u : tensor<16x16xf32>, i1, i32
  } attributes {tile.num_stages = 4 : i32}
  return %r#0 : tensor<16x16xf32>
}

// -----

// What precedes the exit is executed once more after the loop, if the loop ends early. An unsigned bound is counted in
// 64 bits, and the exit code of a branch is followed.
// CHECK-LABEL: func.func @in_the_middle(
// CHECK: %[[TRIPS:.*]]:2 = scf.if %{{.*}} -> (i64, i1) {
// CHECK: scf.for %[[T:.*]] = %c0_i64 to
// CHECK: tile.store
// CHECK-NOT: scf.if
// CHECK: tile.dot
// CHECK: scf.if %[[TRIPS]]#1
// CHECK: tile.store
// CHECK-NOT: tile.load
// CHECK: return
func.func @in_the_middle(%n: i32, %limit: i32, %flag: i1, %s: !tile.ptr<i32>, %p: tensor<16x16x!tile.ptr<f16>>, %init: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %false = arith.constant false
  %true = arith.constant true
  %r:3 = scf.while (%acc = %init, %stop = %false, %t = %zero) : (tensor<16x16xf32>, i1, i32) -> (tensor<16x16xf32>, i1, i32) {
    %more = arith.cmpi ult, %t, %n : i32
    %on = arith.xori %stop, %true : i1
    %runs = arith.andi %more, %on : i1
    scf.condition(%runs) %acc, %stop, %t : tensor<16x16xf32>, i1, i32
  } do {
  ^bb0(%acc: tensor<16x16xf32>, %stop: i1, %t: i32):
    tile.store %s, %t : !tile.ptr<i32>, i32
    %code = scf.if %flag -> (i32) {
      %exits = arith.cmpi eq, %t, %limit : i32
      %inner = arith.select %exits, %one, %zero : i32
      scf.yield %inner : i32
    } else {
      scf.yield %zero : i32
    }
    %goes = arith.cmpi eq, %code, %zero : i32
    %next:2 = scf.if %goes -> (tensor<16x16xf32>, i1) {
      %x = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
      %sum = tile.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %sum, %false : tensor<16x16xf32>, i1
    } else {
      scf.yield %acc, %true : tensor<16x16xf32>, i1
    }
    %u = arith.addi %t, %one : i32
    scf.yield %next#0, %next#1, %u : tensor<16x16xf32>, i1, i32
  }
  return %r#0 : tensor<16x16xf32>
}

// -----

// Neither a load nor a dot follows the exit: it remains in the loop, which executes the last iteration too. A remainder
// has no closed form.
// CHECK-LABEL: func.func @at_the_bottom(
// CHECK-NOT: scf.if
// CHECK: %[[COUNTED:.*]]:3 = scf.while (%{{.*}} = %c0_i32, %{{.*}} = %false, %{{.*}} = %c0_i32)
// CHECK: %[[LAST:.*]] = arith.extui %[[COUNTED]]#1 : i1 to i32
// CHECK: %[[ALL:.*]] = arith.addi %[[COUNTED]]#0, %[[LAST]]
// CHECK: arith.minsi %[[ALL]],
// CHECK: scf.for
// CHECK: tile.dot
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @at_the_bottom(%n: i32, %p: tensor<16x16x!tile.ptr<f16>>, %init: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %false = arith.constant false
  %true = arith.constant true
  %r:3 = scf.while (%acc = %init, %stop = %false, %t = %zero) : (tensor<16x16xf32>, i1, i32) -> (tensor<16x16xf32>, i1, i32) {
    %more = arith.cmpi slt, %t, %n : i32
    %on = arith.xori %stop, %true : i1
    %runs = arith.andi %more, %on : i1
    scf.condition(%runs) %acc, %stop, %t : tensor<16x16xf32>, i1, i32
  } do {
  ^bb0(%acc: tensor<16x16xf32>, %stop: i1, %t: i32):
    %x = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
    %sum = tile.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %rest = arith.remui %t, %seven : i32
    %exits = arith.cmpi eq, %rest, %one : i32
    %set = arith.select %exits, %true, %stop : i1
    %u = arith.addi %t, %one : i32
    scf.yield %sum, %set, %u : tensor<16x16xf32>, i1, i32
  }
  return %r#0 : tensor<16x16xf32>
}

// -----

// A `while` with a counter.
// CHECK-LABEL: func.func @counter(
// CHECK: arith.divui %{{.*}}, %c32_i32
// CHECK: scf.if %{{.*}} -> (i64) {
// CHECK: scf.for %{{.*}} = %c0_i64 to %{{.*}} step %c1_i64 iter_args(%{{.*}} = %arg{{.*}}, %{{.*}} = %c0_i32)
func.func @counter(%n: i32, %p: tensor<16x16x!tile.ptr<f16>>, %init: tensor<16x16xf32>) -> (tensor<16x16xf32>, i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %r:2 = scf.while (%acc = %init, %i = %zero) : (tensor<16x16xf32>, i32) -> (tensor<16x16xf32>, i32) {
    %runs = arith.cmpi slt, %i, %n : i32
    scf.condition(%runs) %acc, %i : tensor<16x16xf32>, i32
  } do {
  ^bb0(%acc: tensor<16x16xf32>, %i: i32):
    %x = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
    %sum = tile.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %j = arith.addi %i, %step : i32
    scf.yield %sum, %j : tensor<16x16xf32>, i32
  }
  return %r#0, %r#1 : tensor<16x16xf32>, i32
}

// -----

// Whether the loop goes on depends on memory.
// CHECK-LABEL: func.func @loaded(
// CHECK-NOT: scf.for
// CHECK: scf.while
func.func @loaded(%s: !tile.ptr<i32>, %p: tensor<16x16x!tile.ptr<f16>>, %init: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%acc = %init, %i = %zero) : (tensor<16x16xf32>, i32) -> (tensor<16x16xf32>, i32) {
    %runs = arith.cmpi eq, %i, %zero : i32
    scf.condition(%runs) %acc, %i : tensor<16x16xf32>, i32
  } do {
  ^bb0(%acc: tensor<16x16xf32>, %i: i32):
    %x = tile.load %p : tensor<16x16x!tile.ptr<f16>> -> tensor<16x16xf16>
    %sum = tile.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %j = tile.load %s : !tile.ptr<i32> -> i32
    scf.yield %sum, %j : tensor<16x16xf32>, i32
  }
  return %r#0 : tensor<16x16xf32>
}

// -----

// Counting would take as long as the loop. A division may trap in an iteration that is not executed, and a copy of
// arithmetic on floats may be rounded in another way.
// CHECK-LABEL: func.func @no_dot(
// CHECK-NOT: scf.for
// CHECK: scf.while
// CHECK-LABEL: func.func @division(
// CHECK-NOT: scf.for
// CHECK: scf.while
// CHECK-LABEL: func.func @floats(
// CHECK-NOT: scf.for
// CHECK: scf.while
func.func @no_dot(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %runs = arith.cmpi sgt, %i, %zero : i32
    scf.condition(%runs) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.shrsi %i, %one : i32
    scf.yield %j : i32
  }
  return %r : i32
}

func.func @division(%n: i32, %m: i32, %init: tensor<16x16xf32>, %x: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%acc = %init, %i = %n) : (tensor<16x16xf32>, i32) -> (tensor<16x16xf32>, i32) {
    %runs = arith.cmpi sgt, %i, %zero : i32
    scf.condition(%runs) %acc, %i : tensor<16x16xf32>, i32
  } do {
  ^bb0(%acc: tensor<16x16xf32>, %i: i32):
    %sum = tile.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %j = arith.remsi %i, %m : i32
    scf.yield %sum, %j : tensor<16x16xf32>, i32
  }
  return %r#0 : tensor<16x16xf32>
}

func.func @floats(%n: f32, %one: f32, %init: tensor<16x16xf32>, %x: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %r:2 = scf.while (%acc = %init, %f = %n) : (tensor<16x16xf32>, f32) -> (tensor<16x16xf32>, f32) {
    %runs = arith.cmpf ogt, %f, %one : f32
    scf.condition(%runs) %acc, %f : tensor<16x16xf32>, f32
  } do {
  ^bb0(%acc: tensor<16x16xf32>, %f: f32):
    %sum = tile.dot %x, %x, %acc : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
    %g = arith.divf %f, %n : f32
    scf.yield %sum, %g : tensor<16x16xf32>, f32
  }
  return %r#0 : tensor<16x16xf32>
}
