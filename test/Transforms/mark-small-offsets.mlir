// RUN: tilewright-opt %s -split-input-file --mark-small-offsets | FileCheck %s
// RUN: tilewright-opt %s -split-input-file --mark-small-offsets=at-launch=false | FileCheck %s --check-prefix=STATIC

// How far a row is from the argument depends on the launch: neither offset is negative, and their ends fit 31 bits.
// CHECK: module attributes {tile.launch_conditions = array<i64: {{.*}}>}
// CHECK-LABEL: func.func @row(
// CHECK: tile.load {{.*}} {tile.small_offsets}
// CHECK: tile.store {{.*}} {tile.small_offsets}
// STATIC-NOT: tile.launch_conditions
// STATIC-LABEL: func.func @row(
// STATIC-NOT: tile.small_offsets
func.func @row(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %y: !tile.ptr<f32> {tile.slot = 1 : i32},
               %stride: i32 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %row = tile.program_id 0 : i32
  %start = arith.muli %row, %stride : i32
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %from = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %froms = tile.splat %from : tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %froms, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %tos = tile.splat %y : tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %tos, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %starts = tile.splat %start : tensor<128xi32>
  %s = tile.addptr %q, %starts : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %s, %v : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}

// -----

// A loop that advances all pointers of a tile by one distance adds it to their start, whose mark says that the start
// is behind the argument, too. One that begins before the argument has no mark.
// CHECK-LABEL: func.func @advanced(
// STATIC-LABEL: func.func @advanced(
// CHECK: %[[START:.*]] = tile.addptr {{.*}} {tile.small_offsets}
// CHECK: %[[BEFORE:.*]] = tile.addptr %{{[^ ]*}}, %{{[^ ]*}} : tensor
// CHECK: scf.for
// CHECK: %[[P:.*]] = tile.addptr %[[START]], %{{[^ ]*}} : tensor
// CHECK: tile.load %[[P]] {tile.small_offsets}
// CHECK: %[[Q:.*]] = tile.addptr %[[BEFORE]], %{{[^ ]*}} : tensor
// CHECK: tile.load %[[Q]] {tile.small_offsets}
func.func @advanced(%x: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %step = arith.constant 128 : i32
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %back = arith.constant dense<-128> : tensor<128xi32>
  %s = arith.addi %r, %back : tensor<128xi32>
  %xs = tile.splat %x : tensor<128x!tile.ptr<f32>>
  %start = tile.addptr %xs, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %before = tile.addptr %xs, %s : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  scf.for %i = %one to %ten step %one : i32 {
    %o = arith.muli %i, %step : i32
    %os = tile.splat %o : tensor<128xi32>
    %p = tile.addptr %start, %os : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    %q = tile.addptr %before, %os : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %w = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    tile.store %p, %w : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
    tile.store %q, %v : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  }
  return
}

// -----

// Constant offsets need no condition.
// CHECK-NOT: tile.launch_conditions
// CHECK-LABEL: func.func @constant(
// CHECK: tile.load {{.*}} {tile.small_offsets}
// STATIC-LABEL: func.func @constant(
// STATIC: tile.load {{.*}} {tile.small_offsets}
func.func @constant(%x: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  return
}

// -----

// The last element that fits ends at byte 2^31 - 2, so that the next one does not.
// CHECK-LABEL: func.func @at_the_end(
// CHECK: tile.load {{.*}} {tile.small_offsets} : tensor<1x!tile.ptr<i16>>
// CHECK: tile.load %{{[^ ]*}} : tensor<1x!tile.ptr<i16>>
func.func @at_the_end(%x: !tile.ptr<i16> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %last = arith.constant dense<1073741822> : tensor<1xi32>
  %beyond = arith.constant dense<1073741823> : tensor<1xi32>
  %xs = tile.splat %x : tensor<1x!tile.ptr<i16>>
  %p = tile.addptr %xs, %last : tensor<1x!tile.ptr<i16>>, tensor<1xi32>
  %v = tile.load %p : tensor<1x!tile.ptr<i16>> -> tensor<1xi16>
  %q = tile.addptr %xs, %beyond : tensor<1x!tile.ptr<i16>>, tensor<1xi32>
  %w = tile.load %q : tensor<1x!tile.ptr<i16>> -> tensor<1xi16>
  return
}

// -----

