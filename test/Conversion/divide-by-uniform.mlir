// RUN: tilewright-opt %s --divide-by-uniform | FileCheck %s

// CHECK-LABEL: func.func @uniform(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>, %[[D:.*]]: f32
// CHECK: %[[SCALED:.*]] = arith.mulf %[[D]], %[[SCALE:.*]] : f32
// CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[SCALED]] {tile.precise} : f32
// CHECK: %[[SCALES:.*]] = vector.broadcast %[[SCALE]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[SCALES]]
// CHECK: %[[RS:.*]] = vector.broadcast %[[R]]
// CHECK: arith.mulf %[[PRODUCT]], %[[RS]]
func.func @uniform(%x: vector<16xf32>, %d: f32) -> vector<16xf32> {
  %ds = vector.broadcast %d : f32 to vector<16xf32>
  %q = arith.divf %x, %ds : vector<16xf32>
  return %q : vector<16xf32>
}

// What has to be exact, and what differs in each lane, is divided.
// CHECK-LABEL: func.func @exact(
// CHECK: arith.divf %{{.*}} {tile.precise} : vector<16xf32>
// CHECK: arith.divf %{{.*}} : vector<16xf32>
// CHECK: arith.divf %{{.*}} : vector<8xf64>
func.func @exact(%x: vector<16xf32>, %y: vector<16xf32>, %d: f32, %w: vector<8xf64>, %e: f64)
    -> (vector<16xf32>, vector<16xf32>, vector<8xf64>) {
  %ds = vector.broadcast %d : f32 to vector<16xf32>
  %es = vector.broadcast %e : f64 to vector<8xf64>
  %q = arith.divf %x, %ds {tile.precise} : vector<16xf32>
  %r = arith.divf %x, %y : vector<16xf32>
  %s = arith.divf %w, %es : vector<8xf64>
  return %q, %r, %s : vector<16xf32>, vector<16xf32>, vector<8xf64>
}

// Two rows of a tile, each divided by its sum.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: vector<4xf32>, %[[D:.*]]: vector<2xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[D]], %[[SCALE:.*]] : vector<2xf32>
// CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[SCALED]] {tile.precise} : vector<2xf32>
// CHECK: %[[SCALES:.*]] = vector.shuffle %[[SCALE]], %[[SCALE]] [0, 0, 1, 1]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[SCALES]]
// CHECK: %[[RS:.*]] = vector.shuffle %[[R]], %[[R]] [0, 0, 1, 1]
// CHECK: arith.mulf %[[PRODUCT]], %[[RS]]
func.func @rows(%x: vector<4xf32>, %d: vector<2xf32>) -> vector<4xf32> {
  %ds = vector.shuffle %d, %d [0, 0, 1, 1] : vector<2xf32>, vector<2xf32>
  %q = arith.divf %x, %ds : vector<4xf32>
  return %q : vector<4xf32>
}

// CHECK-LABEL: func.func @reordered(
// CHECK: arith.divf %{{.*}}, %{{.*}} : vector<2xf32>
func.func @reordered(%x: vector<2xf32>, %d: vector<2xf32>) -> vector<2xf32> {
  %ds = vector.shuffle %d, %d [1, 0] : vector<2xf32>, vector<2xf32>
  %q = arith.divf %x, %ds : vector<2xf32>
  return %q : vector<2xf32>
}
