// RUN: tilewright-opt %s --split-vectors=max-elements=4 --split-input-file | FileCheck %s

// All pieces but the last have the same length. Flags, attributes and scalar operands stay.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[X:.*]]: f32, %[[C:.*]]: i1
func.func @elementwise(%x: f32, %c: i1) -> (f32, f32) {
  // CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : vector<4xf32>
  // CHECK-DAG: %[[TWO:.*]] = arith.constant dense<1.000000e+00> : vector<2xf32>
  // CHECK-DAG: %[[XS:.*]] = vector.broadcast %[[X]] : f32 to vector<4xf32>
  // CHECK-DAG: %[[LAST:.*]] = vector.broadcast %[[X]] : f32 to vector<2xf32>
  // CHECK-COUNT-2: arith.addf %[[XS]], %{{.*}} fastmath<contract> {tile.precise} : vector<4xf32>
  // CHECK: arith.addf %[[LAST]], %{{.*}} fastmath<contract> {tile.precise} : vector<2xf32>
  // CHECK: arith.select %[[C]], %{{.*}}, %[[XS]] : vector<4xf32>
  // CHECK: %[[S1:.*]] = arith.select %[[C]], %{{.*}}, %[[XS]] : vector<4xf32>
  // CHECK: %[[S2:.*]] = arith.select %[[C]], %{{.*}}, %[[LAST]] : vector<2xf32>
  // CHECK: %[[E:.*]] = vector.extract %[[S1]][1] : f32 from vector<4xf32>
  // CHECK: %[[F:.*]] = vector.extract %[[S2]][1] : f32 from vector<2xf32>
  // CHECK: return %[[E]], %[[F]]
  %ones = arith.constant dense<1.0> : vector<10xf32>
  %xs = vector.broadcast %x : f32 to vector<10xf32>
  %sum = arith.addf %xs, %ones fastmath<contract> {tile.precise} : vector<10xf32>
  %s = arith.select %c, %sum, %xs : vector<10xf32>
  %e = vector.extract %s[5] : f32 from vector<10xf32>
  %f = vector.extract %s[9] : f32 from vector<10xf32>
  return %e, %f : f32, f32
}

// -----

// CHECK-LABEL: func.func @addresses(
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[I:.*]]: i32
func.func @addresses(%p: !llvm.ptr<1>, %i: i32) -> !llvm.ptr<1> {
  // CHECK-DAG: %[[LOW:.*]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
  // CHECK-DAG: %[[HIGH:.*]] = arith.constant dense<[4, 5, 6, 7]> : vector<4xi32>
  // CHECK-DAG: %[[IS:.*]] = vector.broadcast %[[I]]
  // CHECK: arith.addi %[[IS]], %[[LOW]] overflow<nsw>
  // CHECK: %[[SUM:.*]] = arith.addi %[[IS]], %[[HIGH]] overflow<nsw>
  // CHECK: %[[Q:.*]] = llvm.getelementptr %[[P]][%[[SUM]]] : (!llvm.ptr<1>, vector<4xi32>) -> vector<4x!llvm.ptr<1>>, f16
  // CHECK: %[[E:.*]] = vector.extract %[[Q]][3]
  // CHECK: return %[[E]]
  %offsets = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
  %is = vector.broadcast %i : i32 to vector<8xi32>
  %sum = arith.addi %is, %offsets overflow<nsw> : vector<8xi32>
  %q = llvm.getelementptr %p[%sum] : (!llvm.ptr<1>, vector<8xi32>) -> vector<8x!llvm.ptr<1>>, f16
  %e = vector.extract %q[7] : !llvm.ptr<1> from vector<8x!llvm.ptr<1>>
  return %e : !llvm.ptr<1>
}

// -----

