// tilegpu-to-thread: printing, each element once.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse | FileCheck %s

#copies = #tilegpu.layout<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]], warp = [], block = [] : 16x2>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @show
  // CHECK-DAG: %[[OWNS:.*]] = arith.cmpi eq
  // CHECK: scf.if %[[OWNS]]
  // CHECK: arith.extf %{{.*}} : f16 to f64
  // CHECK-COUNT-2: thread.print "pid (%u, %u, %u) idx (%u, %u) x: %.5g\0A" %{{.*}} : i32, i32, i32, i32, i32, f64
  // CHECK: }
  // CHECK: scf.if
  // CHECK: thread.print "pid (%u, %u, %u) idx () n: (operand 0) 0x%08x\0A" %{{.*}} : i32, i32, i32, i32
  // CHECK: thread.print "pid (%u, %u, %u) idx () n: (operand 1) 0x%016llx\0A" %{{.*}} : i32, i32, i32, i64
  // CHECK: thread.print "pid (%u, %u, %u) idx () n: (operand 2) %.17g\0A" %{{.*}} : i32, i32, i32, f64
  // CHECK: thread.print "pid (%u, %u, %u) 100%% done\0A" %{{.*}} : i32, i32, i32
  // CHECK: thread.print "pid (%u, %u, %u) idx () %lld\0A" %{{.*}} : i32, i32, i32, i64
  func.func @show(%x: tensor<16x2xf16, #copies>, %p: !tile.ptr<f32>, %n: i32, %d: f64, %l: i64, %b: i8) {
    tile.print "x" (%x : tensor<16x2xf16, #copies>) signed [true]
    tile.print "n:" hex (%n, %p, %d : i32, !tile.ptr<f32>, f64) signed [true, false, true]
    tile.print "100% done" signed []
    tile.print "" (%l : i64) signed [true]
    // CHECK: arith.extsi %{{.*}} : i8 to i32
    // CHECK: thread.print "pid (%u, %u, %u) idx () %d\0A" %{{.*}} : i32, i32, i32, i32
    tile.print "" (%b : i8) signed [true]
    return
  }
}
