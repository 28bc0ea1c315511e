// RUN: tilewright-opt %s --split-input-file --assign-layouts='target=sm_90a num-warps=4' --choose-mma --test-verify-layouts | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --assign-layouts='target=sm_90a num-warps=8' --choose-mma --test-verify-layouts | FileCheck %s --check-prefix=EIGHT
// RUN: tilewright-opt %s --split-input-file --assign-layouts='target=sm_90a num-warps=2' --choose-mma --test-verify-layouts | FileCheck %s --check-prefix=TWO

// A group of four warps computes 64 rows. With two groups and 64 rows, each computes half of the columns.
// CHECK: #[[C:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = [] : 64x64>
// CHECK-LABEL: @half
// CHECK: tilegpu.group_mma "m64k16.f16.f16.f32" {{.*}} -> tensor<64x64xf32, #[[C]]>
// EIGHT: #[[C:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0], [0, 32]], block = [] : 64x64>
// EIGHT-LABEL: @half
// EIGHT: tilegpu.group_mma "m64k16.f16.f16.f32" {{.*}} -> tensor<64x64xf32, #[[C]]>
// TWO-LABEL: @half
// TWO-NOT: group_mma
// TWO: tilegpu.mma "m16n8k16.f16.f16.f32"
func.func @half(%x: f16, %z: f32) {
  %a = tile.splat %x : tensor<64x32xf16>
  %b = tile.splat %x : tensor<32x64xf16>
  %c = tile.splat %z : tensor<64x64xf32>
  %d = tile.dot %a, %b, %c {precision = #tile.precision<tf32>} : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  return
}

// -----

// Sums in float16 have the same places. Operands of 8 bits are widened for them.
// CHECK: #[[C:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = [] : 64x64>
// CHECK-LABEL: @half_sums
// CHECK: tilegpu.group_mma "m64k16.f16.f16.f16" {{.*}} -> tensor<64x64xf16, #[[C]]>
// CHECK: tilegpu.group_mma "m64k16.f16.f16.f16"
func.func @half_sums(%x: f16, %y: f8E5M2) {
  %a = tile.splat %x : tensor<64x64xf16>
  %d = tile.dot %a, %a, %a {precision = #tile.precision<tf32>} : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf16>
  %b = tile.splat %y : tensor<64x64xf8E5M2>
  %e = tile.dot %b, %b, %d {precision = #tile.precision<tf32>} : tensor<64x64xf8E5M2> * tensor<64x64xf8E5M2> -> tensor<64x64xf16>
  return
}

// -----

// The rows of 128 x 256 are split between two groups: an instruction of 256 columns reads the fewest elements.
// EIGHT: #[[C:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = {{.*}}, warp = {{\[\[}}16, 0], [32, 0], [64, 0]], block = [] : 128x256>
// EIGHT-LABEL: @wide
// EIGHT: group_mma {{.*}} -> tensor<128x256xf32, #[[C]]>
func.func @wide(%x: bf16, %z: f32) {
  %a = tile.splat %x : tensor<128x32xbf16>
  %b = tile.splat %x : tensor<32x256xbf16>
  %c = tile.splat %z : tensor<128x256xf32>
  %d = tile.dot %a, %b, %c {precision = #tile.precision<tf32>} : tensor<128x32xbf16> * tensor<32x256xbf16> -> tensor<128x256xf32>
  return
}

// -----

// The second dot's A is computed from the first one's result: it stays in registers.
// CHECK-LABEL: @chain
// CHECK: %[[QK:.*]] = tilegpu.group_mma "m64k16.f16.f16.f32" %{{[0-9]+}},
// CHECK: tilegpu.group_mma "m64k16.f16.f16.f32" %{{[0-9]+}} registers,
func.func @chain(%x: f16, %z: f32) {
  %q = tile.splat %x : tensor<64x32xf16>
  %k = tile.splat %x : tensor<32x64xf16>
  %v = tile.splat %x : tensor<64x32xf16>
  %c = tile.splat %z : tensor<64x64xf32>
  %acc = tile.splat %z : tensor<64x32xf32>
  %qk = tile.dot %q, %k, %c {precision = #tile.precision<tf32>} : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  %p = arith.truncf %qk : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.dot %p, %v, %acc {precision = #tile.precision<tf32>} : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  return
}

// -----

// Too few rows.
// CHECK-LABEL: @others
// CHECK-NOT: group_mma
func.func @others(%x: f16, %z: f32) {
  %rows = tile.splat %x : tensor<32x32xf16>
  %b = tile.splat %x : tensor<32x64xf16>
  %c = tile.splat %z : tensor<32x64xf32>
  %d = tile.dot %rows, %b, %c {precision = #tile.precision<tf32>} : tensor<32x32xf16> * tensor<32x64xf16> -> tensor<32x64xf32>
  return
}

// -----

// Products of 8-bit floats are added imprecisely. A limit is rounded up to instructions; one above K limits nothing.
// CHECK-LABEL: @limited
// CHECK: tilegpu.group_mma "m64k32.e4m3.e4m3.f32" {{.*}} {tilegpu.partial_k = 32 : i64}
// CHECK: tilegpu.group_mma "m64k32.e4m3.e4m3.f32" {{.*}} {tilegpu.partial_k = 64 : i64}
// CHECK-NOT: partial_k
func.func @limited(%x: f8E4M3FN, %z: f32) {
  %a = tile.splat %x : tensor<64x64xf8E4M3FN>
  %c = tile.splat %z : tensor<64x64xf32>
  %d = tile.dot %a, %a, %c {tile.max_num_imprecise_acc = 0 : i32} : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  %e = tile.dot %a, %a, %d {tile.max_num_imprecise_acc = 33 : i32} : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  %f = tile.dot %a, %a, %e {tile.max_num_imprecise_acc = 65 : i32} : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  return
}

// -----

// A B that is converted from a loaded tile of fewer bits becomes A of the transposed product, which moves to registers;
// with fewer than 64 columns, it can't.
// CHECK-LABEL: @converted
// CHECK: tilegpu.group_mma "m64k16.f16.f16.f32" %{{[a-z0-9]+}} transposed, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} transposed {tilegpu.a_moves_to_registers}
// CHECK: tilegpu.group_mma "m64k16.f16.f16.f32" %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<64x64xf16
func.func @converted(%x: f16, %p: !tile.ptr<i8>, %z: f32) {
  %a = tile.splat %x : tensor<64x64xf16>
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<i8>>
  %narrow = tile.load %ps : tensor<64x64x!tile.ptr<i8>> -> tensor<64x64xi8>
  %b = arith.sitofp %narrow : tensor<64x64xi8> to tensor<64x64xf16>
  %c = tile.splat %z : tensor<64x64xf32>
  %d = tile.dot %a, %b, %c {precision = #tile.precision<tf32>} : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %ps2 = tile.splat %p : tensor<64x32x!tile.ptr<i8>>
  %narrow2 = tile.load %ps2 : tensor<64x32x!tile.ptr<i8>> -> tensor<64x32xi8>
  %b2 = arith.sitofp %narrow2 : tensor<64x32xi8> to tensor<64x32xf16>
  %c2 = tile.splat %z : tensor<64x32xf32>
  %d2 = tile.dot %a, %b2, %c2 {precision = #tile.precision<tf32>} : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  return
}
