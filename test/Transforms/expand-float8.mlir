// RUN: tilewright-opt %s --expand-float8 --split-input-file | FileCheck %s

// f8E5M2 is the upper byte of an f16.
// CHECK-LABEL: func.func @widen_e5m2(
// CHECK-SAME: %[[X:.*]]: vector<4xi8>) -> vector<4xf32>
func.func @widen_e5m2(%x: vector<4xf8E5M2>) -> vector<4xf32> {
  // CHECK: %[[WORD:.*]] = arith.extui %[[X]] : vector<4xi8> to vector<4xi16>
  // CHECK: %[[UPPER:.*]] = arith.shli %[[WORD]]
  // CHECK: %[[HALF:.*]] = arith.bitcast %[[UPPER]] : vector<4xi16> to vector<4xf16>
  // CHECK: arith.extf %[[HALF]] : vector<4xf16> to vector<4xf32>
  %0 = arith.extf %x : vector<4xf8E5M2> to vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: func.func @widen_e4m3(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>) -> tensor<4xf64>
func.func @widen_e4m3(%x: tensor<4xf8E4M3FN>) -> tensor<4xf64> {
  // CHECK: %[[WORD:.*]] = arith.extui %[[X]] : tensor<4xi8> to tensor<4xi32>
  // CHECK: %[[CODE:.*]] = arith.andi %[[WORD]], %{{.*}}
  // CHECK: arith.shli %[[CODE]], %{{.*}}
  // CHECK: arith.mulf %{{.*}} : tensor<4xf32>
  // CHECK: %[[NAN:.*]] = arith.cmpi eq, %[[CODE]], %{{.*}}
  // CHECK: arith.select %[[NAN]]
  // CHECK: arith.extf %{{.*}} : tensor<4xf32> to tensor<4xf64>
  %0 = arith.extf %x : tensor<4xf8E4M3FN> to tensor<4xf64>
  return %0 : tensor<4xf64>
}

// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[X:.*]]: f16) -> i8
func.func @narrow(%x: f16) -> f8E4M3FNUZ {
  // CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
  // CHECK: math.absf %[[WIDE]]
  // CHECK: arith.trunci %{{.*}} : i32 to i8
  %0 = arith.truncf %x : f16 to f8E4M3FNUZ
  return %0 : f8E4M3FNUZ
}

// A double is rounded once: first to odd, then to the byte.
// CHECK-LABEL: func.func @narrow_double(
func.func @narrow_double(%x: f64) -> f8E5M2 {
  // CHECK: %[[NEAREST:.*]] = arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.bitcast %[[NEAREST]] : f32 to i32
  // CHECK: %[[ODD:.*]] = arith.ori
  // CHECK: arith.select %{{.*}}, %[[ODD]]
  // CHECK: arith.trunci %{{.*}} : i32 to i8
  %0 = arith.truncf %x : f64 to f8E5M2
  return %0 : f8E5M2
}

// CHECK-LABEL: func.func @calculate(
// CHECK-SAME: %[[X:.*]]: vector<4xi8>, %[[Y:.*]]: vector<4xi8>)
func.func @calculate(%x: vector<4xf8E5M2>, %y: vector<4xf8E5M2>) -> (vector<4xf8E5M2>, vector<4xi1>) {
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
  // CHECK: math.absf %[[SUM]]
  // CHECK: %[[BYTES:.*]] = arith.trunci %{{.*}} : vector<4xi32> to vector<4xi8>
  %0 = arith.addf %x, %y : vector<4xf8E5M2>
  // CHECK: %[[LESS:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : vector<4xf32>
  %1 = arith.cmpf olt, %x, %y : vector<4xf8E5M2>
  // CHECK: %[[PICKED:.*]] = arith.select %[[LESS]], %[[BYTES]], %[[Y]] : vector<4xi1>, vector<4xi8>
  %2 = arith.select %1, %0, %y : vector<4xi1>, vector<4xf8E5M2>
  // CHECK: return %[[PICKED]], %[[LESS]]
  return %2, %1 : vector<4xf8E5M2>, vector<4xi1>
}

// CHECK-LABEL: func.func @places(
// CHECK-SAME: %[[P:.*]]: !tile.ptr<i8>
func.func @places(%p: !tile.ptr<f8E5M2>) {
  // CHECK: %[[ONE:.*]] = arith.constant 60 : i8
  %one = arith.constant 1.0 : f8E5M2
  // CHECK: tile.store %[[P]], %[[ONE]] : !tile.ptr<i8>, i8
  tile.store %p, %one : !tile.ptr<f8E5M2>, f8E5M2
  return
}

// CHECK-LABEL: func.func @dot(
func.func @dot(%a: tensor<16x16xf8E5M2>, %b: tensor<16x16xf8E4M3FN>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %0 = tile.dot %a, %b, %acc : tensor<16x16xf8E5M2> * tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @pairs
  // CHECK-SAME: %[[X:.*]]: vector<4xi8>, %[[Y:.*]]: f32
  func.func @pairs(%x: vector<4xf8E5M2>, %y: f32) -> (vector<4xbf16>, f8E4M3FN) {
    // CHECK-COUNT-2: thread.extend_pairs %{{.*}} from f8E5M2 : vector<2xi8> -> vector<2xf16>
    // CHECK: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
    // CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
    %0 = arith.extf %x : vector<4xf8E5M2> to vector<4xbf16>
    // CHECK: %[[PAIR:.*]] = thread.truncate_pairs %[[Y]], %[[Y]] to f8E4M3FN -> vector<2xi8>
    // CHECK: vector.extract %[[PAIR]][0] : i8 from vector<2xi8>
    %1 = arith.truncf %y : f32 to f8E4M3FN
    return %0, %1 : vector<4xbf16>, f8E4M3FN
  }

  // CHECK-LABEL: func.func @no_instruction
  // CHECK-NOT: thread
  // CHECK: arith.mulf
  func.func @no_instruction(%x: f8E4M3FNUZ) -> f32 {
    %0 = arith.extf %x : f8E4M3FNUZ to f32
    return %0 : f32
  }
}

// -----

module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: func.func @before_sm_89
  // CHECK-NOT: thread
  // CHECK: arith.mulf
  func.func @before_sm_89(%x: f8E4M3FN) -> f32 {
    %0 = arith.extf %x : f8E4M3FN to f32
    return %0 : f32
  }
}

