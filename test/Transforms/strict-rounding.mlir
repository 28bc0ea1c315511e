// RUN: tilewright-opt %s --strict-rounding --canonicalize | FileCheck %s

// The rounding to bf16 is kept even if the fast-math flags would allow its removal.
// CHECK-LABEL: func.func @rounded(
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.extf %{{.*}} : bf16 to f32
func.func @rounded(%x: f32) -> f32 {
  %n = arith.truncf %x fastmath<contract> : f32 to bf16
  %w = arith.extf %n fastmath<contract> : bf16 to f32
  return %w : f32
}
