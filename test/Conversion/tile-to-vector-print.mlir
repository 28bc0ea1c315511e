// RUN: tilewright-opt %s --tile-to-vector=features=+avx512f | FileCheck %s

// One call for each print, with the addresses of tiles in memory in row-major order; narrow floats are widened. A mask
// comes first.
// CHECK-DAG: llvm.mlir.global internal constant @[[TILE:.*]]("[2,64] x: %f32:;\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[PAIR:.*]]("[]? n = %u32:08x; or %i32:d;%%\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("- here\00")
// CHECK-DAG: llvm.func @tilewright_print(!llvm.ptr, i32, i32, i32, !llvm.ptr)
// CHECK-LABEL: func.func @show(
// CHECK: %[[FORMAT:.*]] = llvm.mlir.addressof @[[TILE]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: llvm.ptrtoint
// CHECK: llvm.call @tilewright_print(%[[FORMAT]], %{{.*}})
// CHECK: %[[FORMAT:.*]] = llvm.mlir.addressof @[[PAIR]]
// CHECK: arith.extui %{{.*}} : i1 to i8
// CHECK-COUNT-3: llvm.ptrtoint
// CHECK: llvm.call @tilewright_print(%[[FORMAT]]
// CHECK: %[[NOTHING:.*]] = llvm.mlir.addressof @[[TEXT]]
// CHECK: llvm.call @tilewright_print(%[[NOTHING]]
func.func @show(%x: f16 {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %xs = tile.splat %x : tensor<2x64xf16>
  %c0 = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %n, %c0 : i32
  tile.print ["x: ", ""] [""] (%xs : tensor<2x64xf16>)
  tile.print ["n = ", " or ", "%"] ["08x", "d"] (%n, %n : i32, i32) mask %positive : i1
  tile.print ["here"] []
  return
}
