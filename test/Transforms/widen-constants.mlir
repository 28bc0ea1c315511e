// RUN: tilewright-opt %s -split-input-file --widen-constants | FileCheck %s
// RUN: tilewright-opt %s -split-input-file --widen-constants --canonicalize | FileCheck %s --check-prefix=SIMPLE

// The product of the constants has more than 32 bits, so simplification would make it 0. What is stored wraps.
// CHECK-LABEL: func.func @product(
// CHECK: %[[A:.*]] = arith.muli %{{.*}} : i32
// CHECK-DAG: %[[X:.*]] = arith.extsi %[[A]] : i32 to i64
// CHECK-DAG: %[[WIDE:.*]] = arith.muli %[[X]], %{{.*}} : i64
// CHECK-DAG: %[[DATA:.*]] = arith.muli %[[A]], %{{.*}} : i32
// CHECK: %[[P:.*]] = tile.addptr %arg0, %[[WIDE]] : !tile.ptr<i32>, i64
// CHECK: tile.store %[[P]], %[[DATA]]
// SIMPLE-LABEL: func.func @product(
// SIMPLE-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// SIMPLE-DAG: %[[C:.*]] = arith.constant 65536 : i64
// SIMPLE: %[[W:.*]] = arith.muli %{{.*}}, %[[C]] : i64
// SIMPLE: %[[P:.*]] = tile.addptr %arg0, %[[W]] : !tile.ptr<i32>, i64
// SIMPLE: tile.store %[[P]], %[[ZERO]]
func.func @product(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %c = arith.constant 65536 : i32
  %id = tile.program_id 0 : i32
  %a = arith.muli %id, %c : i32
  %b = arith.muli %a, %c : i32
  %at = tile.addptr %p, %b : !tile.ptr<i32>, i32
  tile.store %at, %b : !tile.ptr<i32>, i32
  return
}

// -----

// Constants below 2^31 may be added to anything, and are, although the sum may wrap: that depends on the launch.
// CHECK-LABEL: func.func @fits(
// CHECK-NOT: i64
func.func @fits(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c = arith.constant 1073741823 : i32
  %x = arith.constant 1.0 : f32
  %a = arith.addi %n, %c : i32
  %b = arith.addi %a, %c : i32
  %s = arith.muli %b, %c : i32
  %at = tile.addptr %p, %s : !tile.ptr<f32>, i32
  tile.store %at, %x : !tile.ptr<f32>, f32
  return
}

// -----

// Constants that are subtracted, and those of tiles.
// CHECK-LABEL: func.func @sums(
// CHECK: arith.subi {{.*}} : tensor<8xi32>
// CHECK: arith.subi {{.*}} : tensor<8xi64>
// CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
func.func @sums(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %c = arith.constant 1342177280 : i32
  %x = arith.constant dense<1.0> : tensor<8xf32>
  %r = tile.make_range 0 to 8 : tensor<8xi32>
  %t = tile.splat %c : tensor<8xi32>
  %a = arith.subi %r, %t : tensor<8xi32>
  %b = arith.subi %a, %t : tensor<8xi32>
  %ps = tile.splat %p : tensor<8x!tile.ptr<f32>>
  %at = tile.addptr %ps, %b : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %at, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// -----

// Unsigned arithmetic wraps, and so do numbers that are in no address.
// CHECK-LABEL: func.func @wraps(
// CHECK-NOT: i64
func.func @wraps(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c = arith.constant 65536 : i32
  %a = arith.muli %n, %c {tile.unsigned} : i32
  %b = arith.muli %a, %c {tile.unsigned} : i32
  %at = tile.addptr %p, %b : !tile.ptr<i32>, i32
  %d = arith.muli %n, %c : i32
  %e = arith.muli %d, %c : i32
  tile.store %at, %e : !tile.ptr<i32>, i32
  return
}
