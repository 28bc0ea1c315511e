// RUN: tilewright-opt %s --split-input-file --tilegpu-to-thread | FileCheck %s

#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0], [64, 0]] : 128x32>
#b = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [0, 64]] : 32x128>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = [] : 128x128>

// Two warp groups, each with 64 rows of 32 elements: the second one's begin 4096 bytes behind the first one's. An
// instruction computes 16 of K: A continues 32 bytes behind, B 16 lines of 128 bytes. The columns of B beyond 64 follow
// after 32 lines. C is zero, so that the first instruction does not read it.
// CHECK-LABEL: @two_groups
// CHECK: %[[WARP:.*]] = thread.warp
// CHECK: %[[SAME:.*]] = thread.shuffle <index> %[[WARP]]
// CHECK: %[[GROUP:.*]] = arith.shrui %[[SAME]], %c2
// CHECK: %[[BIT:.*]] = arith.andi %[[GROUP]], %c1
// CHECK: arith.shli %[[BIT]], %c12
// CHECK: thread.group_mma_begin
// CHECK: thread.group_mma "m64k16.f16.f16.f32" columns 128 %{{.*}} at 0 in <swizzle = 64, leading = 0, stride = 512, transposed = false> by %{{.*}} at 0 in <swizzle = 128, leading = 4096, stride = 1024, transposed = true> into {{.*}} from_zero
// CHECK: thread.group_mma "m64k16.f16.f16.f32" columns 128 %{{.*}} at 32 in {{.*}} by %{{.*}} at 2048 in
// CHECK-NOT: from_zero
// CHECK: thread.group_mma_commit
// CHECK: thread.group_mma_wait 0 of
module attributes {tilegpu.num_warps = 8 : i32, tilegpu.target = "sm_90a", tilegpu.shared_bytes = 16384 : i64} {
  func.func @two_groups() {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #acc>
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<128x32xf16, #a>
    %b = tilegpu.local_alloc at 8192 : !tilegpu.buffer<32x128xf16, #b>
    %r = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %zero : !tilegpu.buffer<128x32xf16, #a> * !tilegpu.buffer<32x128xf16, #b> -> tensor<128x128xf32, #acc>
    return
  }
}

// -----

#b = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#p = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// A in registers: 32 halves are 16 words, four for each instruction. The buffer holds B transposed, along K. Without a
// wait, the results are in flight.
// CHECK-LABEL: @registers
// CHECK: vector.bitcast %{{.*}} : vector<32xf16> to vector<16xi32>
// CHECK: thread.group_mma {{.*}} columns 64 %{{[0-9]*}}, %{{[0-9]*}}, %{{[0-9]*}}, %{{[0-9]*}} at 0 by %{{.*}} at 0 in <swizzle = 128, leading = 0, stride = 1024, transposed = false>
// CHECK-COUNT-3: thread.group_mma "
// CHECK: thread.group_mma_commit
// CHECK-NOT: group_mma_wait
// CHECK: thread.async_fence
// CHECK: thread.group_mma_wait 1 of
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a", tilegpu.shared_bytes = 8192 : i64} {
  func.func @registers(%p: tensor<64x64xf16, #p>, %acc: tensor<64x64xf32, #acc>) {
    %b = tilegpu.local_alloc at 0 : !tilegpu.buffer<64x64xf16, #b>
    %r = tilegpu.group_mma "m64k16.f16.f16.f32" async %p registers, %b transposed, %acc : tensor<64x64xf16, #p> * !tilegpu.buffer<64x64xf16, #b> -> tensor<64x64xf32, #acc>
    tilegpu.async_fence
    %w = tilegpu.group_mma_wait %r pending 1 : tensor<64x64xf32, #acc>
    return
  }
}

// -----

