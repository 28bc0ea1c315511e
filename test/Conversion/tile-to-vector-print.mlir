// RUN: tilewright-opt %s --tile-to-vector=features=+avx512f | FileCheck %s

// One call for a whole tile, which is in memory in row-major order; narrow floats are widened.
// CHECK-DAG: llvm.mlir.global internal constant @[[TILE:.*]]("f32[2,64] x: \00")
// CHECK-DAG: llvm.mlir.global internal constant @[[SCALAR:.*]]("u32[] n: \00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("- here\00")
// CHECK-DAG: llvm.func @tilewright_print(!llvm.ptr, i32, i32, i32, !llvm.ptr)
// CHECK-LABEL: func.func @show(
// CHECK-SAME: tile.scratch_bytes = 576
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: %[[FORMAT:.*]] = llvm.mlir.addressof @[[TILE]]
// CHECK: llvm.call @tilewright_print(%[[FORMAT]], %{{.*}})
// CHECK: llvm.mlir.addressof @[[SCALAR]]
// CHECK: llvm.call @tilewright_print
// CHECK: %[[NOTHING:.*]] = llvm.mlir.addressof @[[TEXT]]
// CHECK: llvm.call @tilewright_print(%[[NOTHING]]
func.func @show(%x: f16 {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %xs = tile.splat %x : tensor<2x64xf16>
  tile.print "x" (%xs : tensor<2x64xf16>) signed [false]
  tile.print "n:" (%n : i32) signed [false]
  tile.print "here" signed []
  return
}
