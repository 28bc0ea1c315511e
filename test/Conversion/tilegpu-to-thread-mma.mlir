// tilegpu-to-thread: dots are matrix instructions, one per fragment of the accumulators and step along K.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#a = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 32x32>
#b = #tilegpu.layout<register = [[1, 0], [8, 0], [16, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [] : 32x8>
#c = #tilegpu.layout<register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 32x8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  // Two fragments of accumulators, two steps along K: steps are outermost. Pairs of f16 are words.
  // CHECK-LABEL: func.func @fragments
  // CHECK-SAME: (%[[A:.*]]: vector<32xf16>, %[[B:.*]]: vector<8xf16>, %[[C:.*]]: vector<8xf32>)
  // CHECK-DAG: %[[A0:.*]] = vector.bitcast %[[A]] : vector<32xf16> to vector<16xi32>
  // CHECK: %[[UPPER:.*]]:4 = thread.mma "m16n8k16.f16.f16.f32" {{.*}} : vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16> by vector<2xf16>, vector<2xf16> into f32, f32, f32, f32
  // CHECK: %[[LOWER:.*]]:4 = thread.mma "m16n8k16.f16.f16.f32"
  // CHECK: thread.mma "m16n8k16.f16.f16.f32" {{.*}} into %[[UPPER]]#0, %[[UPPER]]#1, %[[UPPER]]#2, %[[UPPER]]#3
  // CHECK: thread.mma "m16n8k16.f16.f16.f32" {{.*}} into %[[LOWER]]#0
  // CHECK-NOT: thread.mma
  // CHECK: vector.from_elements {{.*}} : vector<8xf32>
  func.func @fragments(%a: tensor<32x32xf16, #a>, %b: tensor<32x8xf16, #b>, %c: tensor<32x8xf32, #c>) -> tensor<32x8xf32, #c> {
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %a, %b, %c : tensor<32x32xf16, #a> * tensor<32x8xf16, #b> -> tensor<32x8xf32, #c>
    return %d : tensor<32x8xf32, #c>
  }
}

// -----

#a = #tilegpu.layout<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 8x16>
#b = #tilegpu.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [] : 16x4>
#c = #tilegpu.layout<register = [[0, 1]], lane = [[0, 2], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 8x4>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  // Rows 8 to 15 of the instruction are rows 0 to 7 again.
  // CHECK-LABEL: func.func @eight_rows
  // CHECK: %[[D:.*]]:4 = thread.mma "m16n8k16.f16.f16.f32" %[[K0:[0-9]+]], %[[K0]], %[[K8:[0-9]+]], %[[K8]] by {{.*}} into %[[C0:[0-9]+]], %[[C1:[0-9]+]], %[[C0]], %[[C1]] :
  // CHECK: vector.from_elements {{.*}} : vector<2xf32>
  func.func @eight_rows(%a: tensor<8x16xf16, #a>, %b: tensor<16x4xf16, #b>, %c: tensor<8x4xf32, #c>) -> tensor<8x4xf32, #c> {
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %a, %b, %c : tensor<8x16xf16, #a> * tensor<16x4xf16, #b> -> tensor<8x4xf32, #c>
    return %d : tensor<8x4xf32, #c>
  }
}

// -----

