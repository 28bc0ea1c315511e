// RUN: tilewright-opt %s -split-input-file --specialize-ranges | FileCheck %s
// RUN: tilewright-opt %s -split-input-file --specialize-ranges=at-launch=false | FileCheck %s --check-prefix=STATIC

// Facts that depend on the launch become conditions; without the option they are not used.
// CHECK: module attributes {tile.launch_conditions = array<i64: {{.*}}>}
// CHECK-LABEL: func.func @row(
// CHECK: arith.addi {{.*}} overflow<nsw> : tensor<128xi32>
// STATIC-NOT: tile.launch_conditions
// STATIC-LABEL: func.func @row(
// STATIC: arith.addi %{{[^ ]*}}, %{{[^ ]*}} : tensor<128xi32>
func.func @row(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %stride: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %row = tile.program_id 0 : i32
  %start = arith.muli %row, %stride : i32
  %starts = tile.splat %start : tensor<128xi32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %o = arith.addi %starts, %r : tensor<128xi32>
  return
}

// -----

// An aligned group cannot wrap in the middle: no condition is needed.
// CHECK-NOT: tile.launch_conditions
// CHECK-LABEL: func.func @block(
// CHECK: arith.addi %{{[^ ]*}}, %{{[^ ]*}} : tensor<128xi32>
func.func @block(%p: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %c128 = arith.constant 128 : i32
  %id = tile.program_id 0 : i32
  %start = arith.muli %id, %c128 : i32
  %starts = tile.splat %start : tensor<128xi32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %o = arith.addi %starts, %r : tensor<128xi32>
  return
}

// -----

// Facts that hold for every launch need no condition.
// CHECK-NOT: tile.launch_conditions
// CHECK-LABEL: func.func @static(
// CHECK: arith.subi {{.*}} overflow<nsw> : tensor<128xi32>
// STATIC-LABEL: func.func @static(
// STATIC: arith.subi {{.*}} overflow<nsw> : tensor<128xi32>
// STATIC: arith.remui
func.func @static() attributes {tile.kernel} {
  %ones = arith.constant dense<1> : tensor<128xi32>
  %eights = arith.constant dense<8> : tensor<128xi32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %o = arith.subi %r, %ones : tensor<128xi32>
  %q = arith.remsi %r, %eights : tensor<128xi32>
  return
}

// -----

// Loaded values are unknown at launch.
// CHECK-NOT: tile.launch_conditions
// CHECK-LABEL: func.func @loaded(
// CHECK: arith.addi %{{[^ ]*}}, %{{[^ ]*}} : tensor<128xi32>
func.func @loaded(%p: !tile.ptr<i32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %start = tile.load %p : !tile.ptr<i32> -> i32
  %starts = tile.splat %start : tensor<128xi32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %o = arith.addi %starts, %r : tensor<128xi32>
  return
}

// -----

// Signed operations on nonnegative values become unsigned ones, which round down; unsigned comparisons become signed
// ones.
// CHECK: module attributes {tile.launch_conditions = array<i64: {{.*}}>}
// CHECK-LABEL: func.func @signs(
// CHECK: %[[Q:.*]] = arith.remui
// CHECK: tile.hint %[[Q]] contiguity [16]
// CHECK: arith.divui
// CHECK: arith.cmpi slt
// CHECK: arith.extsi
// STATIC-LABEL: func.func @signs(
// STATIC: arith.remsi
// STATIC: arith.divsi
// STATIC: arith.cmpi ult
// STATIC: arith.extui
func.func @signs(%n: i32 {tile.slot = 0 : i32}, %s: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %ns = tile.splat %n : tensor<128xi32>
  %ss = tile.splat %s : tensor<128xi32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %o = arith.addi %ss, %r : tensor<128xi32>
  %q = arith.remsi %o, %ns : tensor<128xi32>
  %hq = tile.hint %q contiguity [16] : tensor<128xi32>
  %d = arith.divsi %o, %ns : tensor<128xi32>
  %c = arith.cmpi ult, %o, %ns : tensor<128xi32>
  %w = arith.extui %o : tensor<128xi32> to tensor<128xi64>
  return
}

// -----

