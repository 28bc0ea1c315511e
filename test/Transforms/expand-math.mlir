// RUN: tilewright-opt %s --expand-math | FileCheck %s

// CHECK-LABEL: @narrow_types_are_extended
// CHECK-SAME: (%[[X:.*]]: vector<16xbf16>)
func.func @narrow_types_are_extended(%x: vector<16xbf16>) -> vector<16xbf16> {
  // CHECK: %[[W:.*]] = arith.extf %[[X]] : vector<16xbf16> to vector<16xf32>
  // CHECK: %[[S:.*]] = math.sqrt %[[W]] : vector<16xf32>
  // CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<16xf32>
  // CHECK: %[[R:.*]] = arith.divf %[[ONE]], %[[S]]
  // CHECK: arith.truncf %[[R]] : vector<16xf32> to vector<16xbf16>
  %0 = math.rsqrt %x : vector<16xbf16>
  return %0 : vector<16xbf16>
}

// CHECK-LABEL: @scalars_and_any_shape
func.func @scalars_and_any_shape(%x: f32, %y: vector<4x8xf32>) -> (f32, vector<4x8xf32>) {
  // CHECK: arith.divf {{.*}} : f32
  // CHECK: arith.divf {{.*}} : vector<4x8xf32>
  %0 = math.rsqrt %x : f32
  %1 = math.rsqrt %y : vector<4x8xf32>
  return %0, %1 : f32, vector<4x8xf32>
}

// Clamp, nearest even multiple of ln 2, remainder, polynomial, two multiplications by 2^(n/2).
// CHECK-LABEL: @exp
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  // CHECK-COUNT-2: arith.select
  // CHECK: %[[BIASED:.*]] = math.fma
  // CHECK: arith.subf %[[BIASED]]
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[BIASED]]
  // CHECK: %[[SHIFTED:.*]] = arith.shli %[[BITS]]
  // CHECK: %[[SCALE:.*]] = arith.bitcast %[[SHIFTED]]
  // CHECK-COUNT-9: math.fma
  // CHECK: %[[ONCE:.*]] = arith.mulf %{{.*}}, %[[SCALE]]
  // CHECK: %[[TWICE:.*]] = arith.mulf %[[ONCE]], %[[SCALE]]
  // CHECK: return %[[TWICE]]
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// One branch for the whole vector: large arguments are rare.
// CHECK-LABEL: @sin
func.func @sin(%x: vector<2x8xf32>) -> vector<2x8xf32> {
  // CHECK: %[[LARGE:.*]] = arith.cmpi ult
  // CHECK: %[[FLAT:.*]] = vector.shape_cast %[[LARGE]] : vector<2x8xi1> to vector<16xi1>
  // CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[FLAT]]
  // CHECK: scf.if %[[ANY]] -> (vector<2x8xi32>, vector<2x8xf32>)
  %0 = math.sin %x : vector<2x8xf32>
  return %0 : vector<2x8xf32>
}

// CHECK-LABEL: @cos_of_a_scalar
func.func @cos_of_a_scalar(%x: f32) -> f32 {
  // CHECK: %[[LARGE:.*]] = arith.cmpi ult
  // CHECK: scf.if %[[LARGE]] -> (i32, f32)
  %0 = math.cos %x : f32
  return %0 : f32
}

// CHECK-LABEL: @all_are_expanded
func.func @all_are_expanded(%x: vector<8xf16>, %y: vector<8xf16>) -> vector<8xf16> {
  // CHECK-NOT: math.{{cos|erf|exp|log|pow|rsqrt|sin|tanh}}
  // CHECK: return
  %cos = math.cos %x : vector<8xf16>
  %erf = math.erf %cos : vector<8xf16>
  %exp = math.exp %erf : vector<8xf16>
  %exp2 = math.exp2 %exp : vector<8xf16>
  %expm1 = math.expm1 %exp2 : vector<8xf16>
  %log = math.log %expm1 : vector<8xf16>
  %log10 = math.log10 %log : vector<8xf16>
  %log1p = math.log1p %log10 : vector<8xf16>
  %log2 = math.log2 %log1p : vector<8xf16>
  %pow = math.powf %log2, %y : vector<8xf16>
  %rsqrt = math.rsqrt %pow : vector<8xf16>
  %sin = math.sin %rsqrt : vector<8xf16>
  %tanh = math.tanh %sin : vector<8xf16>
  return %tanh : vector<8xf16>
}

// CHECK-LABEL: @double_precision
func.func @double_precision(%x: vector<8xf64>) -> vector<8xf64> {
  // CHECK-NOT: math.{{cos|erf|exp|log|rsqrt|sin|tanh}}
  // CHECK: return
  %cos = math.cos %x : vector<8xf64>
  %erf = math.erf %cos : vector<8xf64>
  %exp = math.exp %erf : vector<8xf64>
  %exp2 = math.exp2 %exp : vector<8xf64>
  %expm1 = math.expm1 %exp2 : vector<8xf64>
  %log = math.log %expm1 : vector<8xf64>
  %log10 = math.log10 %log : vector<8xf64>
  %log1p = math.log1p %log10 : vector<8xf64>
  %log2 = math.log2 %log1p : vector<8xf64>
  %rsqrt = math.rsqrt %log2 : vector<8xf64>
  %sin = math.sin %rsqrt : vector<8xf64>
  %tanh = math.tanh %sin : vector<8xf64>
  return %tanh : vector<8xf64>
}

// CHECK-LABEL: @powers_of_double_precision_stay
func.func @powers_of_double_precision_stay(%x: vector<8xf64>) -> vector<8xf64> {
  // CHECK: math.powf
  %0 = math.powf %x, %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// CHECK-LABEL: @single_instructions_stay
func.func @single_instructions_stay(%x: vector<16xf32>) -> vector<16xf32> {
  // CHECK: math.floor
  // CHECK-NEXT: math.ceil
  // CHECK-NEXT: math.sqrt
  // CHECK-NEXT: math.fma
  %0 = math.floor %x : vector<16xf32>
  %1 = math.ceil %0 : vector<16xf32>
  %2 = math.sqrt %1 : vector<16xf32>
  %3 = math.fma %0, %1, %2 : vector<16xf32>
  return %3 : vector<16xf32>
}