#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#b = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32]] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// Each instruction adds from zero, and its sums are added to the accumulators by other instructions.
// CHECK-LABEL: @partial
// CHECK-COUNT-2: thread.group_mma {{.*}} from_zero
// CHECK: thread.group_mma_wait 0 of
// CHECK-COUNT-32: arith.addf
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a", tilegpu.shared_bytes = 8192 : i64} {
  func.func @partial(%acc: tensor<64x64xf32, #acc>) {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64x64xf8E4M3FN, #a>
    %b = tilegpu.local_alloc at 4096 : !tilegpu.buffer<64x64xf8E4M3FN, #b>
    %r = tilegpu.group_mma "m64k32.e4m3.e4m3.f32" %a, %b, %acc {tilegpu.partial_k = 32 : i64} : !tilegpu.buffer<64x64xf8E4M3FN, #a> * !tilegpu.buffer<64x64xf8E4M3FN, #b> -> tensor<64x64xf32, #acc>
    return
  }
}

// -----

#a = #tilegpu.layout<register = [[0, 8], [4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]], block = [] : 8x64>
#b = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0]] : 16x8>
#acc = #tilegpu.layout<register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]], block = [] : 16x64>

// All matrices are transposed, and A is rounded in registers. The buffer holds 16 rows of 8 elements along K.
// CHECK-LABEL: @transposed
// CHECK-COUNT-4: thread.round_to_tf32
// CHECK: thread.group_mma "m64k8.tf32.tf32.f32" columns 16 %{{[0-9]*}}, %{{[0-9]*}}, %{{[0-9]*}}, %{{[0-9]*}} at 0 by %{{.*}} at 0 in <swizzle = 32, leading = 0, stride = 256, transposed = false>
// CHECK-NOT: thread.group_mma "
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a", tilegpu.shared_bytes = 512 : i64} {
  func.func @transposed(%a: tensor<8x64xf32, #a>, %acc: tensor<16x64xf32, #acc>) {
    %b = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x8xf32, #b>
    %r = tilegpu.group_mma "m64k8.tf32.tf32.f32" %a registers transposed, %b transposed, %acc transposed : tensor<8x64xf32, #a> * !tilegpu.buffer<16x8xf32, #b> -> tensor<16x64xf32, #acc>
    return
  }
}

// -----

#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]] : 64x16>
#b = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]] : 16x16>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x16>

// Two sums in float16 are one word: eight elements are four words.
// CHECK-LABEL: @half_sums
// CHECK: vector.bitcast %{{.*}} : vector<8xf16> to vector<4xi32>
// CHECK: thread.group_mma "m64k16.f16.f16.f16" columns 16 {{.*}} into i32, i32, i32, i32
// CHECK: thread.group_mma_wait 0 of {{.*}} : i32, i32, i32, i32
// CHECK: vector.bitcast %{{.*}} : vector<4xi32> to vector<8xf16>
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a", tilegpu.shared_bytes = 2560 : i64} {
  func.func @half_sums(%acc: tensor<64x16xf16, #acc>) -> tensor<64x16xf16, #acc> {
    %a = tilegpu.local_alloc at 0 : !tilegpu.buffer<64x16xf16, #a>
    %b = tilegpu.local_alloc at 2048 : !tilegpu.buffer<16x16xf16, #b>
    %r = tilegpu.group_mma "m64k16.f16.f16.f16" %a, %b, %acc : !tilegpu.buffer<64x16xf16, #a> * !tilegpu.buffer<16x16xf16, #b> -> tensor<64x16xf16, #acc>
    return %r : tensor<64x16xf16, #acc>
  }
}

// -----

#x = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = [] : 256>

// CHECK-LABEL: @rounded
// CHECK: %[[FIRST:.*]] = thread.round_to_tf32
// CHECK: llvm.bitcast %[[FIRST]] : i32 to f32
// CHECK: thread.round_to_tf32
// CHECK: vector.from_elements
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @rounded(%x: tensor<256xf32, #x>) -> tensor<256xf32, #x> {
    %r = tilegpu.round_to_tf32 %x : tensor<256xf32, #x>
    return %r : tensor<256xf32, #x>
  }
}
