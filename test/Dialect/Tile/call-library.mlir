// tile.call_library through every level of a GPU, and on the CPU.
// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --cse --canonicalize | FileCheck %s --check-prefix=SIMPLE
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize | FileCheck %s --check-prefix=THREAD

#line = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [] : 64>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // A function is declared once for each list of types, and called for each register.
  // THREAD-DAG: llvm.func @f.library[[INT:[0-9]+]](i32, f32) -> f32 attributes {passthrough = {{.*}}"tilewright-symbol", "f"], ["tilewright-libraries", "a.bc\0Ab.bc"]
  // THREAD-DAG: llvm.func @f.library[[LONG:[0-9]+]](i64, f32) -> f32 attributes
  // THREAD-DAG: llvm.func @g.library{{[0-9]+}}(!llvm.ptr<1>) -> i32 attributes

  // CHECK-LABEL: func.func @tiles
  // CHECK: tile.call_library "f" of ["a.bc", "b.bc"] pure(%{{.*}}, %{{.*}}) : (tensor<64xi32, #{{.*}}>, tensor<64xf32, #{{.*}}>) -> tensor<64xf32, #{{.*}}>
  // THREAD-LABEL: func.func @tiles
  // THREAD-COUNT-2: llvm.call @f.library[[INT]](%{{.*}}, %{{.*}}) : (i32, f32) -> f32
  // THREAD: vector.from_elements
  // THREAD: llvm.call @f.library[[INT]](
  // THREAD: llvm.call @f.library[[LONG]](
  func.func @tiles(%i: tensor<64xi32, #line>, %x: tensor<64xf32, #line>, %n: i32, %m: i64, %y: f32)
      -> (tensor<64xf32, #line>, f32, f32) {
    %0 = tile.call_library "f" of ["a.bc", "b.bc"] pure (%i, %x) : (tensor<64xi32, #line>, tensor<64xf32, #line>) -> tensor<64xf32, #line>
    %1 = tile.call_library "f" of ["a.bc", "b.bc"] pure (%n, %y) : (i32, f32) -> f32
    %2 = tile.call_library "f" of ["a.bc", "b.bc"] pure (%m, %y) : (i64, f32) -> f32
    return %0, %1, %2 : tensor<64xf32, #line>, f32, f32
  }

  // Equal calls of pure functions are merged and unused ones removed; others stay.
  // SIMPLE-LABEL: func.func @effects
  // SIMPLE-COUNT-1: tile.call_library "f"
  // SIMPLE-COUNT-2: tile.call_library "g"
  // SIMPLE-NOT: tile.call_library
  func.func @effects(%n: i32, %y: f32, %p: !tile.ptr<i32>) -> (f32, f32) {
    %0 = tile.call_library "f" of ["a.bc"] pure (%n, %y) : (i32, f32) -> f32
    %1 = tile.call_library "f" of ["a.bc"] pure (%n, %y) : (i32, f32) -> f32
    %2 = tile.call_library "g" of ["a.bc"] (%p) : (!tile.ptr<i32>) -> i32
    %3 = tile.call_library "g" of ["a.bc"] (%p) : (!tile.ptr<i32>) -> i32
    %4 = tile.call_library "h" of ["a.bc"] pure () : () -> i32
    return %0, %1 : f32, f32
  }

  // No function is called for elements that a mask excludes.
  // SIMPLE-LABEL: func.func @masked
  // THREAD-LABEL: func.func @masked
  // THREAD: scf.if
  // THREAD: llvm.call @g.library
  // THREAD: scf.if
  func.func @masked(%p: tensor<64x!tile.ptr<i32>, #line>, %m: tensor<64xi1, #line>) {
    %0 = tile.call_library "g" of ["a.bc"] (%p) mask %m : tensor<64xi1, #line> : (tensor<64x!tile.ptr<i32>, #line>) -> tensor<64xi32, #line>
    return
  }
}
