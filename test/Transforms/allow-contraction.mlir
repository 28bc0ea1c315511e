// RUN: tilewright-opt %s --allow-contraction | FileCheck %s
// RUN: tilewright-opt %s --allow-contraction=min-bits=32 | FileCheck %s --check-prefixes=CHECK,WIDE

// CHECK-LABEL: @flags
func.func @flags(%x: tensor<8xf32>, %y: f64) -> (tensor<8xf32>, f64) {
  // CHECK: arith.mulf {{.*}} fastmath<contract> : tensor<8xf32>
  // CHECK: arith.addf {{.*}} fastmath<contract> : tensor<8xf32>
  // CHECK: arith.subf {{.*}} fastmath<nnan,contract> : f64
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f64
  %0 = arith.mulf %x, %x : tensor<8xf32>
  %1 = arith.addf %0, %x : tensor<8xf32>
  %2 = arith.subf %y, %y fastmath<nnan> : f64
  %3 = arith.divf %2, %y : f64
  return %1, %3 : tensor<8xf32>, f64
}

// CHECK-LABEL: @half
func.func @half(%x: f16) -> f16 {
  // WIDE: arith.mulf %{{.*}}, %{{.*}} : f16
  %0 = arith.mulf %x, %x : f16
  return %0 : f16
}