#a = #tilegpu.layout<register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x8>
#b = #tilegpu.layout<register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [] : 8x8>
#c = #tilegpu.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x8>
#ah = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x16>
#bh = #tilegpu.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [] : 16x8>
#ab = #tilegpu.layout<register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x32>
#bb = #tilegpu.layout<register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [] : 32x8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Each element type in the form that the instruction expects.
  // CHECK-LABEL: func.func @f16_sums
  // CHECK: thread.mma "m16n8k16.f16.f16.f16" {{.*}} : {{.*}} into vector<2xf16>, vector<2xf16>
  // CHECK: vector.bitcast {{.*}} : vector<2xi32> to vector<4xf16>
  func.func @f16_sums(%a: tensor<16x16xf16, #ah>, %b: tensor<16x8xf16, #bh>, %c: tensor<16x8xf16, #c>) -> tensor<16x8xf16, #c> {
    %d = tilegpu.mma "m16n8k16.f16.f16.f16" %a, %b, %c : tensor<16x16xf16, #ah> * tensor<16x8xf16, #bh> -> tensor<16x8xf16, #c>
    return %d : tensor<16x8xf16, #c>
  }

  // CHECK-LABEL: func.func @bf16
  // CHECK: thread.mma "m16n8k16.bf16.bf16.f32" {{.*}} : i32, i32, i32, i32 by i32, i32 into f32, f32, f32, f32
  func.func @bf16(%a: tensor<16x16xbf16, #ah>, %b: tensor<16x8xbf16, #bh>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
    %d = tilegpu.mma "m16n8k16.bf16.bf16.f32" %a, %b, %c : tensor<16x16xbf16, #ah> * tensor<16x8xbf16, #bh> -> tensor<16x8xf32, #c>
    return %d : tensor<16x8xf32, #c>
  }

  // CHECK-LABEL: func.func @tf32
  // CHECK-COUNT-6: thread.round_to_tf32
  // CHECK: thread.mma "m16n8k8.tf32.tf32.f32" {{.*}} : i32, i32, i32, i32 by i32, i32 into f32, f32, f32, f32
  func.func @tf32(%a: tensor<16x8xf32, #a>, %b: tensor<8x8xf32, #b>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
    %d = tilegpu.mma "m16n8k8.tf32.tf32.f32" %a, %b, %c : tensor<16x8xf32, #a> * tensor<8x8xf32, #b> -> tensor<16x8xf32, #c>
    return %d : tensor<16x8xf32, #c>
  }

  // CHECK-LABEL: func.func @f64
  // CHECK: thread.mma "m16n8k8.f64.f64.f64" {{.*}} : f64, f64, f64, f64 by f64, f64 into f64, f64, f64, f64
  func.func @f64(%a: tensor<16x8xf64, #a>, %b: tensor<8x8xf64, #b>, %c: tensor<16x8xf64, #c>) -> tensor<16x8xf64, #c> {
    %d = tilegpu.mma "m16n8k8.f64.f64.f64" %a, %b, %c : tensor<16x8xf64, #a> * tensor<8x8xf64, #b> -> tensor<16x8xf64, #c>
    return %d : tensor<16x8xf64, #c>
  }

  // CHECK-LABEL: func.func @int8
  // CHECK: thread.mma "m16n8k32.s8.u8.s32" {{.*}} : i32, i32, i32, i32 by i32, i32 into i32, i32, i32, i32
  func.func @int8(%a: tensor<16x32xi8, #ab>, %b: tensor<32x8xi8, #bb>, %c: tensor<16x8xi32, #c>) -> tensor<16x8xi32, #c> {
    %d = tilegpu.mma "m16n8k32.s8.u8.s32" %a, %b, %c : tensor<16x32xi8, #ab> * tensor<32x8xi8, #bb> -> tensor<16x8xi32, #c>
    return %d : tensor<16x8xi32, #c>
  }

  // CHECK-LABEL: func.func @fp8
  // CHECK: thread.mma "m16n8k32.e4m3.e5m2.f32" {{.*}} : i32, i32, i32, i32 by i32, i32 into f32, f32, f32, f32
  func.func @fp8(%a: tensor<16x32xf8E4M3FN, #ab>, %b: tensor<32x8xf8E5M2, #bb>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
    %d = tilegpu.mma "m16n8k32.e4m3.e5m2.f32" %a, %b, %c : tensor<16x32xf8E4M3FN, #ab> * tensor<32x8xf8E5M2, #bb> -> tensor<16x8xf32, #c>
    return %d : tensor<16x8xf32, #c>
  }

}

// -----

#a = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = [] : 32x16>
#b = #tilegpu.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = [] : 16x16>
#c = #tilegpu.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = [] : 32x16>
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_80"} {
  // Each warp has one fragment.
  // CHECK-LABEL: func.func @warps
  // CHECK-COUNT-1: thread.mma
  // CHECK-NOT: thread.mma
  func.func @warps(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xf16, #b>, %c: tensor<32x16xf32, #c>) -> tensor<32x16xf32, #c> {
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %a, %b, %c : tensor<32x16xf16, #a> * tensor<16x16xf16, #b> -> tensor<32x16xf32, #c>
    return %d : tensor<32x16xf32, #c>
  }
}

// -----

#a = #tilegpu.layout<register = [[0, 0, 1], [0, 8, 0], [0, 0, 8], [2, 0, 0]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0]], block = [] : 4x16x16>
#b = #tilegpu.layout<register = [[0, 1, 0], [0, 8, 0], [2, 0, 0]], lane = [[0, 2, 0], [0, 4, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]], warp = [[1, 0, 0]], block = [] : 4x16x8>
#c = #tilegpu.layout<register = [[0, 0, 1], [0, 8, 0], [2, 0, 0]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0]], block = [] : 4x16x8>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_80"} {
  // A batch of four, two for each warp.
  // CHECK-LABEL: func.func @batch
  // CHECK-COUNT-2: thread.mma
  // CHECK-NOT: thread.mma
  func.func @batch(%a: tensor<4x16x16xf16, #a>, %b: tensor<4x16x8xf16, #b>, %c: tensor<4x16x8xf32, #c>) -> tensor<4x16x8xf32, #c> {
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %a, %b, %c : tensor<4x16x16xf16, #a> * tensor<4x16x8xf16, #b> -> tensor<4x16x8xf32, #c>
    return %d : tensor<4x16x8xf32, #c>
  }
}

// -----

#a = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x16>
#b = #tilegpu.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [] : 16x8>
#rows = #tilegpu.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [] : 16x8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  func.func @other_layout(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>, %c: tensor<16x8xf32, #rows>) -> tensor<16x8xf32, #rows> {
    // expected-error @+2 {{the operands' layouts do not match the instruction m16n8k16.f16.f16.f32}}
    // expected-error @+1 {{failed to legalize operation}}
    %d = tilegpu.mma "m16n8k16.f16.f16.f32" %a, %b, %c : tensor<16x16xf16, #a> * tensor<16x8xf16, #b> -> tensor<16x8xf32, #rows>
    return %d : tensor<16x8xf32, #rows>
  }
}