// Launches with a negative offset would never meet the condition.
// CHECK-NOT: tile.launch_conditions
// CHECK-LABEL: func.func @negative(
// CHECK-NOT: tile.small_offsets
func.func @negative(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %one = arith.constant dense<1> : tensor<128xi32>
  %before = arith.subi %r, %one : tensor<128xi32>
  %xs = tile.splat %x : tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %xs, %before : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %ns = tile.splat %n : tensor<128xi32>
  %backwards = arith.subi %ns, %r : tensor<128xi32>
  %q = tile.addptr %xs, %backwards : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %w = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  return
}

// -----

// Loaded offsets, pointers of two arguments, loaded pointers, scalars, volatile loads, and accesses to pointers.
// CHECK-NOT: tile.launch_conditions
// CHECK-LABEL: func.func @others(
// CHECK-NOT: tile.small_offsets
func.func @others(%x: !tile.ptr<i32> {tile.slot = 0 : i32}, %y: !tile.ptr<i32> {tile.slot = 1 : i32},
                  %c: i1 {tile.slot = 2 : i32}, %z: !tile.ptr<!tile.ptr<i32>> {tile.slot = 3 : i32})
    attributes {tile.kernel} {
  %i = tile.load %x : !tile.ptr<i32> -> i32
  %xs = tile.splat %x : tensor<128x!tile.ptr<i32>>
  %is = tile.splat %i : tensor<128xi32>
  %p = tile.addptr %xs, %is : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %p : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %either = arith.select %c, %x, %y : !tile.ptr<i32>
  %eithers = tile.splat %either : tensor<128x!tile.ptr<i32>>
  %w = tile.load %eithers : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %loaded = tile.load %z : !tile.ptr<!tile.ptr<i32>> -> !tile.ptr<i32>
  %loadeds = tile.splat %loaded : tensor<128x!tile.ptr<i32>>
  %u = tile.load %loadeds : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %t = tile.load %xs volatile : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %s = tile.load %xs {cache = #tile.cache<cv>} : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %zs = tile.splat %z : tensor<128x!tile.ptr<!tile.ptr<i32>>>
  %o = tile.load %zs : tensor<128x!tile.ptr<!tile.ptr<i32>>> -> tensor<128x!tile.ptr<i32>>
  return
}

// -----

// A pointer that advances in a loop, one that does not move, and one that a branch chooses: all of one argument.
// CHECK: module attributes {tile.launch_conditions
// CHECK-LABEL: func.func @loop(
// CHECK-COUNT-3: tile.load {{.*}} {tile.small_offsets}
func.func @loop(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}, %c: i1 {tile.slot = 2 : i32})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : tensor<128x!tile.ptr<f32>>
  %p:2 = scf.for %i = %zero to %n step %step iter_args(%at = %x, %same = %xs)
      -> (!tile.ptr<f32>, tensor<128x!tile.ptr<f32>>) : i32 {
    %ats = tile.splat %at : tensor<128x!tile.ptr<f32>>
    %v = tile.load %ats : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    %w = tile.load %same : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    %next = tile.addptr %at, %step : !tile.ptr<f32>, i32
    scf.yield %next, %same : !tile.ptr<f32>, tensor<128x!tile.ptr<f32>>
  }
  %either = scf.if %c -> tensor<128x!tile.ptr<f32>> {
    %q = tile.addptr %xs, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    scf.yield %q : tensor<128x!tile.ptr<f32>>
  } else {
    scf.yield %xs : tensor<128x!tile.ptr<f32>>
  }
  %u = tile.load %either : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  return
}

// -----

// A loop that moves a pointer by amounts that it computes, and one that swaps pointers.
// CHECK-NOT: tile.launch_conditions
// CHECK-LABEL: func.func @unknown_steps(
// CHECK-NOT: tile.small_offsets
func.func @unknown_steps(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32})
    attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %xs = tile.splat %x : tensor<128x!tile.ptr<f32>>
  %p:3 = scf.for %i = %zero to %n step %one iter_args(%at = %x, %a = %x, %b = %x)
      -> (!tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>) : i32 {
    %ats = tile.splat %at : tensor<128x!tile.ptr<f32>>
    %v = tile.load %ats : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    %as = tile.splat %a : tensor<128x!tile.ptr<f32>>
    %w = tile.load %as : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    %next = tile.addptr %at, %i : !tile.ptr<f32>, i32
    scf.yield %next, %b, %a : !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>
  }
  return
}
