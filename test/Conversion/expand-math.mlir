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

// CHECK-LABEL: @double_precision_stays
func.func @double_precision_stays(%x: vector<8xf64>) -> vector<8xf64> {
  // CHECK: math.rsqrt
  %0 = math.rsqrt %x : vector<8xf64>
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
