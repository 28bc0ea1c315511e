// RUN: env TILEWRIGHT_REWRITE_SEED=1 tilewright-opt %s --split-masks | FileCheck %s
// RUN: tilewright-opt %s --split-masks | FileCheck %s

// The two elements share a predicate: one comparison remains.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[X:.*]]: vector<2xf32>, %[[Y:.*]]: vector<2xf32>, %[[I:.*]]: vector<2xi32>, %[[N:.*]]: i32
// CHECK: %[[I0:.*]] = vector.extract %[[I]][0] : i32 from vector<2xi32>
// CHECK-NEXT: %[[M0:.*]] = arith.cmpi slt, %[[I0]], %[[N]] : i32
// CHECK-NOT: arith.cmpi
// CHECK: return %[[M0]] : i1
func.func @shared(%x: vector<2xf32>, %y: vector<2xf32>, %i: vector<2xi32>, %n: i32) -> i1 {
  %ns = vector.broadcast %n : i32 to vector<2xi32>
  %m = arith.cmpi slt, %i, %ns : vector<2xi32>
  %p = vector.extract %m[0] : i1 from vector<2xi1>
  return %p : i1
}

// A select by a mask is split and keeps its flags; operations without masks stay vectors.
// CHECK-LABEL: func.func @select(
// CHECK-DAG: %[[X0:.*]] = vector.extract %{{.*}}[0] : f16
// CHECK-DAG: %[[S0:.*]] = arith.select %{{.*}}, %[[X0]], %{{.*}} : f16
// CHECK-DAG: %[[S1:.*]] = arith.select %{{.*}} : f16
// CHECK: %[[S:.*]] = vector.from_elements %[[S0]], %[[S1]] : vector<2xf16>
// CHECK: arith.addf %[[S]], %[[S]] : vector<2xf16>
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} fastmath<nnan> : f16
func.func @select(%m: vector<2xi1>, %x: vector<2xf16>, %y: vector<2xf16>) -> (vector<2xf16>, i1) {
  %s = arith.select %m, %x, %y : vector<2xi1>, vector<2xf16>
  %d = arith.addf %s, %s : vector<2xf16>
  %c = arith.cmpf olt, %x, %y fastmath<nnan> : vector<2xf16>
  %q = vector.extract %c[1] : i1 from vector<2xi1>
  return %d, %q : vector<2xf16>, i1
}
