// RUN: tilewright-opt %s --nvvm-kernel=max-registers=128 | FileCheck %s

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.target = "sm_90a"} {
  // CHECK: llvm.func @kernel() attributes {nvvm.kernel, nvvm.maxnreg = 128 : i32, nvvm.reqntid = array<i32: 256>}
  llvm.func @kernel() attributes {tile.kernel} { llvm.return }
  // CHECK: llvm.func @by_value(%arg0: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %arg1: !llvm.ptr<1>)
  llvm.func @by_value(%arg0: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}, %arg1: !llvm.ptr<1>) attributes {tile.kernel} { llvm.return }
  // CHECK: llvm.func @helper() attributes {no_inline} {
  llvm.func @helper() { llvm.return }
}
