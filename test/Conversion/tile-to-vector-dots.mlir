// RUN: tilewright-opt %s --tile-to-vector=features=+avx512f --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --tile-to-vector=features=+avx512bf16,+avx512vnni --canonicalize --cse | FileCheck %s --check-prefix=WORDS

// An operand whose rows have even distances is read where it is; else it is copied.
// CHECK-LABEL: func.func @in_place(
// CHECK: %[[FIRST:.*]] = llvm.ptrtoint %[[POINTER:.*]] : !llvm.ptr to i64
// CHECK: %[[SECOND:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr to i64
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[SECOND]], %[[FIRST]] : i64
// CHECK: %[[DIFFERENCES:.*]] = scf.for
// CHECK: arith.xori %{{.*}} : vector<8xi64>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[DIFFERENCES]]
// CHECK: %[[EVEN:.*]] = arith.cmpi eq, %[[ANY]], %c0_i64
// CHECK: %[[BASE:.*]] = arith.select %[[EVEN]], %[[POINTER]], %[[COPY:.*]] : !llvm.ptr
// CHECK: %[[ROW:.*]] = arith.select %[[EVEN]], %[[DISTANCE]], %c64_i64 : i64
// CHECK: scf.if %[[EVEN]] {
// CHECK-NEXT: } else {
// CHECK: llvm.getelementptr %[[COPY]]
// CHECK: llvm.store
// CHECK: llvm.getelementptr %[[BASE]]
// CHECK: math.fma
func.func @in_place(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %q: !tile.ptr<f32> {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %i1 = tile.expand_dims %i 1 : tensor<16xi32> -> tensor<16x1xi32>
  %i0 = tile.expand_dims %i 0 : tensor<16xi32> -> tensor<1x16xi32>
  %m = tile.broadcast %i1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %k = tile.broadcast %i0 : tensor<1x16xi32> -> tensor<16x16xi32>
  %rows = arith.constant dense<48> : tensor<16x16xi32>
  %start = arith.muli %m, %rows : tensor<16x16xi32>
  %at = arith.addi %start, %k : tensor<16x16xi32>
  %ps = tile.splat %p : tensor<16x16x!tile.ptr<f32>>
  %qs = tile.splat %q : tensor<16x16x!tile.ptr<f32>>
  %from = tile.addptr %ps, %at : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %to = tile.addptr %qs, %at : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %x = tile.load %from : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %y = tile.dot %x, %zero, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %to, %y : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

// Rows that the store masks off are not computed; the sum needs all of them.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[COUNT:.*]] = arith.minsi %{{.*}}, %c64_i64 : i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %[[COUNT]] step %c4_i64
// CHECK: scf.for {{.*}} iter_args
// CHECK: math.fma
// CHECK-LABEL: func.func @rows_and_sum(
// CHECK: scf.for %{{.*}} = %c0_i64 to %c64_i64 step %c4_i64
// CHECK: scf.for {{.*}} iter_args
// CHECK: math.fma
func.func @rows(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %count: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %one = arith.constant dense<1.0> : tensor<64x64xf32>
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %i1 = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %counts = tile.splat %count : tensor<64x1xi32>
  %inside = arith.cmpi slt, %i1, %counts : tensor<64x1xi32>
  %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<f32>>
  %y = tile.dot %one, %one, %one : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store %ps, %y mask %mask : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>, mask tensor<64x64xi1>
  return
}

func.func @rows_and_sum(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %count: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %one = arith.constant dense<1.0> : tensor<64x64xf32>
  %i = tile.make_range 0 to 64 : tensor<64xi32>
  %i1 = tile.expand_dims %i 1 : tensor<64xi32> -> tensor<64x1xi32>
  %counts = tile.splat %count : tensor<64x1xi32>
  %inside = arith.cmpi slt, %i1, %counts : tensor<64x1xi32>
  %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<f32>>
  %y = tile.dot %one, %one, %one : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store %ps, %y mask %mask : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>, mask tensor<64x64xi1>
  tile.store %ps, %y : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// bfloat16 is multiplied in pairs, unless the dot has to keep the smallest numbers.
// WORDS-LABEL: func.func @pairs(
// WORDS: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// WORDS-LABEL: func.func @ieee(
// WORDS-NOT: dpbf16ps
// WORDS: math.fma
func.func @pairs(%p: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %one = arith.constant dense<1.0> : tensor<16x16xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ps = tile.splat %p : tensor<16x16x!tile.ptr<f32>>
  %y = tile.dot %one, %one, %zero {precision = #tile.precision<tf32>} : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
  tile.store %ps, %y : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

func.func @ieee(%p: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %one = arith.constant dense<1.0> : tensor<16x16xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ps = tile.splat %p : tensor<16x16x!tile.ptr<f32>>
  %y = tile.dot %one, %one, %zero : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
  tile.store %ps, %y : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

// A nest that only stores ends where the mask ends.
// CHECK-LABEL: func.func @stores(
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c1024_i64 : i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %[[END]] step %c64_i64
func.func @stores(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %count: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %i = tile.make_range 0 to 1024 : tensor<1024xi32>
  %counts = tile.splat %count : tensor<1024xi32>
  %mask = arith.cmpi slt, %i, %counts : tensor<1024xi32>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>>
  %to = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %to, %one mask %mask : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>, mask tensor<1024xi1>
  return
}
