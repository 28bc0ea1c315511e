// On a host, expansions become vector code without branches and calls.
// RUN: tilewright-opt %s --expand-math \
// RUN:   | mlir-opt --convert-scf-to-cf --convert-vector-to-llvm --convert-math-to-llvm --convert-func-to-llvm \
// RUN:       --convert-arith-to-llvm --convert-cf-to-llvm --convert-ub-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-translate --mlir-to-llvmir > %t.ll
// RUN: opt %t.ll -O2 -S -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids | llc -mcpu=sapphirerapids \
// RUN:   | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: opt %t.ll -O2 -S -mtriple=x86_64-linux-gnu -mcpu=haswell | llc -mcpu=haswell | FileCheck %s

// Sixteen instructions, besides the constants' loads.
// CHECK-LABEL: exp:
// CHECK-NOT: call
// AVX512: vminps
// AVX512: vmaxps
// AVX512: vfmsub
// AVX512: vaddps
// AVX512-COUNT-5: vfmadd
// AVX512-NOT: {{vcmp|vblend|vpadd|vdiv}}
// AVX512-DAG: vpslld
// AVX512-DAG: vmulps
// AVX512-DAG: vmulps
// CHECK: ret
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: sin:
// CHECK-NOT: call
// CHECK: ret
func.func @sin(%x: vector<4x16xf32>) -> vector<4x16xf32> {
  %0 = math.sin %x : vector<4x16xf32>
  return %0 : vector<4x16xf32>
}

// CHECK-LABEL: log_and_pow:
// CHECK-NOT: call
// CHECK: ret
func.func @log_and_pow(%x: vector<64xf32>, %y: vector<64xf32>) -> vector<64xf32> {
  %0 = math.log %x : vector<64xf32>
  %1 = math.powf %0, %y : vector<64xf32>
  return %1 : vector<64xf32>
}

// Functions left to upstream are one instruction each.
// AVX512-LABEL: roundings:
// AVX512: vrndscaleps $9,
// AVX512-NEXT: vsqrtps
// AVX512-NEXT: vrndscaleps $10,
// AVX512-NEXT: vfmadd
// AVX512-NEXT: vrndscaleps $8,
// AVX512-NEXT: vsqrtps
// AVX512-NEXT: vrndscaleps $11,
// AVX512-NEXT: retq
func.func @roundings(%x: vector<16xf32>) -> vector<16xf32> {
  %floor = math.floor %x : vector<16xf32>
  %root = math.sqrt %floor : vector<16xf32>
  %ceil = math.ceil %root : vector<16xf32>
  %sum = math.fma %ceil, %x, %x : vector<16xf32>
  %even = math.roundeven %sum : vector<16xf32>
  %again = math.sqrt %even : vector<16xf32>
  %trunc = math.trunc %again : vector<16xf32>
  return %trunc : vector<16xf32>
}
