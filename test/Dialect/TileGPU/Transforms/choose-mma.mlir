// RUN: tilewright-opt %s --assign-layouts='target=sm_120a num-warps=4' --choose-mma --test-verify-layouts | FileCheck %s
// RUN: tilewright-opt %s --assign-layouts='target=sm_90a num-warps=4' --choose-mma --test-verify-layouts | FileCheck %s --check-prefix=BYTES
// RUN: tilewright-opt %s --assign-layouts='target=sm_80 num-warps=4' --choose-mma --test-verify-layouts | FileCheck %s --check-prefix=SM80

// CHECK-DAG: #[[A:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 0], [16, 0]], block = [] : 64x32>
// CHECK-DAG: #[[B:.*]] = #tilegpu.layout<register = {{\[\[}}1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 8], [0, 0]], block = [] : 32x64>
// CHECK-DAG: #[[C:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 8], [16, 0]], block = [] : 64x64>
// CHECK-DAG: #[[ROWS:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = [] : 64x64>
// CHECK-DAG: #[[BATCH:.*]] = #tilegpu.layout<register = {{\[\[}}0, 0, 1], [0, 8, 0], [0, 0, 8], [4, 0, 0]], lane = {{\[\[}}0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = {{\[\[}}1, 0, 0], [2, 0, 0]], block = [] : 8x16x16>
// CHECK-DAG: #[[SQUARES:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [32, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warp = {{\[\[}}0, 32], [16, 0]], block = [] : 64x64>
// CHECK-DAG: #[[ALLK_A:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [32, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [4, 0], [8, 0]], warp = {{\[\[}}0, 0], [16, 0]], block = [] : 64x32>
// CHECK-DAG: #[[ALLK_B:.*]] = #tilegpu.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 0], [0, 0]], warp = {{\[\[}}0, 32], [0, 0]], block = [] : 32x64>

// Two warps along each side, which reads less than four along one.
// CHECK-LABEL: @half
func.func @half(%x: f16, %z: f32) {
  %a = tile.splat %x : tensor<64x32xf16>
  %b = tile.splat %x : tensor<32x64xf16>
  %c = tile.splat %z : tensor<64x64xf32>
  // CHECK: %[[D:.*]] = tilegpu.mma "m16n8k16.f16.f16.f32" %{{.*}} : tensor<64x32xf16, #[[A]]> * tensor<32x64xf16, #[[B]]> -> tensor<64x64xf32, #[[C]]>
  // CHECK: tilegpu.convert_layout %[[D]] : tensor<64x64xf32, #[[C]]> -> tensor<64x64xf32,
  %d = tile.dot %a, %b, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  return
}

