// RUN: tilewright-opt %s --drop-unit-dims --split-input-file | FileCheck %s

// A block of a batch's matrices: the reshape of its pointers goes to where dimensions are added, that of its value
// merges with the program's.

// CHECK-LABEL: @block
// CHECK-DAG: tile.expand_dims %{{.*}} 1 : tensor<8xi32> -> tensor<8x1xi32>
// CHECK-DAG: tile.expand_dims %{{.*}} 0 : tensor<16xi32> -> tensor<1x16xi32>
// CHECK: %[[OFFSETS:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<8x16xi32>
// CHECK-NOT: arith.addi
// CHECK: %[[P:.*]] = tile.addptr %{{.*}}, %[[OFFSETS]] : tensor<8x16x!tile.ptr<f16>>
// CHECK: %[[X:.*]] = tile.load %[[P]] mask %{{.*}} : tensor<8x16x!tile.ptr<f16>>, mask tensor<8x16xi1> -> tensor<8x16xf16>
// CHECK-NOT: reshape
// CHECK: return %[[X]] : tensor<8x16xf16>
func.func @block(%x: !tile.ptr<f16>, %n: i32) -> tensor<8x16xf16> {
  %base = tile.splat %x : tensor<1x8x16x!tile.ptr<f16>>
  %rows = tile.make_range 0 to 8 : tensor<8xi32>
  %rows0 = tile.expand_dims %rows 0 : tensor<8xi32> -> tensor<1x8xi32>
  %rows1 = tile.expand_dims %rows0 2 : tensor<1x8xi32> -> tensor<1x8x1xi32>
  %columns = tile.make_range 0 to 16 : tensor<16xi32>
  %columns0 = tile.expand_dims %columns 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columns1 = tile.expand_dims %columns0 1 : tensor<1x16xi32> -> tensor<1x1x16xi32>
  %a = tile.broadcast %rows1 : tensor<1x8x1xi32> -> tensor<1x8x16xi32>
  %b = tile.broadcast %columns1 : tensor<1x1x16xi32> -> tensor<1x8x16xi32>
  %offsets = arith.addi %a, %b : tensor<1x8x16xi32>
  %p = tile.addptr %base, %offsets : tensor<1x8x16x!tile.ptr<f16>>, tensor<1x8x16xi32>
  %limit = tile.splat %n : tensor<1x8x16xi32>
  %mask = arith.cmpi slt, %offsets, %limit : tensor<1x8x16xi32>
  %v = tile.load %p mask %mask : tensor<1x8x16x!tile.ptr<f16>>, mask tensor<1x8x16xi1> -> tensor<1x8x16xf16>
  %r = tile.reshape %v : tensor<1x8x16xf16> -> tensor<8x16xf16>
  return %r : tensor<8x16xf16>
}

// -----

// A float with uses of both shapes is computed once.

// CHECK-LABEL: @two_shapes
// CHECK: %[[DOUBLE:.*]] = arith.addf {{.*}} : tensor<1x8x16xf32>
// CHECK: %[[FLAT:.*]] = tile.reshape %[[DOUBLE]] : tensor<1x8x16xf32> -> tensor<8x16xf32>
// CHECK: tile.store %{{.*}}, %[[FLAT]] : tensor<8x16x!tile.ptr<f32>>, tensor<8x16xf32>
// CHECK: return %[[DOUBLE]]
func.func @two_shapes(%p: tensor<1x8x16x!tile.ptr<f32>>, %v: tensor<1x8x16xf32>) -> tensor<1x8x16xf32> {
  %double = arith.addf %v, %v : tensor<1x8x16xf32>
  tile.store %p, %double : tensor<1x8x16x!tile.ptr<f32>>, tensor<1x8x16xf32>
  return %double : tensor<1x8x16xf32>
}

// -----

// A long chain of floats that two accesses use: the reshape goes above all of it.

// CHECK-LABEL: @chain
// CHECK: %[[FLAT:.*]] = tile.reshape %{{.*}} : tensor<1x8x16xf32> -> tensor<8x16xf32>
// CHECK-COUNT-14: math.absf %{{.*}} : tensor<8x16xf32>
// CHECK-NOT: math.absf
// CHECK: tile.store %{{.*}}, %[[LAST:.*]] : tensor<8x16x!tile.ptr<f32>>, tensor<8x16xf32>
// CHECK: tile.store %{{.*}}, %[[LAST]] : tensor<8x16x!tile.ptr<f32>>, tensor<8x16xf32>
func.func @chain(%p: tensor<1x8x16x!tile.ptr<f32>>, %q: tensor<1x8x16x!tile.ptr<f32>>, %v0: tensor<1x8x16xf32>) {
  %v1 = math.absf %v0 : tensor<1x8x16xf32>
  %v2 = math.absf %v1 : tensor<1x8x16xf32>
  %v3 = math.absf %v2 : tensor<1x8x16xf32>
  %v4 = math.absf %v3 : tensor<1x8x16xf32>
  %v5 = math.absf %v4 : tensor<1x8x16xf32>
  %v6 = math.absf %v5 : tensor<1x8x16xf32>
  %v7 = math.absf %v6 : tensor<1x8x16xf32>
  %v8 = math.absf %v7 : tensor<1x8x16xf32>
  %v9 = math.absf %v8 : tensor<1x8x16xf32>
  %v10 = math.absf %v9 : tensor<1x8x16xf32>
  %v11 = math.absf %v10 : tensor<1x8x16xf32>
  %v12 = math.absf %v11 : tensor<1x8x16xf32>
  %v13 = math.absf %v12 : tensor<1x8x16xf32>
  %v14 = math.absf %v13 : tensor<1x8x16xf32>
  tile.store %p, %v14 : tensor<1x8x16x!tile.ptr<f32>>, tensor<1x8x16xf32>
  tile.store %q, %v14 : tensor<1x8x16x!tile.ptr<f32>>, tensor<1x8x16xf32>
  return
}

// -----

// The outermost dimensions of size 1 go first, and two dimensions remain.

// CHECK-LABEL: @two_remain
// CHECK: tile.load %{{.*}} : tensor<1x4x!tile.ptr<i32>> -> tensor<1x4xi32>
// CHECK: tile.load %{{.*}} : tensor<8x4x!tile.ptr<i32>> -> tensor<8x4xi32>
// CHECK: tile.load %{{.*}} : tensor<8x1x!tile.ptr<i32>> -> tensor<8x1xi32>
func.func @two_remain(%p: tensor<1x1x4x!tile.ptr<i32>>, %q: tensor<8x1x4x!tile.ptr<i32>>, %r: tensor<8x1x!tile.ptr<i32>>)
    -> (tensor<1x1x4xi32>, tensor<8x1x4xi32>, tensor<8x1xi32>) {
  %a = tile.load %p : tensor<1x1x4x!tile.ptr<i32>> -> tensor<1x1x4xi32>
  %b = tile.load %q : tensor<8x1x4x!tile.ptr<i32>> -> tensor<8x1x4xi32>
  %c = tile.load %r : tensor<8x1x!tile.ptr<i32>> -> tensor<8x1xi32>
  return %a, %b, %c : tensor<1x1x4xi32>, tensor<8x1x4xi32>, tensor<8x1xi32>
}

// -----

// Reshapes of a kernel without such accesses stay.

// CHECK-LABEL: @nothing
// CHECK: tile.reshape
func.func @nothing(%v: tensor<8xf32>) -> tensor<1x8xf32> {
  %r = tile.reshape %v : tensor<8xf32> -> tensor<1x8xf32>
  return %r : tensor<1x8xf32>
}
