// RUN: tilewright-opt %s --infer-arguments | FileCheck %s

func.func @kernel(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %c32 = arith.constant 32 : i32
  %row = arith.muli %n, %c32 : i32
  %rows = tile.splat %row : tensor<64xi32>
  %shifted = arith.addi %range, %rows overflow<nsw> : tensor<64xi32>
  tile.call @f(%p, %range, %row) : (!tile.ptr<f32>, tensor<64xi32>, i32) -> ()
  tile.call @f(%p, %shifted, %c32) : (!tile.ptr<f32>, tensor<64xi32>, i32) -> ()
  return
}

// What holds at both calls.
// CHECK: func.func private @f(
// CHECK-SAME: %{{[^:]*}}: !tile.ptr<f32> {tile.constancy = 1 : i32, tile.contiguity = 1 : i32, tile.divisibility = 16 : i32}
// CHECK-SAME: %{{[^:]*}}: tensor<64xi32> {tile.constancy = array<i32: 1>, tile.contiguity = array<i32: 64>, tile.divisibility = array<i32: 32>}
// CHECK-SAME: %{{[^:]*}}: i32 {tile.constancy = 1 : i32, tile.contiguity = 1 : i32, tile.divisibility = 32 : i32}
func.func private @f(%p: !tile.ptr<f32>, %offsets: tensor<64xi32>, %n: i32) attributes {no_inline} {
  tile.call @g(%offsets) : (tensor<64xi32>) -> ()
  return
}

// CHECK: func.func private @g(%{{[^:]*}}: tensor<64xi32> {{{.*}}tile.contiguity = array<i32: 64>
func.func private @g(%offsets: tensor<64xi32>) attributes {no_inline} {
  return
}
