// RUN: tilewright-opt %s --expand-pipeline | FileCheck %s

// A is read from a slot an iteration ahead: the first one before the loop, and in the last iteration none, since nothing
// fills its slot.

#tile = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#copy = #tilegpu.schedule<stage = 0, cluster = 2, partition = 0>
#read = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>
#dot = #tilegpu.schedule<stage = 2, cluster = 0, partition = 0>

// CHECK-LABEL: func.func @ahead
// CHECK: tilegpu.ring_begin
// CHECK: tilegpu.box_copy
// CHECK: %[[FIRST:.*]] = tilegpu.ring_wait %{{.*}}, %{{.*}} if %[[ANY:.*]] :
// CHECK: scf.if %[[ANY]] -> (tensor<64x64xf16
// CHECK-NEXT: tilegpu.local_load %{{.*}} after %[[FIRST]]
// CHECK: ub.poison : tensor<64x64xf16
// CHECK: scf.for
// CHECK: tilegpu.group_mma {{.*}} registers
// CHECK: %[[DONE:.*]] = tilegpu.ring_wait %{{.*}}, %{{.*}} if %[[EXISTS:.*]] :
// CHECK: scf.if %[[EXISTS]] -> (tensor<64x64xf16
// CHECK-NEXT: tilegpu.local_load %{{.*}} after %[[DONE]]
// CHECK: ub.poison : tensor<64x64xf16
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @ahead(%n: i32, %zero: tensor<64x64xf32, #acc>, %right: !tilegpu.buffer<64x64xf16, #shared>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %p = tilegpu.box_pointers 0[%c0, %i] {tilegpu.schedule = #copy} : tensor<64x64x!tile.ptr<f16>, #tile>
      %v = tile.load %p {tilegpu.schedule = #copy} : tensor<64x64x!tile.ptr<f16>, #tile> -> tensor<64x64xf16, #tile>
      %b = tilegpu.local_alloc {tilegpu.schedule = #dot} : !tilegpu.buffer<64x64xf16, #shared>
      tilegpu.local_store %v, %b {tilegpu.schedule = #copy} : tensor<64x64xf16, #tile> -> !tilegpu.buffer<64x64xf16, #shared>
      %a = tilegpu.local_load %b {tilegpu.schedule = #read} : !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf16, #acc>
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %a registers, %right transposed, %acc {tilegpu.schedule = #dot} : tensor<64x64xf16, #acc> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    return
  }
}