// Induction variables, and loop-carried values that advance by the same amount in each iteration, have ranges.
// CHECK: module attributes {tile.launch_conditions = array<i64: {{.*}}>}
// CHECK-LABEL: func.func @loop(
// CHECK: arith.addi {{.*}} overflow<nsw> : tensor<128xi32>
// CHECK: arith.addi {{.*}} overflow<nsw> : tensor<128xi32>
func.func @loop(%n: i32 {tile.slot = 0 : i32}, %step: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %end = scf.for %i = %c0 to %n step %step iter_args(%at = %c0) -> i32 : i32 {
    %is = tile.splat %i : tensor<128xi32>
    %o = arith.addi %is, %r : tensor<128xi32>
    %ats = tile.splat %at : tensor<128xi32>
    %p = arith.addi %ats, %r : tensor<128xi32>
    %next = arith.addi %at, %step : i32
    scf.yield %next : i32
  }
  return
}

// -----

// Of a minimum with a loaded value, the other side bounds the index of a loop.
// CHECK: module attributes {tile.launch_conditions = array<i64: {{.*}}>}
// CHECK-LABEL: func.func @least(
// CHECK: arith.addi {{.*}} overflow<nsw> : tensor<128xi32>
// CHECK: arith.addi {{.*}} overflow<nsw> : tensor<128xi32>
func.func @least(%p: !tile.ptr<i32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}, %step: i32 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %x = tile.load %p : !tile.ptr<i32> -> i32
  %least = arith.minsi %x, %n : i32
  %end = scf.for %i = %c0 to %least step %step iter_args(%at = %c0) -> i32 : i32 {
    %is = tile.splat %i : tensor<128xi32>
    %o = arith.addi %is, %r : tensor<128xi32>
    %ats = tile.splat %at : tensor<128xi32>
    %q = arith.addi %ats, %r : tensor<128xi32>
    %next = arith.addi %at, %step : i32
    scf.yield %next : i32
  }
  return
}

// -----

// A hint does not change a range, and loop-carried sums are found through hints.
// CHECK: module attributes {tile.launch_conditions = array<i64: {{.*}}>}
// CHECK-LABEL: func.func @hinted(
// CHECK: arith.addi {{.*}} overflow<nsw> : tensor<128xi32>
func.func @hinted(%n: i32 {tile.slot = 0 : i32}, %step: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %end = scf.for %i = %c0 to %n step %step iter_args(%at = %c0) -> i32 : i32 {
    %here = tile.hint %at divisibility [4] : i32
    %ats = tile.splat %here : tensor<128xi32>
    %o = arith.addi %ats, %r : tensor<128xi32>
    %next = arith.addi %here, %step : i32
    %hinted = tile.hint %next divisibility [4] : i32
    scf.yield %hinted : i32
  }
  return
}

// -----

// The index after the last one may wrap: that it does not is a condition, or the loop counts its iterations.
// CHECK: module attributes {tile.launch_conditions
// CHECK-LABEL: func.func @near_the_limit(
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %arg1 step %c16
// STATIC-LABEL: func.func @near_the_limit(
// STATIC: %[[RUNS:.*]] = arith.cmpi slt, %c0_i32, %arg1 : i32
// STATIC: arith.divui %{{.*}}, %c16_i32 : i32
// STATIC: %[[TRIPS:.*]] = arith.select %[[RUNS]],
// STATIC: scf.for %[[T:.*]] = %{{.*}} to %[[TRIPS]] step %c1
// STATIC: %[[BY:.*]] = arith.muli %[[T]], %c16_i32 : i32
// STATIC: %[[I:.*]] = arith.addi %c0_i32, %[[BY]] : i32
// STATIC: tile.addptr %arg0, %[[I]]
func.func @near_the_limit(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %c0_i32 = arith.constant 0 : i32
  %c16_i32 = arith.constant 16 : i32
  scf.for %i = %c0_i32 to %n step %c16_i32 : i32 {
    %a = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %a : !tile.ptr<f32> -> f32
    tile.store %p, %x : !tile.ptr<f32>, f32
  }
  return
}

// -----

