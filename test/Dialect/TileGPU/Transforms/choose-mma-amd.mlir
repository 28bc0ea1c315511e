// RUN: tilewright-opt %s --assign-layouts=target=gfx942 --choose-mma | FileCheck %s --check-prefixes=CHECK,CDNA3
// RUN: tilewright-opt %s --assign-layouts=target=gfx942 --choose-mma=side=16 | FileCheck %s --check-prefix=SIDE16
// RUN: tilewright-opt %s --assign-layouts=target=gfx950 --choose-mma | FileCheck %s --check-prefixes=CHECK,CDNA4
// RUN: tilewright-opt %s --assign-layouts=target=gfx1201 --choose-mma | FileCheck %s --check-prefixes=CHECK,RDNA
// RUN: tilewright-opt %s --assign-layouts=target=gfx1100 --choose-mma | FileCheck %s --check-prefix=RDNA3
// RUN: tilewright-opt %s --assign-layouts=target=gfx950 --choose-mma=side=16 | FileCheck %s --check-prefix=SMALL

// The largest instruction of each architecture. gfx942's instructions on 8-bit floats take other formats, so these are
// widened.
//
// CHECK-LABEL: func @dots
func.func @dots() {
  %h = arith.constant dense<1.0> : tensor<64x64xf16>
  %e = arith.constant dense<1.0> : tensor<64x64xf8E4M3FN>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  // CDNA3: tilegpu.mma "mfma.m32n32k8.f16.f16.f32"
  // SIDE16: tilegpu.mma "mfma.m16n16k16.f16.f16.f32"
  // CDNA4: tilegpu.mma "mfma.m32n32k16.f16.f16.f32"
  // RDNA: tilegpu.mma "wmma12.m16n16k16.f16.f16.f32"
  %0 = tile.dot %h, %h, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  // CDNA3: tilegpu.mma "mfma.m32n32k8.f16.f16.f32"
  // CDNA4: tilegpu.mma "mfma.m32n32k16.e4m3.e4m3.f32"
  // RDNA: tilegpu.mma "wmma12.m16n16k16.e4m3.e4m3.f32"
  %1 = tile.dot %e, %e, %c : tensor<64x64xf8E4M3FN> * tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  return
}

// The values of an instruction must be in the tile as a whole: 16 rows do not fill those of 32 x 32.
//
// CHECK-LABEL: func @few_rows
func.func @few_rows() {
  %a = arith.constant dense<1.0> : tensor<16x64xf16>
  %b = arith.constant dense<1.0> : tensor<64x64xf16>
  %c = arith.constant dense<0.0> : tensor<16x64xf32>
  // CDNA3: tilegpu.mma "mfma.m16n16k16.f16.f16.f32"
  // CDNA4: tilegpu.mma "mfma.m16n16k32.f16.f16.f32"
  // RDNA: tilegpu.mma "wmma12.m16n16k16.f16.f16.f32"
  %0 = tile.dot %a, %b, %c : tensor<16x64xf16> * tensor<64x64xf16> -> tensor<16x64xf32>
  return
}

// Float32 operands are not rounded to tf32, which these architectures lack.
//
// CHECK-LABEL: func @float32
func.func @float32() {
  %a = arith.constant dense<1.0> : tensor<64x64xf32>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  // CDNA3: tilegpu.mma "mfma.m32n32k2.f32.f32.f32"
  // CDNA4: tilegpu.mma "mfma.m32n32k2.f32.f32.f32"
  // RDNA: tile.dot
  %0 = tile.dot %a, %a, %c : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// In a chain, both dots compute their transposes: lanes hold rows of the results, as they do of an A. If a lane holds
// more elements along K than columns of a result, the second dot takes K in another order.
//
// CHECK-LABEL: func @chain
func.func @chain() {
  %q = arith.constant dense<1.0> : tensor<64x64xf16>
  %c = arith.constant dense<0.0> : tensor<64x64xf32>
  // CDNA3: tilegpu.mma "mfma.m32n32k8.f16.f16.f32.swapped"
  // SIDE16: tilegpu.mma "mfma.m16n16k16.f16.f16.f32.swapped"
  // CDNA4: tilegpu.mma "mfma.m32n32k16.f16.f16.f32.swapped"
  // RDNA: tilegpu.mma "wmma12.m16n16k16.f16.f16.f32.swapped"
  // RDNA3: tilegpu.mma "wmma11.m16n16k16.f16.f16.f32.swapped"
  // SMALL: tilegpu.mma "mfma.m16n16k32.f16.f16.f32.swapped"
  %s = tile.dot %q, %q, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  // CDNA3: tilegpu.mma "mfma.m32n32k8.f16.f16.f32.swapped"
  // SIDE16: tilegpu.mma "mfma.m16n16k16.f16.f16.f32.swapped"
  // CDNA4: tilegpu.mma "mfma.m32n32k16.f16.f16.f32.swapped"
  // RDNA: tilegpu.mma "wmma12.m16n16k16.f16.f16.f32.swapped"
  // RDNA3: tilegpu.mma "wmma11.m16n16k16.f16.f16.f32.swapped"
  // SMALL: tilegpu.mma "mfma.m16n16k32.f16.f16.f32.swapped.by4"
  %o = tile.dot %p, %q, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  return
}
