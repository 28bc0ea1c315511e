// ptx-to-llvm: atomics, with 64-bit values in one register. Like all operations that write memory, they clobber it.
// RUN: tilewright-opt %s --ptx-to-llvm | FileCheck %s

// A pair of f16 fills a word; a 64-bit value is one register.
// CHECK-LABEL: @atomics
llvm.func @atomics(%p: !llvm.ptr<1>, %m: i1, %h: vector<8xf16>, %b: vector<1xbf16>, %i: i64, %f: vector<1xf64>, %s: i16) {
  // CHECK: "mov.b32 $0, 0;{{.*}}mov.b32 $3, 0;{{.*}}@$8 atom.relaxed.gpu.global.add.noftz.v4.f16x2 {$0, $1, $2, $3}, [$9], {$4, $5, $6, $7};"
  %0 = ptx.atomic "fadd" "relaxed" "gpu" %p, %h mask %m : !llvm.ptr<1>, vector<8xf16>
  // CHECK: "mov.b16 $0, 0;{{.*}}@$2 atom.release.sys.global.add.noftz.bf16 $0, [$3], $1;", "=&h,h,b,l,~{memory}"
  %1 = ptx.atomic "fadd" "release" "sys" %p, %b mask %m : !llvm.ptr<1>, vector<1xbf16>
  // CHECK: "mov.b64 $0, 0;{{.*}}@$2 atom.acq_rel.cta.global.max.s64 $0, [$3], $1;", "=&l,l,b,l,~{memory}"
  %2 = ptx.atomic "max" "acq_rel" "cta" %p, %i mask %m : !llvm.ptr<1>, i64
  // CHECK: atom.acq_rel.gpu.global.max.u64
  %3 = ptx.atomic "umax" "acq_rel" "gpu" %p, %i mask %m : !llvm.ptr<1>, i64
  // CHECK: atom.acquire.gpu.global.add.f64 {{.*}}, "=&l,l,b,l,~{memory}"
  %4 = ptx.atomic "fadd" "acquire" "gpu" %p, %f mask %m : !llvm.ptr<1>, vector<1xf64>
  // CHECK: atom.acquire.gpu.global.exch.b64
  %5 = ptx.atomic "xchg" "acquire" "gpu" %p, %f mask %m : !llvm.ptr<1>, vector<1xf64>
  // CHECK: "mov.b16 $0, 0;{{.*}}@$3 atom.acq_rel.gpu.global.cas.b16 $0, [$4], $1, $2;", "=&h,h,h,b,l,~{memory}"
  %6 = ptx.compare_exchange "acq_rel" "gpu" %p, %s, %s mask %m : !llvm.ptr<1>, i16
  llvm.return
}