// A piece of a shuffle's result is a piece of an operand, or comes from one or two, or from elements of several.
// CHECK-LABEL: func.func @shuffles(
// CHECK-SAME: %[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>, %[[C:.*]]: vector<4xf32>
func.func @shuffles(%a: vector<4xf32>, %b: vector<4xf32>, %c: vector<4xf32>)
    -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<3xf32>) {
  // CHECK: %[[REVERSED:.*]] = vector.shuffle %[[B]], %[[A]] [3, 2, 5, 4]
  // CHECK: %[[A0:.*]] = vector.extract %[[A]][0]
  // CHECK: %[[B0:.*]] = vector.extract %[[B]][0]
  // CHECK: %[[C0:.*]] = vector.extract %[[C]][0]
  // CHECK: %[[MIXED:.*]] = vector.from_elements %[[A0]], %[[B0]], %[[C0]] : vector<3xf32>
  // CHECK: return %[[B]], %[[C]], %[[REVERSED]], %[[MIXED]]
  %ab = vector.shuffle %a, %b [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
  %cc = vector.shuffle %c, %c [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
  %second = vector.shuffle %ab, %cc [4, 5, 6, 7] : vector<8xf32>, vector<8xf32>
  %third = vector.shuffle %ab, %cc [8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
  %reversed = vector.shuffle %ab, %ab [7, 6, 1, 0] : vector<8xf32>, vector<8xf32>
  %mixed = vector.shuffle %ab, %cc [0, 4, 8] : vector<8xf32>, vector<8xf32>
  return %second, %third, %reversed, %mixed : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<3xf32>
}

// -----

// Loops and branches carry the pieces.
// CHECK-LABEL: func.func @control(
// CHECK-SAME: %[[X:.*]]: f32, %[[N:.*]]: i32, %[[C:.*]]: i1
func.func @control(%x: f32, %n: i32, %c: i1) -> f32 {
  // CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>)
  // CHECK: scf.if %[[C]] -> (vector<4xf32>, vector<4xf32>)
  // CHECK: scf.while {{.*}} : (vector<4xf32>, vector<4xf32>) -> (vector<4xf32>, vector<4xf32>)
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %xs = vector.broadcast %x : f32 to vector<8xf32>
  %loop = scf.for %i = %zero to %n step %one iter_args(%sum = %xs) -> (vector<8xf32>) : i32 {
    %next = arith.addf %sum, %xs : vector<8xf32>
    scf.yield %next : vector<8xf32>
  }
  %if = scf.if %c -> (vector<8xf32>) {
    %square = arith.mulf %loop, %loop : vector<8xf32>
    scf.yield %square : vector<8xf32>
  } else {
    scf.yield %loop : vector<8xf32>
  }
  %while = scf.while (%r = %if) : (vector<8xf32>) -> vector<8xf32> {
    %m = arith.cmpf ogt, %r, %xs : vector<8xf32>
    // CHECK: %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<4xi1> into i1
    // CHECK: %[[ALL:.*]] = vector.reduction <or>, %{{.*}}, %[[ANY]] : vector<4xi1> into i1
    // CHECK: scf.condition(%[[ALL]]) %{{.*}}, %{{.*}} : vector<4xf32>, vector<4xf32>
    %any = vector.reduction <or>, %m : vector<8xi1> into i1
    scf.condition(%any) %r : vector<8xf32>
  } do {
  ^bb0(%r: vector<8xf32>):
    %half = arith.subf %r, %xs : vector<8xf32>
    scf.yield %half : vector<8xf32>
  }
  %e = vector.extract %while[0] : f32 from vector<8xf32>
  return %e : f32
}

// -----

// CHECK-LABEL: func.func @bitcast(
func.func @bitcast(%x: vector<8xf16>, %y: vector<6xi32>, %i: i32) -> (i32, f16) {
  // CHECK: %[[WORDS0:.*]] = vector.bitcast %{{.*}} : vector<4xf16> to vector<2xi32>
  // CHECK: %[[WORDS1:.*]] = vector.bitcast %{{.*}} : vector<4xf16> to vector<2xi32>
  // CHECK: vector.shuffle %[[WORDS0]], %[[WORDS1]] [0, 1, 2, 3] : vector<2xi32>, vector<2xi32>
  %words = vector.bitcast %x : vector<8xf16> to vector<4xi32>
  %sum = arith.addi %words, %words : vector<4xi32>
  %word = vector.extract %sum[3] : i32 from vector<4xi32>
  // CHECK: vector.bitcast %{{.*}} : vector<2xi32> to vector<4xf16>
  // CHECK: vector.bitcast %{{.*}} : vector<2xi32> to vector<4xf16>
  // CHECK: %[[LAST:.*]] = vector.bitcast %{{.*}} : vector<2xi32> to vector<4xf16>
  // CHECK: vector.extract %[[LAST]][3] : f16 from vector<4xf16>
  %halves = vector.bitcast %y : vector<6xi32> to vector<12xf16>
  %half = vector.extract %halves[11] : f16 from vector<12xf16>
  return %word, %half : i32, f16
}

// -----

// An operation without a rule keeps its vectors; short vectors and other shapes stay.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME: %[[X:.*]]: vector<8xf16>, %[[Y:.*]]: vector<4xf16>, %[[Z:.*]]: vector<2x8xf16>
func.func @kept(%x: vector<8xf16>, %y: vector<4xf16>, %z: vector<2x8xf16>) -> (f16, vector<4xf16>, vector<2x8xf16>) {
  // CHECK: vector.reduction <add>, %{{.*}} : vector<8xf16> into f16
  // CHECK: arith.addf %[[Y]], %[[Y]] : vector<4xf16>
  // CHECK: arith.addf %[[Z]], %[[Z]] : vector<2x8xf16>
  %s = arith.addf %x, %x : vector<8xf16>
  %sum = vector.reduction <add>, %s : vector<8xf16> into f16
  %short = arith.addf %y, %y : vector<4xf16>
  %square = arith.addf %z, %z : vector<2x8xf16>
  return %sum, %short, %square : f16, vector<4xf16>, vector<2x8xf16>
}
