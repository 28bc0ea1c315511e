// RUN: tilewright-opt %s --math-to-ptx --split-input-file --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: tilewright-opt %s --math-to-ptx=flush-denormals --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s --check-prefixes=CHECK,FLUSH

// Eight instructions: the power of two that scales the result is computed from the bits of a sum.
// CHECK-LABEL: @exp
// CHECK-SAME: (%[[X:.*]]: vector<4xf32>)
func.func @exp(%x: vector<4xf32>) -> vector<4xf32> {
  // CHECK: %[[PLACE:.*]] = ptx.fma.sat %[[X]]
  // CHECK: %[[BIASED:.*]] = math.fma %[[PLACE]]
  // CHECK: arith.subf %{{.*}}, %[[BIASED]]
  // CHECK-COUNT-2: math.fma %[[X]]
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[BIASED]]
  // CHECK: %[[SHIFTED:.*]] = arith.shli %[[BITS]]
  // CHECK: %[[SCALE:.*]] = arith.bitcast %[[SHIFTED]]
  // CHECK: %[[POWER:.*]] = ptx.ex2.ftz
  // CHECK: %[[E:.*]] = arith.mulf %[[POWER]], %[[SCALE]]
  // CHECK: return %[[E]]
  %0 = math.exp %x : vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: @one_instruction
func.func @one_instruction(%x: vector<4xf32>, %y: f32) -> (vector<4xf32>, f32, f32) {
  // EXACT: ptx.ex2 %{{.*}} : vector<4xf32>
  // FLUSH: ptx.ex2.ftz %{{.*}} : vector<4xf32>
  // CHECK: %[[R:.*]] = ptx.rsqrt %{{.*}} : f32
  // CHECK: ptx.sqrt %[[R]] : f32
  %0 = math.exp2 %x : vector<4xf32>
  %1 = math.rsqrt %y : f32
  %2 = math.sqrt %1 : f32
  return %0, %1, %2 : vector<4xf32>, f32, f32
}

// CHECK-LABEL: @narrow_types_are_extended
// CHECK-SAME: (%[[X:.*]]: vector<2xbf16>)
func.func @narrow_types_are_extended(%x: vector<2xbf16>) -> vector<2xbf16> {
  // CHECK: %[[W:.*]] = arith.extf %[[X]] : vector<2xbf16> to vector<2xf32>
  // CHECK: %[[R:.*]] = ptx.rsqrt %[[W]]
  // CHECK: arith.truncf %[[R]] : vector<2xf32> to vector<2xbf16>
  %0 = math.rsqrt %x : vector<2xbf16>
  return %0 : vector<2xbf16>
}

// CHECK-LABEL: @quotients
// CHECK-SAME: (%[[X:.*]]: vector<2xf32>, %[[Y:.*]]: vector<2xf32>)
func.func @quotients(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
  // CHECK: ptx.div %[[X]], %[[Y]] : vector<2xf32>
  %0 = arith.divf %x, %y : vector<2xf32>
  return %0 : vector<2xf32>
}

// CHECK-LABEL: @rounded_to_nearest
func.func @rounded_to_nearest(%x: vector<2xf32>, %d: f64) -> (vector<2xf32>, f64) {
  // CHECK: arith.divf {{.*}} {tile.precise} : vector<2xf32>
  // CHECK: math.sqrt {{.*}} {tile.precise} : vector<2xf32>
  // CHECK: arith.divf {{.*}} : f64
  // CHECK: math.sqrt {{.*}} : f64
  %0 = arith.divf %x, %x {tile.precise} : vector<2xf32>
  %1 = math.sqrt %0 {tile.precise} : vector<2xf32>
  %2 = arith.divf %d, %d : f64
  %3 = math.sqrt %2 : f64
  return %1, %3 : vector<2xf32>, f64
}

// -----

func.func @unknown(%x: vector<2xf64>) -> vector<2xf64> {
  // expected-error @+1 {{there is no tan of 'f64' on a GPU}}
  %0 = math.tan %x : vector<2xf64>
  return %0 : vector<2xf64>
}
