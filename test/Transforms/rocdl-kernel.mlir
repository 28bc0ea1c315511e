// RUN: tilewright-opt %s --rocdl-kernel="max-registers=128 waves-per-eu=2" | FileCheck %s
// RUN: tilewright-opt %s --rocdl-kernel | FileCheck %s --check-prefix=FREE

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 4 : i32} {
  // CHECK: llvm.func @kernel() attributes {
  // CHECK-SAME: passthrough = {{\[\["}}amdgpu-num-vgpr", "128"]]
  // CHECK-SAME: rocdl.flat_work_group_size = "256,256"
  // CHECK-SAME: rocdl.kernel
  // CHECK-SAME: rocdl.waves_per_eu = 2
  // FREE: llvm.func @kernel() attributes {rocdl.flat_work_group_size = "256,256", rocdl.kernel}
  llvm.func @kernel() attributes {tile.kernel} {
    llvm.return
  }

  // CHECK: llvm.func @bytes(%[[BYTES:.*]]: !llvm.ptr<4> {llvm.byref = !llvm.array<8 x i8>})
  // CHECK: %[[ADDRESS:.*]] = llvm.addrspacecast %[[BYTES]] : !llvm.ptr<4> to !llvm.ptr
  // CHECK: llvm.load volatile %[[ADDRESS]]
  llvm.func @bytes(%bytes: !llvm.ptr {llvm.byval = !llvm.array<8 x i8>}) attributes {tile.kernel} {
    %x = llvm.load volatile %bytes : !llvm.ptr -> i64
    llvm.return
  }

  // CHECK: llvm.func internal @helper() {
  llvm.func internal @helper() {
    llvm.return
  }
}
