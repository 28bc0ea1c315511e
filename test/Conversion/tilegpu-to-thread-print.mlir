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
  // CHECK: thread.print "pid (%u, %u, %u) idx () n: 0x%08x, 0x%016llx, %8.17g!\0A" %{{.*}} : i32, i32, i32, i32, i64, f64
  // CHECK: thread.print "pid (%u, %u, %u) 100%% done\0A" %{{.*}} : i32, i32, i32
  // CHECK: thread.print "pid (%u, %u, %u) idx () %lld\0A" %{{.*}} : i32, i32, i32, i64
  func.func @show(%x: tensor<16x2xf16, #copies>, %p: !tile.ptr<f32>, %n: i32, %d: f64, %l: i64, %b: i8) {
    tile.print ["x: ", ""] [""] (%x : tensor<16x2xf16, #copies>)
    tile.print ["n: 0x", ", ", ", ", "!"] ["08x", "p", "8"] (%n, %p, %d : i32, !tile.ptr<f32>, f64)
    tile.print ["100% done"] []
    tile.print ["", ""] ["d"] (%l : i64)
    // CHECK: arith.extsi %{{.*}} : i8 to i32
    // CHECK: thread.print "pid (%u, %u, %u) idx () %d\0A" %{{.*}} : i32, i32, i32, i32
    tile.print ["", ""] ["d"] (%b : i8)
    return
  }

  // A mask, which each register has an element of.
  // CHECK-LABEL: func.func @masked
  // CHECK: scf.if
  // CHECK: %[[FIRST:.*]] = vector.extract %{{.*}}[0] : i1
  // CHECK: scf.if %[[FIRST]]
  // CHECK: thread.print
  // CHECK: scf.if
  // CHECK: thread.print
  func.func @masked(%x: tensor<16x2xi32, #copies>, %mask: tensor<16x2xi1, #copies>) {
    tile.print ["", ""] ["d"] (%x : tensor<16x2xi32, #copies>) mask %mask : tensor<16x2xi1, #copies>
    return
  }
}
