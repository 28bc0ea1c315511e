// RUN: tilewright-opt %s -split-input-file --specialize-ranges=at-launch=false | FileCheck %s
// RUN: tilewright-opt %s -split-input-file --specialize-ranges | FileCheck %s --check-prefix=ATLAUNCH

// An address is computed in 64 bits, and so is the mask of the same index. What is stored has 32.
// ATLAUNCH: module attributes {tile.launch_conditions = array<i64: {{.*}}>}
// ATLAUNCH-LABEL: func.func @block(
// ATLAUNCH: arith.addi %{{[^ ]*}}, %{{[^ ]*}} : tensor<128xi32>
// ATLAUNCH: tile.addptr {{.*}}, tensor<128xi32>
// CHECK-LABEL: func.func @block(
// CHECK: %[[ID:.*]] = tile.program_id
// CHECK-DAG: %[[START:.*]] = arith.muli %{{.*}} : i64
// CHECK-DAG: %[[WIDE:.*]] = arith.addi {{.*}} : tensor<128xi64>
// CHECK-DAG: %[[DATA:.*]] = arith.addi {{.*}} : tensor<128xi32>
// CHECK: %[[MASK:.*]] = arith.cmpi slt, %[[WIDE]], %{{.*}} : tensor<128xi64>
// CHECK: %[[P:.*]] = tile.addptr %{{.*}}, %[[WIDE]] : tensor<128x!tile.ptr<i32>>, tensor<128xi64>
// CHECK: tile.store %[[P]], %[[DATA]] mask %[[MASK]]
func.func @block(%p: !tile.ptr<i32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %c128 = arith.constant 128 : i32
  %id = tile.program_id 0 : i32
  %start = arith.muli %id, %c128 : i32
  %starts = tile.splat %start : tensor<128xi32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %o = arith.addi %starts, %r : tensor<128xi32>
  %ns = tile.splat %n : tensor<128xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<128xi32>
  %ps = tile.splat %p : tensor<128x!tile.ptr<i32>>
  %a = tile.addptr %ps, %o : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %a, %o mask %m : tensor<128x!tile.ptr<i32>>, tensor<128xi32>, mask tensor<128xi1>
  return
}

// -----

// What never wraps keeps its 32 bits.
// ATLAUNCH: module {
// ATLAUNCH-NEXT: func.func @small(
// CHECK-LABEL: func.func @small(
// CHECK-NOT: i64
func.func @small(%p: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %c3 = arith.constant dense<3> : tensor<128xi32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %o = arith.muli %r, %c3 : tensor<128xi32>
  %ps = tile.splat %p : tensor<128x!tile.ptr<f32>>
  %a = tile.addptr %ps, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %a : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  tile.store %a, %x : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}

// -----

// Remainders and unsigned sums are of numbers that wrap; an extension to 64 bits that is stored is data, too.
// ATLAUNCH: module {
// ATLAUNCH-NEXT: func.func @data(
// CHECK-LABEL: func.func @data(
// CHECK: %[[H:.*]] = arith.muli %arg1, %arg1 : i32
// CHECK: %[[R:.*]] = arith.remsi %[[H]], %arg1 : i32
// CHECK: %[[U:.*]] = arith.addi %arg1, %arg1 {tile.unsigned} : i32
// CHECK: arith.extsi %[[H]] : i32 to i64
// CHECK: tile.addptr %{{.*}}, %[[R]] : !tile.ptr<i64>, i32
// CHECK: tile.addptr %{{.*}}, %[[U]] : !tile.ptr<i64>, i32
func.func @data(%p: !tile.ptr<i64> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %h = arith.muli %n, %n : i32
  %r = arith.remsi %h, %n : i32
  %u = arith.addi %n, %n {tile.unsigned} : i32
  %w = arith.extsi %h : i32 to i64
  %a = tile.addptr %p, %r : !tile.ptr<i64>, i32
  %b = tile.addptr %a, %u : !tile.ptr<i64>, i32
  tile.store %b, %w : !tile.ptr<i64>, i64
  return
}

// -----

// A loop and a branch pass on the 64-bit version of an index.
// CHECK-LABEL: func.func @carried(
// CHECK: %[[STEP:.*]] = arith.muli %{{.*}} : i64
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %c0_i32, %[[AT:[a-z0-9]*]] = %{{.*}}) -> (i32, i64)
// CHECK: tile.addptr %arg0, %[[AT]] : !tile.ptr<f32>, i64
// CHECK: scf.if {{.*}} -> (i32, i64)
// CHECK: arith.addi %[[AT]], %[[STEP]] {{.*}}: i64
func.func @carried(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}, %q: !tile.ptr<i32> {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant 1.0 : f32
  %step = arith.muli %n, %n : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> i32 : i32 {
    %a = tile.addptr %p, %at : !tile.ptr<f32>, i32
    tile.store %a, %x : !tile.ptr<f32>, f32
    %odd = arith.cmpi eq, %i, %n : i32
    %next = scf.if %odd -> i32 {
      %moved = arith.addi %at, %step : i32
      scf.yield %moved : i32
    } else {
      scf.yield %at : i32
    }
    scf.yield %next : i32
  }
  tile.store %q, %end : !tile.ptr<i32>, i32
  return
}

