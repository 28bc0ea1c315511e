// RUN: tilewright-opt %s --slice-dots-k | FileCheck %s

#a = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = [] : 64x32>
#b = #tilegpu.layout<register = [[1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = [] : 32x64>
#bt = #tilegpu.layout<register = [[0, 1], [0, 8], [0, 16], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [0, 0]], block = [] : 64x32>
#c = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = [] : 64x64>
#sa = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x32>
#sb = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] : 32x64>
!a = tensor<64x32xf16, #a>
!b = tensor<32x64xf16, #b>
!c = tensor<64x64xf32, #c>

// A slice has the registers of one instruction along K.
// CHECK: #[[A:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [32, 0]], {{.*}} : 64x16>
// CHECK: #[[B:.*]] = #tilegpu.layout<register = {{\[\[}}1, 0], [8, 0], [0, 16], [0, 32]], {{.*}} : 16x64>
// CHECK: #[[BT:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [0, 8], [16, 0], [32, 0]], {{.*}} : 64x16>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @steps
  func.func @steps(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %acc: !c) -> !c {
    // CHECK: local_store
    // CHECK: %[[X:.*]] = tilegpu.local_alloc : <64x32xf16
    // CHECK: %[[Y:.*]] = tilegpu.local_alloc : <32x64xf16
    // CHECK: %[[A0:.*]] = tilegpu.local_load %[[X]] from [0, 0] : {{.*}} -> tensor<64x16xf16, #[[A]]>
    // CHECK-NEXT: %[[B0:.*]] = tilegpu.local_load %[[Y]] from [0, 0] : {{.*}} -> tensor<16x64xf16, #[[B]]>
    // CHECK-NEXT: %[[A1:.*]] = tilegpu.local_load %[[X]] from [0, 16] : {{.*}} -> tensor<64x16xf16, #[[A]]>
    // CHECK-NEXT: %[[B1:.*]] = tilegpu.local_load %[[Y]] from [16, 0] : {{.*}} -> tensor<16x64xf16, #[[B]]>
    // CHECK-NEXT: %[[C1:.*]] = tilegpu.mma "m16n8k16.f16.f16.f32" %[[A0]], %[[B0]], %{{.*}} :
    // CHECK-NEXT: %[[D:.*]] = tilegpu.mma "m16n8k16.f16.f16.f32" %[[A1]], %[[B1]], %[[C1]] :
    // CHECK-NEXT: return %[[D]]
    %other = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #sa>
    tilegpu.local_store %x, %other : !a -> !tilegpu.buffer<64x32xf16, #sa>
    %p = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #sa>
    %q = tilegpu.local_alloc : !tilegpu.buffer<32x64xf16, #sb>
    %a = tilegpu.local_load %p : !tilegpu.buffer<64x32xf16, #sa> -> !a
    %b = tilegpu.local_load %q : !tilegpu.buffer<32x64xf16, #sb> -> !b
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %a, %b, %acc : !a * !b -> !c
    return %d : !c
  }

  // Operations on an operand are applied to each slice; a transposition exchanges the dimensions.
  // CHECK-LABEL: @through
  func.func @through(%acc: !c) -> !c {
    // CHECK: %[[P:.*]] = tilegpu.local_load %{{.*}} from [0, 0] : {{.*}} -> tensor<64x16xbf16, #[[A]]>
    // CHECK-NEXT: arith.bitcast %[[P]]
    // CHECK-NEXT: tilegpu.local_load %{{.*}} from [0, 0] : {{.*}} -> tensor<64x16xf16, #[[BT]]>
    // CHECK-NEXT: tile.trans
    // CHECK-NEXT: tilegpu.local_load %{{.*}} from [0, 16] : {{.*}} -> tensor<64x16xbf16, #[[A]]>
    // CHECK-NEXT: arith.bitcast
    // CHECK: tilegpu.local_load %{{.*}} from [0, 16] : {{.*}} -> tensor<64x16xf16, #[[BT]]>
    // CHECK: tile.trans %{{.*}} [1, 0] : tensor<64x16xf16, #[[BT]]> -> tensor<16x64xf16, #[[B]]>
    %p = tilegpu.local_alloc : !tilegpu.buffer<64x32xbf16, #sa>
    %q = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #sa>
    %a = tilegpu.local_load %p : !tilegpu.buffer<64x32xbf16, #sa> -> tensor<64x32xbf16, #a>
    %h = arith.bitcast %a : tensor<64x32xbf16, #a> to !a
    %t = tilegpu.local_load %q : !tilegpu.buffer<64x32xf16, #sa> -> tensor<64x32xf16, #bt>
    %b = tile.trans %t [1, 0] : tensor<64x32xf16, #bt> -> !b
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %h, %b, %acc : !a * !b -> !c
    return %d : !c
  }

  // A dot is not sliced if an operand is not loaded from shared memory or has other uses.
  // CHECK-LABEL: @whole
  func.func @whole(%x: !a, %acc: !c) -> (!c, !a) {
    // CHECK-COUNT-2: tilegpu.mma {{.*}} : tensor<64x32xf16
    // CHECK-NOT: tilegpu.mma
    %p = tilegpu.local_alloc : !tilegpu.buffer<64x32xf16, #sa>
    %q = tilegpu.local_alloc : !tilegpu.buffer<32x64xf16, #sb>
    %b = tilegpu.local_load %q : !tilegpu.buffer<32x64xf16, #sb> -> !b
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %x, %b, %acc : !a * !b -> !c
    %a = tilegpu.local_load %p : !tilegpu.buffer<64x32xf16, #sa> -> !a
    %b2 = tilegpu.local_load %q : !tilegpu.buffer<32x64xf16, #sb> -> !b
    %e = tilegpu.mma "m16n8k16.f16.f16.f32" %a, %b2, %d : !a * !b -> !c
    return %e, %a : !c, !a
  }
}