// With steps of 2, the count may be too large for a signed integer.
// CHECK: module attributes {tile.launch_conditions
// CHECK-LABEL: func.func @small_steps(
// STATIC-LABEL: func.func @small_steps(
// STATIC: scf.for unsigned
func.func @small_steps(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %c0_i32 = arith.constant 0 : i32
  %c2_i32 = arith.constant 2 : i32
  scf.for %i = %c0_i32 to %n step %c2_i32 : i32 {
    %a = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %x = tile.load %a : !tile.ptr<f32> -> f32
    tile.store %p, %x : !tile.ptr<f32>, f32
  }
  return
}

// -----

// Steps of 1 come to every bound, and constant bounds are known.
// CHECK-NOT: tile.launch_conditions
// CHECK-LABEL: func.func @ends(
// STATIC-LABEL: func.func @ends(
// STATIC-NOT: scf.for unsigned
func.func @ends(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.store %p, %zero : !tile.ptr<f32>, f32
  }
  scf.for %i = %c0 to %c64 step %c16 : i32 {
    tile.store %p, %zero : !tile.ptr<f32>, f32
  }
  return
}

// -----

// A label of 64 bits is compared with columns in 32 bits: one that has more bits equals none of them.
// CHECK-LABEL: func.func @label(
// CHECK-SAME: %[[Y:[^ ]*]]: i64
// CHECK: %[[R:.*]] = tile.make_range
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[Y]], %c2147483647_i64
// CHECK: %[[CUT:.*]] = arith.trunci %[[Y]] : i64 to i32
// CHECK: %[[N:.*]] = arith.select %[[FITS]], %[[CUT]], %c-1_i32
// CHECK: %[[NS:.*]] = tile.splat %[[N]] : tensor<128xi32>
// CHECK: arith.cmpi eq, %[[R]], %[[NS]] : tensor<128xi32>
func.func @label(%y: i64) -> tensor<128xi1> {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %w = arith.extsi %r : tensor<128xi32> to tensor<128xi64>
  %ys = tile.splat %y : tensor<128xi64>
  %e = arith.cmpi eq, %w, %ys : tensor<128xi64>
  return %e : tensor<128xi1>
}

// -----

// One label for each row, on the left.
// CHECK-LABEL: func.func @labels(
// CHECK-SAME: %[[Y:[^ ]*]]: tensor<8x1xi64>
// CHECK: %[[CUT:.*]] = arith.trunci %[[Y]] : tensor<8x1xi64> to tensor<8x1xi32>
// CHECK: %[[N:.*]] = arith.select %{{.*}}, %[[CUT]], %{{.*}} : tensor<8x1xi1>, tensor<8x1xi32>
// CHECK: %[[NS:.*]] = tile.broadcast %[[N]] : tensor<8x1xi32> -> tensor<8x128xi32>
// CHECK: arith.cmpi ne, %{{.*}}, %[[NS]] : tensor<8x128xi32>
func.func @labels(%y: tensor<8x1xi64>) -> tensor<8x128xi1> {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %row = tile.expand_dims %r 0 : tensor<128xi32> -> tensor<1x128xi32>
  %rs = tile.broadcast %row : tensor<1x128xi32> -> tensor<8x128xi32>
  %w = arith.extui %rs : tensor<8x128xi32> to tensor<8x128xi64>
  %ys = tile.broadcast %y : tensor<8x1xi64> -> tensor<8x128xi64>
  %e = arith.cmpi ne, %ys, %w : tensor<8x128xi64>
  return %e : tensor<8x128xi1>
}

// -----

// What may be negative stays: -1 would equal a label that is too large.
// CHECK-LABEL: func.func @signed(
// CHECK: arith.cmpi eq, %{{.*}} : tensor<128xi64>
func.func @signed(%y: i64) -> tensor<128xi1> {
  %ones = arith.constant dense<1> : tensor<128xi32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %before = arith.subi %r, %ones : tensor<128xi32>
  %w = arith.extsi %before : tensor<128xi32> to tensor<128xi64>
  %ys = tile.splat %y : tensor<128xi64>
  %e = arith.cmpi eq, %w, %ys : tensor<128xi64>
  return %e : tensor<128xi1>
}