// -----

// The same for while loops, whose two regions have arguments of their own.
// CHECK-LABEL: func.func @repeated(
// CHECK: scf.while (%{{.*}} = %{{.*}}, %[[BEFORE:.*]] = %{{.*}}) : (i32, i64) -> (i32, i64)
// CHECK: scf.condition({{.*}}) %{{.*}}, %[[BEFORE]] : i32, i64
// CHECK: ^bb0(%{{.*}}: i32, %[[AFTER:.*]]: i64):
// CHECK: tile.addptr %arg0, %[[AFTER]] : !tile.ptr<f32>, i64
// CHECK: %[[NEXT:.*]] = arith.addi %[[AFTER]], %{{.*}} : i64
// CHECK: scf.yield %{{.*}}, %[[NEXT]] : i32, i64
func.func @repeated(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}, %q: !tile.ptr<i32> {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %x = arith.constant 1.0 : f32
  %end = scf.while (%at = %c0) : (i32) -> i32 {
    %flag = tile.load %q : !tile.ptr<i32> -> i32
    %on = arith.cmpi ne, %flag, %c0 : i32
    scf.condition(%on) %at : i32
  } do {
  ^bb0(%here: i32):
    %a = tile.addptr %p, %here : !tile.ptr<f32>, i32
    tile.store %a, %x : !tile.ptr<f32>, f32
    %next = arith.addi %here, %n : i32
    scf.yield %next : i32
  }
  tile.store %q, %end : !tile.ptr<i32>, i32
  return
}

// -----

// In an unsigned comparison, an index of more than 32 bits is greater than any other number.
// CHECK-LABEL: func.func @unsigned(
// CHECK: %[[O:.*]] = arith.muli %{{.*}} : i64
// CHECK: %[[NEGATIVE:.*]] = arith.andi
// CHECK: %[[BITS:.*]] = arith.addi %[[O]], %{{.*}} : i64
// CHECK: %[[U:.*]] = arith.select %[[NEGATIVE]], %[[BITS]], %[[O]] : i64
// CHECK: %[[N:.*]] = arith.extui %arg1 : i32 to i64
// CHECK: arith.cmpi ult, %[[U]], %[[N]] : i64
func.func @unsigned(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %x = arith.constant 1.0 : f32
  %o = arith.muli %n, %n : i32
  %m = arith.cmpi ult, %o, %n : i32
  %a = tile.addptr %p, %o : !tile.ptr<f32>, i32
  tile.store %a, %x mask %m : !tile.ptr<f32>, f32, mask i1
  return
}

// -----

// A loaded row times a stride can't be evaluated at launch: the condition is that there is no large array. An index of 8
// bits needs none, in neither variant.
// ATLAUNCH: module attributes {tile.launch_conditions = array<i64: 8192, 0, 0, {{[0-9]+}}, 0, 0>}
// ATLAUNCH-LABEL: func.func @loaded(
// CHECK-LABEL: func.func @loaded(
// CHECK: %[[O:.*]] = arith.muli %{{.*}} : i64
// CHECK: tile.addptr %arg0, %[[O]] : !tile.ptr<f32>, i64
// CHECK: %[[B:.*]] = arith.muli %{{.*}} : i32
// CHECK: tile.addptr %arg0, %[[B]] : !tile.ptr<f32>, i32
func.func @loaded(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %rows: !tile.ptr<i32> {tile.slot = 1 : i32}, %bytes: !tile.ptr<i8> {tile.slot = 2 : i32}, %n: i32 {tile.slot = 3 : i32}) attributes {tile.kernel} {
  %x = arith.constant 1.0 : f32
  %c3 = arith.constant 3 : i32
  %row = tile.load %rows : !tile.ptr<i32> -> i32
  %o = arith.muli %row, %n : i32
  %a = tile.addptr %p, %o : !tile.ptr<f32>, i32
  tile.store %a, %x : !tile.ptr<f32>, f32
  %byte = tile.load %bytes : !tile.ptr<i8> -> i8
  %small = arith.extsi %byte : i8 to i32
  %s = arith.muli %small, %c3 : i32
  %b = tile.addptr %p, %s : !tile.ptr<f32>, i32
  tile.store %b, %x : !tile.ptr<f32>, f32
  return
}
