// RUN: tilewright-opt %s --ptx-to-llvm | FileCheck %s

// CHECK-LABEL: @load
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[M:.*]]: i1, %[[O:.*]]: vector<8xf16>
llvm.func @load(%p: !llvm.ptr<1>, %m: i1, %o: vector<8xf16>) -> vector<8xf16> {
  // CHECK: llvm.bitcast %[[O]] : vector<8xf16> to vector<4xi32>
  // CHECK: llvm.inline_asm has_side_effects "mov.b32 $0, $4;
  // CHECK-SAME: @$8 ld.global.L1::evict_last.v4.b32 {$0, $1, $2, $3}, [$9];", "=&r,=&r,=&r,=&r,r,r,r,r,b,l"
  // CHECK: llvm.bitcast %{{.*}} : vector<4xi32> to vector<8xf16>
  %0 = ptx.load %p mask %m other %o {evict = "L1::evict_last"} : !llvm.ptr<1> -> vector<8xf16>
  llvm.return %0 : vector<8xf16>
}

// CHECK-LABEL: @volatile
llvm.func @volatile(%p: !llvm.ptr<1>, %m: i1, %o: i64) -> i64 {
  // CHECK: "mov.b32 $0, $2;
  // CHECK-SAME: @$4 ld.volatile.global.v2.b32 {$0, $1}, [$5];"
  %0 = ptx.load %p mask %m other %o {isVolatile} : !llvm.ptr<1> -> i64
  llvm.return %0 : i64
}

// An address in shared memory is a 32-bit register.
// CHECK-LABEL: @async_copy
llvm.func @async_copy(%to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %bytes: i32) {
  // CHECK: llvm.inline_asm has_side_effects "{
  // CHECK-SAME: .reg .b64 policy;
  // CHECK-SAME: createpolicy.fractional.L2::evict_last.b64 policy, 1.0;
  // CHECK-SAME: cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2, policy;
  // CHECK-SAME: }", "r,l,r,~{memory}" %arg0, %arg1, %{{.*}} : (!llvm.ptr<3>, !llvm.ptr<1>, i32)
  ptx.async_copy %to, %from bytes %bytes of 16 "cg" "evict_last" : !llvm.ptr<3>, !llvm.ptr<1>
  llvm.return
}

// A byte is in a 16-bit register.
// CHECK-LABEL: @byte
llvm.func @byte(%p: !llvm.ptr<1>, %m: i1, %v: vector<1xi8>) {
  // CHECK: %[[B:.*]] = llvm.bitcast %{{.*}} : vector<1xi8> to i8
  // CHECK: %[[H:.*]] = llvm.zext %[[B]] : i8 to i16
  // CHECK: "@$1 st.global.b8 [$2], $0;", "h,b,l,~{memory}" %[[H]], %{{.*}}, %{{.*}} : (i16, i1, !llvm.ptr<1>) -> !llvm.void
  ptx.store %p, %v mask %m : !llvm.ptr<1>, vector<1xi8>
  llvm.return
}

// CHECK-LABEL: @intrinsics
llvm.func @intrinsics(%x: vector<2xf32>, %y: f32) -> vector<2xf32> {
  // CHECK: %[[X0:.*]] = llvm.extractelement
  // CHECK: %[[R0:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[X0]]) : (f32) -> f32
  // CHECK: %[[V0:.*]] = llvm.insertelement %[[R0]]
  // CHECK: %[[R1:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: %[[V1:.*]] = llvm.insertelement %[[R1]], %[[V0]]
  // CHECK: llvm.call_intrinsic "llvm.nvvm.fma.rn.sat.f"(%{{.*}}, %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
  // CHECK: llvm.return %[[V1]]
  %0 = ptx.ex2.ftz %x : vector<2xf32>
  %1 = ptx.fma.sat %y, %y, %y : f32
  llvm.return %0 : vector<2xf32>
}
