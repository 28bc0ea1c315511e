// tile.inline_asm and the order of dependent grids through every level.
// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --cse --canonicalize | FileCheck %s --check-prefix=SIMPLE
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize | FileCheck %s --check-prefix=THREAD
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --thread-to-nvvm | FileCheck %s --check-prefix=NVVM

#line = #tilegpu.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [], block = [] : 256>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // One register has four bytes; two executions.
  // CHECK-LABEL: func.func @packed
  // CHECK: tile.inline_asm "not.b32 $0, $1;", "=r,r" pack 4 pure(%{{.*}}) : (tensor<256xi8, #{{.*}}>) -> tensor<256xi8, #{{.*}}>
  // THREAD-LABEL: func.func @packed
  // THREAD: vector.bitcast %{{.*}} : vector<8xi8> to vector<2xi32>
  // THREAD-COUNT-2: thread.inline_asm "not.b32 $0, $1;", "=r,r" pure(%{{.*}}) : (i32) -> i32
  // THREAD: vector.bitcast %{{.*}} : vector<2xi32> to vector<8xi8>
  // NVVM-LABEL: func.func @packed
  // NVVM-COUNT-2: llvm.inline_asm "not.b32 $0, $1;", "=r,r" %{{.*}} : (i32) -> i32
  func.func @packed(%n: i8) -> tensor<256xi8, #line> {
    %x = tile.splat %n : tensor<256xi8, #line>
    %y = tile.inline_asm "not.b32 $0, $1;", "=r,r" pack 4 pure (%x) : (tensor<256xi8, #line>) -> tensor<256xi8, #line>
    return %y : tensor<256xi8, #line>
  }

  // Equal pure assembly is merged and unused one removed; other assembly stays, with a clobber of memory.
  // SIMPLE-LABEL: func.func @effects
  // SIMPLE: tile.inline_asm "a
  // SIMPLE-NOT: tile.inline_asm "a
  // SIMPLE: tile.inline_asm "b
  // SIMPLE: tile.inline_asm "b
  // SIMPLE-NOT: tile.inline_asm
  // NVVM-LABEL: func.func @effects
  // NVVM: llvm.inline_asm "a $0, $1;", "=r,f" %{{.*}} : (f32) -> i32
  // NVVM: llvm.inline_asm has_side_effects "b $0, $1;", "=r,r,~{memory}"
  func.func @effects(%n: f32, %i: i16) -> (i32, i32) {
    %0 = tile.inline_asm "a $0, $1;", "=r, f" pack 1 pure (%n) : (f32) -> i32
    %1 = tile.inline_asm "a $0, $1;", "=r, f" pack 1 pure (%n) : (f32) -> i32
    %2 = tile.inline_asm "b $0, $1;", "=r,r" pack 1 (%i) : (i16) -> i32
    %3 = tile.inline_asm "b $0, $1;", "=r,r" pack 1 (%i) : (i16) -> i32
    %4 = tile.inline_asm "c $0, $1;", "=r,r" pack 1 pure (%i) : (i16) -> i32
    return %0, %1 : i32, i32
  }

  // CHECK-LABEL: func.func @grids
  // CHECK-NEXT: tile.wait_for_grids
  // CHECK-NEXT: tile.launch_dependents
  // THREAD-LABEL: func.func @grids
  // THREAD-NEXT: thread.wait_for_grids
  // THREAD-NEXT: thread.launch_dependents
  // NVVM-LABEL: func.func @grids
  // NVVM-NEXT: ptx.griddepcontrol "wait"
  // NVVM-NEXT: ptx.griddepcontrol "launch_dependents"
  func.func @grids() {
    tile.wait_for_grids
    tile.launch_dependents
    return
  }
}
