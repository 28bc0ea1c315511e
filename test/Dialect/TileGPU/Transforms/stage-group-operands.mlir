// RUN: tilewright-opt %s --split-input-file --stage-group-operands | FileCheck %s

#blocked = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#columns = #tilegpu.layout<register = [[1, 0], [2, 0], [4, 0], [0, 32]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = [] : 32x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// Both operands are the same tile, which is stored once; the instruction reads it transposed as B. Its lines of 32
// elements are swizzled within 64 bytes.
// CHECK: #[[SHARED:.*]] = #tilegpu.layout<offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]] : 64x32>
// CHECK-LABEL: @transposed
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<64x32xf16
// CHECK: %[[B:.*]] = tilegpu.local_alloc : <64x32xf16, #[[SHARED]]>
// CHECK-NEXT: tilegpu.local_store %[[X]], %[[B]]
// CHECK-NOT: local_alloc
// CHECK: tilegpu.group_mma "m64k16.f16.f16.f32" %[[B]], %[[B]] transposed,
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @transposed(%x: tensor<64x32xf16, #blocked>, %acc: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    %t = tile.trans %x [1, 0] : tensor<64x32xf16, #blocked> -> tensor<32x64xf16, #columns>
    %r = tilegpu.group_mma "m64k16.f16.f16.f32" %x, %t, %acc : tensor<64x32xf16, #blocked> * tensor<32x64xf16, #columns> -> tensor<64x64xf32, #acc>
    return %r : tensor<64x64xf32, #acc>
  }
}

// -----

#a = #tilegpu.layout<register = [[0, 1], [0, 2], [32, 0], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#b = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 32x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// Bytes are read along K, whatever their order in registers; A in registers stays there.
// CHECK: #[[SHARED:.*]] = #tilegpu.layout<offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [16, 4], [0, 8], [0, 16], [0, 32]] : 32x64>
// CHECK-LABEL: @bytes
// CHECK: tilegpu.local_alloc : <32x64xf8E5M2, #[[SHARED]]>
// CHECK-NOT: local_alloc
// CHECK: group_mma "m64k32.e5m2.e5m2.f32" %{{.*}} registers, %{{.*}},
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @bytes(%x: tensor<64x32xf8E5M2, #a>, %y: tensor<32x64xf8E5M2, #b>, %acc: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    %r = tilegpu.group_mma "m64k32.e5m2.e5m2.f32" %x registers, %y, %acc : tensor<64x32xf8E5M2, #a> * tensor<32x64xf8E5M2, #b> -> tensor<64x64xf32, #acc>
    return %r : tensor<64x64xf32, #acc>
  }
}
