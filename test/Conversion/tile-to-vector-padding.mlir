// RUN: tilewright-opt %s --tile-to-vector=features=+avx512f --canonicalize --cse --split-input-file | FileCheck %s

// The loop ends where the mask does; zeros are added once, and fill the rest of what is kept.

// CHECK-LABEL: func.func @sum(
// CHECK: %[[COUNT:.*]] = arith.minsi %{{.*}}, %c1024_i64 : i64
// CHECK: %[[PAD:.*]] = scf.if %{{.*}} -> (f32)
// CHECK: %[[TWICE:.*]] = arith.addf %[[PAD]], %[[PAD]] : f32
// CHECK-DAG: %[[ONE:.*]] = arith.bitcast %[[PAD]] : f32 to i32
// CHECK-DAG: %[[TWO:.*]] = arith.bitcast %[[TWICE]] : f32 to i32
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[ONE]], %[[TWO]] : i32
// CHECK: %[[SOME:.*]] = arith.maxsi %[[COUNT]], %c1_i64 : i64
// CHECK: %[[END:.*]] = arith.select %[[SAME]], %[[SOME]], %c1024_i64 : i64
// CHECK: %[[SUMS:.*]] = scf.for %{{.*}} = %c0_i64 to %[[END]] step %c64_i64
// CHECK: %[[HAS:.*]] = arith.cmpi slt, %[[FROM:.*]], %c1024_i64 : i64
// CHECK: %[[PADS:.*]] = vector.broadcast %[[PAD]] : f32 to vector<64xf32>
// CHECK: %[[ADDED:.*]] = arith.addf %[[SUMS]], %[[PADS]] : vector<64xf32>
// CHECK: arith.select %[[HAS]], %[[ADDED]], %[[SUMS]] : vector<64xf32>
// CHECK: scf.for %{{.*}} = %[[FROM]] to %c1024_i64 step %c64_i64
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store %[[PADS]]
func.func @sum(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %q: !tile.ptr<f32> {tile.slot = 1 : i32},
               %n: i32 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %limit = tile.splat %n : tensor<1024xi32>
  %inside = arith.cmpi slt, %i, %limit : tensor<1024xi32>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>>
  %from = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %from mask %inside other %zero : tensor<1024x!tile.ptr<f32>>, mask tensor<1024xi1>, other tensor<1024xf32> -> tensor<1024xf32>
  %s = tile.reduce (%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %each = tile.splat %s : tensor<1024xf32>
  %y = arith.divf %x, %each : tensor<1024xf32>
  %qs = tile.splat %q : tensor<1024x!tile.ptr<f32>>
  %to = tile.addptr %qs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %to, %y mask %inside : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>, mask tensor<1024xi1>
  return
}

// -----

// A mask that begins somewhere has no end beyond which it is false.

// CHECK-LABEL: func.func @no_end(
// CHECK: scf.for %{{.*}} = %c0_i64 to %c1024_i64 step %c64_i64 iter_args
func.func @no_end(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %q: !tile.ptr<f32> {tile.slot = 1 : i32},
               %n: i32 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %limit = tile.splat %n : tensor<1024xi32>
  %inside = arith.cmpi sge, %i, %limit : tensor<1024xi32>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>>
  %from = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %from mask %inside other %zero : tensor<1024x!tile.ptr<f32>>, mask tensor<1024xi1>, other tensor<1024xf32> -> tensor<1024xf32>
  %s = tile.reduce (%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %each = tile.splat %s : tensor<1024xf32>
  %y = arith.divf %x, %each : tensor<1024xf32>
  %qs = tile.splat %q : tensor<1024x!tile.ptr<f32>>
  %to = tile.addptr %qs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %to, %y mask %inside : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>, mask tensor<1024xi1>
  return
}

// -----

// Values of the padding that differ.

// CHECK-LABEL: func.func @numbered(
// CHECK: scf.for %{{.*}} = %c0_i64 to %c1024_i64 step %c64_i64 iter_args
func.func @numbered(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %q: !tile.ptr<f32> {tile.slot = 1 : i32},
               %n: i32 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %limit = tile.splat %n : tensor<1024xi32>
  %inside = arith.cmpi slt, %i, %limit : tensor<1024xi32>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>>
  %from = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %from mask %inside other %zero : tensor<1024x!tile.ptr<f32>>, mask tensor<1024xi1>, other tensor<1024xf32> -> tensor<1024xf32>
  %f = arith.sitofp %i : tensor<1024xi32> to tensor<1024xf32>
  %z = arith.addf %x, %f : tensor<1024xf32>
  %s = tile.reduce (%z) 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %each = tile.splat %s : tensor<1024xf32>
  %y = arith.divf %x, %each : tensor<1024xf32>
  %qs = tile.splat %q : tensor<1024x!tile.ptr<f32>>
  %to = tile.addptr %qs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %to, %y mask %inside : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>, mask tensor<1024xi1>
  return
}

// -----

// A store without the mask writes the padding.

// CHECK-LABEL: func.func @stored(
// CHECK: scf.for %{{.*}} = %c0_i64 to %c1024_i64 step %c64_i64 iter_args
func.func @stored(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %q: !tile.ptr<f32> {tile.slot = 1 : i32},
               %n: i32 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %limit = tile.splat %n : tensor<1024xi32>
  %inside = arith.cmpi slt, %i, %limit : tensor<1024xi32>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>>
  %from = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %from mask %inside other %zero : tensor<1024x!tile.ptr<f32>>, mask tensor<1024xi1>, other tensor<1024xf32> -> tensor<1024xf32>
  tile.store %from, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  %s = tile.reduce (%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %each = tile.splat %s : tensor<1024xf32>
  %y = arith.divf %x, %each : tensor<1024xf32>
  %qs = tile.splat %q : tensor<1024x!tile.ptr<f32>>
  %to = tile.addptr %qs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %to, %y mask %inside : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>, mask tensor<1024xi1>
  return
}

// -----

// Volatile loads are executed once.

// CHECK-LABEL: func.func @volatile(
// CHECK: scf.for %{{.*}} = %c0_i64 to %c1024_i64 step %c64_i64 iter_args
func.func @volatile(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %q: !tile.ptr<f32> {tile.slot = 1 : i32},
               %n: i32 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %limit = tile.splat %n : tensor<1024xi32>
  %inside = arith.cmpi slt, %i, %limit : tensor<1024xi32>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>>
  %from = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %from mask %inside other %zero volatile : tensor<1024x!tile.ptr<f32>>, mask tensor<1024xi1>, other tensor<1024xf32> -> tensor<1024xf32>
  %s = tile.reduce (%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %each = tile.splat %s : tensor<1024xf32>
  %y = arith.divf %x, %each : tensor<1024xf32>
  %qs = tile.splat %q : tensor<1024x!tile.ptr<f32>>
  %to = tile.addptr %qs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %to, %y mask %inside : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>, mask tensor<1024xi1>
  return
}

// -----

// Fewer than four steps.

// CHECK-LABEL: func.func @short(
// CHECK: scf.for %{{.*}} = %c0_i64 to %c128_i64 step %c64_i64 iter_args
func.func @short(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %q: !tile.ptr<f32> {tile.slot = 1 : i32},
               %n: i32 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %limit = tile.splat %n : tensor<128xi32>
  %inside = arith.cmpi slt, %i, %limit : tensor<128xi32>
  %ps = tile.splat %p : tensor<128x!tile.ptr<f32>>
  %from = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %from mask %inside other %zero : tensor<128x!tile.ptr<f32>>, mask tensor<128xi1>, other tensor<128xf32> -> tensor<128xf32>
  %s = tile.reduce (%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<128xf32>) -> f32
  %each = tile.splat %s : tensor<128xf32>
  %y = arith.divf %x, %each : tensor<128xf32>
  %qs = tile.splat %q : tensor<128x!tile.ptr<f32>>
  %to = tile.addptr %qs, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %to, %y mask %inside : tensor<128x!tile.ptr<f32>>, tensor<128xf32>, mask tensor<128xi1>
  return
}