// -----

// Two pairs fill the register that AMD's instructions take. A vector's rest is one pair, or two with copies.
module attributes {tilegpu.target = "gfx942"} {
  // CHECK-LABEL: func.func @pairs_of_words
  // CHECK-SAME: %[[X:.*]]: vector<6xi8>, %[[Y:.*]]: vector<3xf32>
  func.func @pairs_of_words(%x: vector<6xf8E4M3FNUZ>, %y: vector<3xf32>) -> (vector<6xf16>, vector<3xf8E5M2FNUZ>) {
    // CHECK: thread.extend_pairs %{{.*}} from f8E4M3FNUZ : vector<4xi8> -> vector<4xf32>
    // CHECK: thread.extend_pairs %{{.*}} from f8E4M3FNUZ : vector<2xi8> -> vector<2xf32>
    // CHECK-NOT: arith.extf
    // CHECK: arith.truncf %{{.*}} : vector<6xf32> to vector<6xf16>
    %0 = arith.extf %x : vector<6xf8E4M3FNUZ> to vector<6xf16>
    // CHECK: %[[LAST:.*]] = vector.extract %[[Y]][2]
    // CHECK: thread.truncate_pairs %{{.*}}, %{{.*}}, %[[LAST]], %[[LAST]] to f8E5M2FNUZ -> vector<4xi8>
    %1 = arith.truncf %y : vector<3xf32> to vector<3xf8E5M2FNUZ>
    return %0, %1 : vector<6xf16>, vector<3xf8E5M2FNUZ>
  }

  // gfx942 has no instructions for OCP's formats.
  // CHECK-LABEL: func.func @other_formats
  // CHECK-NOT: thread
  // CHECK: arith.mulf
  func.func @other_formats(%x: vector<4xf8E4M3FN>) -> vector<4xf32> {
    %0 = arith.extf %x : vector<4xf8E4M3FN> to vector<4xf32>
    return %0 : vector<4xf32>
  }
}

// -----

module attributes {tilegpu.target = "gfx950"} {
  // To f16, a byte of f8E5M2 only moves.
  // CHECK-LABEL: func.func @upper_bytes
  // CHECK: thread.extend_pairs %{{.*}} from f8E5M2 : vector<4xi8> -> vector<4xf32>
  // CHECK-NOT: thread
  // CHECK: arith.shli
  func.func @upper_bytes(%x: vector<4xf8E5M2>) -> (vector<4xf32>, vector<4xf16>) {
    %0 = arith.extf %x : vector<4xf8E5M2> to vector<4xf32>
    %1 = arith.extf %x : vector<4xf8E5M2> to vector<4xf16>
    return %0, %1 : vector<4xf32>, vector<4xf16>
  }

  // CHECK-LABEL: func.func @without_negative_zero
  // CHECK-NOT: thread
  // CHECK: arith.mulf
  func.func @without_negative_zero(%x: vector<4xf8E4M3FNUZ>) -> vector<4xf32> {
    %0 = arith.extf %x : vector<4xf8E4M3FNUZ> to vector<4xf32>
    return %0 : vector<4xf32>
  }
}
