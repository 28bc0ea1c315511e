// RUN: tilewright-opt %s --math-to-rocdl --split-input-file --verify-diagnostics | FileCheck %s

// The power of two that scales the result is computed from the bits of a sum.
// CHECK-LABEL: @exp
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @exp(%x: f32) -> f32 {
  // CHECK: arith.maxnumf
  // CHECK: %[[PLACE:.*]] = arith.minnumf
  // CHECK: %[[BIASED:.*]] = arith.addf %[[PLACE]]
  // CHECK: arith.subf %{{.*}}, %[[BIASED]]
  // CHECK-COUNT-2: math.fma %[[X]]
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[BIASED]]
  // CHECK: %[[SHIFTED:.*]] = arith.shli %[[BITS]]
  // CHECK: %[[SCALE:.*]] = arith.bitcast %[[SHIFTED]]
  // CHECK: %[[POWER:.*]] = rocdl.exp2
  // CHECK: %[[E:.*]] = arith.mulf %[[POWER]], %[[SCALE]]
  // CHECK: return %[[E]]
  %0 = math.exp %x : f32
  return %0 : f32
}

// CHECK-LABEL: @elements
func.func @elements(%x: vector<2xf16>) -> vector<2xf16> {
  // CHECK: %[[W:.*]] = arith.extf %{{.*}} : vector<2xf16> to vector<2xf32>
  // CHECK: %[[E:.*]]:2 = vector.to_elements %[[W]]
  // CHECK: %[[A:.*]] = rocdl.exp2 %[[E]]#0 f32 -> f32
  // CHECK: %[[B:.*]] = rocdl.exp2 %[[E]]#1 f32 -> f32
  // CHECK: %[[R:.*]] = vector.from_elements %[[A]], %[[B]]
  // CHECK: arith.truncf %[[R]] : vector<2xf32> to vector<2xf16>
  %0 = math.exp2 %x : vector<2xf16>
  return %0 : vector<2xf16>
}

// The instruction takes denormal numbers for zeros.
// CHECK-LABEL: @rsqrt
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @rsqrt(%x: f32) -> f32 {
  // CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[X]]
  // CHECK: %[[SCALED:.*]] = arith.mulf %[[X]]
  // CHECK: %[[Y:.*]] = arith.select %[[SMALL]], %[[SCALED]], %[[X]]
  // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.amdgcn.rsq"(%[[Y]]) : (f32) -> f32
  // CHECK: %[[BACK:.*]] = arith.select %[[SMALL]]
  // CHECK: arith.mulf %[[R]], %[[BACK]]
  %0 = math.rsqrt %x : f32
  return %0 : f32
}

// CHECK-LABEL: @left_to_llvm
func.func @left_to_llvm(%x: f32, %y: f64) -> (f32, f64) {
  // CHECK: math.sqrt
  // CHECK: math.floor
  %0 = math.sqrt %x : f32
  %1 = math.floor %y : f64
  return %0, %1 : f32, f64
}

// -----

func.func @nothing(%x: f64) -> f64 {
  // expected-error@+1 {{there is no exp of 'f64' on a GPU}}
  %0 = math.exp %x : f64
  return %0 : f64
}