// If each warp has the same rows in both dots, no data cross warps.
// CHECK-LABEL: @chain
func.func @chain(%x: f16, %z: f32) {
  %q = tile.splat %x : tensor<64x64xf16>
  %zero = tile.splat %z : tensor<64x64xf32>
  // CHECK: tilegpu.mma {{.*}} : tensor<64x64xf16, #[[ROWS]]> * {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
  %s = tile.dot %q, %q, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %e = math.exp %s : tensor<64x64xf32>
  %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
  // CHECK: tilegpu.mma {{.*}} : tensor<64x64xf16, #[[ROWS]]> * {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
  %o = tile.dot %p, %q, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// CHECK-LABEL: @types
// SM80-LABEL: @types
func.func @types(%bf: bf16, %f: f32, %d: f64, %i: i8, %h: f16) {
  %bf0 = tile.splat %bf : tensor<32x32xbf16>
  %f0 = tile.splat %f : tensor<32x32xf32>
  // CHECK: tilegpu.mma "m16n8k16.bf16.bf16.f32"
  %0 = tile.dot %bf0, %bf0, %f0 : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  // CHECK: tilegpu.mma "m16n8k8.tf32.tf32.f32"
  %1 = tile.dot %f0, %f0, %f0 {precision = #tile.precision<tf32>} : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  %d0 = tile.splat %d : tensor<32x32xf64>
  // CHECK: tilegpu.mma "m16n8k16.f64.f64.f64"
  // SM80: tilegpu.mma "m8n8k4.f64.f64.f64"
  %2 = tile.dot %d0, %d0, %d0 : tensor<32x32xf64> * tensor<32x32xf64> -> tensor<32x32xf64>
  %i0 = tile.splat %i : tensor<32x32xi8>
  %j0 = arith.extsi %i0 : tensor<32x32xi8> to tensor<32x32xi32>
  // CHECK: tilegpu.mma "m16n8k32.s8.s8.s32"
  %3 = tile.dot %i0, %i0, %j0 : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
  %h0 = tile.splat %h : tensor<32x32xf16>
  // CHECK: tilegpu.mma "m16n8k16.f16.f16.f16"
  %4 = tile.dot %h0, %h0, %h0 : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf16>
  return
}

// 8-bit floats without a matrix instruction on the target are widened.
// CHECK-LABEL: @bytes
// SM80-LABEL: @bytes
func.func @bytes(%x: f8E4M3FN, %y: f8E5M2, %f: f32) {
  %a = tile.splat %x : tensor<32x32xf8E4M3FN>
  %b = tile.splat %y : tensor<32x32xf8E5M2>
  %c = tile.splat %f : tensor<32x32xf32>
  // CHECK: tilegpu.mma "m16n8k32.e4m3.e5m2.f32"
  // SM80: arith.extf %{{.*}} : tensor<32x32xf8E4M3FN, #{{.*}}> to tensor<32x32xf16, #{{.*}}>
  // SM80: arith.extf %{{.*}} : tensor<32x32xf8E5M2, #{{.*}}> to tensor<32x32xf16, #{{.*}}>
  // SM80: tilegpu.mma "m16n8k16.f16.f16.f32"
  %d = tile.dot %a, %b, %c : tensor<32x32xf8E4M3FN> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  return
}

// So are those whose instruction needs a later PTX version than that of the code.
// BYTES-LABEL: @few_bytes
func.func @few_bytes(%x: f8E5M2, %f: f32) {
  %a = tile.splat %x : tensor<16x16xf8E5M2>
  %c = tile.splat %f : tensor<16x16xf32>
  // BYTES: tilegpu.mma "m16n8k16.f16.f16.f32"
  %d = tile.dot %a, %a, %c : tensor<16x16xf8E5M2> * tensor<16x16xf8E5M2> -> tensor<16x16xf32>
  return
}

// CHECK-LABEL: @three_products
func.func @three_products(%x: f32) {
  %a = tile.splat %x : tensor<32x32xf32>
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[X:.*]] : tensor<32x32xf32, #{{.*}}> to tensor<32x32xi32
  // CHECK: %[[KEPT:.*]] = arith.andi %[[BITS]]
  // CHECK: %[[CUT:.*]] = arith.bitcast %[[KEPT]]
  // CHECK: %[[QUIET:.*]] = arith.addf %[[X]], %[[X]]
  // CHECK: %[[BIG:.*]] = arith.select %{{.*}}, %[[CUT]], %[[QUIET]]
  // CHECK: arith.subf %[[X]], %[[CUT]]
  // CHECK: tilegpu.mma "m16n8k8.tf32.tf32.f32"
  // CHECK: tilegpu.mma "m16n8k8.tf32.tf32.f32"
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[X]]
  // CHECK: tilegpu.convert_layout %[[BIG]]
  // CHECK: %[[ACC:.*]] = tilegpu.convert_layout %[[SUM]]
  // CHECK: tilegpu.mma "m16n8k8.tf32.tf32.f32" %{{.*}}, %{{.*}}, %[[ACC]]
  %d = tile.dot %a, %a, %a {precision = #tile.precision<tf32x3>} : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  return
}

// The matrices of a batch share no data: each warp computes some of them.
// CHECK-LABEL: @batch
func.func @batch(%x: f16, %z: f32) {
  %a = tile.splat %x : tensor<8x16x16xf16>
  %c = tile.splat %z : tensor<8x16x16xf32>
  // CHECK: tilegpu.mma {{.*}} -> tensor<8x16x16xf32, #[[BATCH]]>
  %d = tile.dot %a, %a, %c : tensor<8x16x16xf16> * tensor<8x16x16xf16> -> tensor<8x16x16xf32>
  return
}

// f32 in full precision is computed by multiply-adds in registers.
// CHECK-LABEL: @full_precision
func.func @full_precision(%x: f32) {
  %a = tile.splat %x : tensor<64x32xf32>
  %b = tile.splat %x : tensor<32x64xf32>
  %c = tile.splat %x : tensor<64x64xf32>
  // CHECK: tile.dot %{{.*}} : tensor<64x32xf32, #[[ALLK_A]]> * tensor<32x64xf32, #[[ALLK_B]]> -> tensor<64x64xf32, #[[SQUARES]]>
  %d = tile.dot %a, %b, %c : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  return
}

// So are dots with less along K than any instruction has, or of unsupported types.
// CHECK-LABEL: @no_instruction
func.func @no_instruction(%x: f16, %y: bf16, %z: f32) {
  %a = tile.splat %x : tensor<16x4xf16>
  %b = tile.splat %x : tensor<4x16xf16>
  %c = tile.splat %z : tensor<16x16xf32>
  // CHECK: tile.dot %{{.*}} : tensor<16x4xf16
  %d = tile.dot %a, %b, %c : tensor<16x4xf16> * tensor<4x16xf16> -> tensor<16x16xf32>
  %s = tile.splat %x : tensor<16x16xf16>
  %t = tile.splat %y : tensor<16x16xbf16>
  %u = tile.splat %z : tensor<16x16xf32>
  // CHECK: tile.dot %{{.*}} : tensor<16x16xf16, {{.*}} * tensor<16x16xbf16
  %v = tile.dot %s, %t, %u : tensor<16x16xf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
  return
}

// Fewer rows or columns than the instruction has: lanes hold replicas. A word with two f16 sums needs two columns.
// CHECK-LABEL: @short_sides
func.func @short_sides(%x: f16, %z: f32) {
  %a = tile.splat %x : tensor<2x16xf16>
  %b = tile.splat %x : tensor<16x4xf16>
  %c = tile.splat %z : tensor<2x4xf32>
  // CHECK: tilegpu.mma "m16n8k16.f16.f16.f32" {{.*}} -> tensor<2x4xf32
  %d = tile.dot %a, %b, %c : tensor<2x16xf16> * tensor<16x4xf16> -> tensor<2x4xf32>
  %column = tile.splat %x : tensor<16x1xf16>
  %one = tile.splat %z : tensor<2x1xf32>
  %half = tile.splat %x : tensor<2x1xf16>
  // CHECK: tilegpu.mma "m16n8k16.f16.f16.f32" {{.*}} -> tensor<2x1xf32
  %e = tile.dot %a, %column, %one : tensor<2x16xf16> * tensor<16x1xf16> -> tensor<2x1xf32>
  // CHECK: tile.dot {{.*}} -> tensor<2x1xf16
  %f = tile.dot %a, %column, %half : tensor<2x16xf16> * tensor<16x1xf16> -> tensor<2x1xf16>
  return
}
