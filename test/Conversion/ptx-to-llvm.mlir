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

// CHECK-LABEL: @cache_policy
llvm.func @cache_policy() -> i64 {
  // CHECK: llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=&l" : () -> i64
  %policy = ptx.cache_policy "evict_last"
  llvm.return %policy : i64
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

// Accumulators stay in their registers: operands are tied to results of the same types.
// CHECK-LABEL: @groups
llvm.func @groups(%a: i64, %w: i32, %b: i64, %c: f32, %n: i32) -> f32 {
  // CHECK: llvm.inline_asm has_side_effects "{
  // CHECK-SAME: .reg .pred p;
  // CHECK-SAME: setp.ne.b32 p, 1, 0;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, 1, 1, 0, 1;
  // CHECK-SAME: }", "=f,=f,=f,=f,0,1,2,3,l,l,~{memory}"
  %0:4 = ptx.wgmma "m64n8k16" ".f32.f16.f16" %a by %b into %c, %c, %c, %c [1, 1, 0, 1] : i64 into f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: setp.ne.b32 p, 0, 0;
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p;
  // CHECK-SAME: }", "=r,=r,=r,=r,0,1,2,3,r,r,r,r,l,~{memory}"
  %1:4 = ptx.wgmma "m64n8k32" ".s32.s8.s8" %w, %w, %w, %w by %b into %n, %n, %n, %n [] from_zero : i32, i32, i32, i32 into i32, i32, i32, i32 -> i32, i32, i32, i32
  // CHECK: setp.ne.b32 p, $10, 0;
  // CHECK-SAME: {$0, $1, $2, $3}, $8, $9, p, 1, 1, 0, 1;
  // CHECK-SAME: }", "=f,=f,=f,=f,0,1,2,3,l,l,r,~{memory}"
  %4:4 = ptx.wgmma "m64n8k16" ".f32.f16.f16" %a by %b into %c, %c, %c, %c [1, 1, 0, 1] if %n : i64 into f32, f32, f32, f32 -> f32, f32, f32, f32
  // CHECK: "wgmma.wait_group.sync.aligned 1;", "=f,=f,0,1,~{memory}"
  %2:2 = ptx.wgmma_wait 1 of %0#0, %0#1 : f32, f32 -> f32, f32
  // CHECK: "mov.b32 $0, $2;
  // CHECK-SAME: mov.b32 $1, $3;", "=&f,=&r,f,r,~{memory}"
  %3:2 = ptx.copy_registers %c, %n : f32, i32 -> f32, i32
  llvm.return %2#0 : f32
}
