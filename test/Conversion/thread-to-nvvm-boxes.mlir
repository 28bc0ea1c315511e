// RUN: tilewright-opt %s --thread-to-nvvm --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tilewright-opt %s --thread-to-nvvm --ptx-to-llvm --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=PTX

module attributes {tilegpu.target = "sm_90a", tilegpu.num_warps = 4 : i32} {
  // CHECK-LABEL: func @barriers
  func.func @barriers(%mask: i1, %bytes: i32, %parity: i32) {
    // CHECK: %[[BARRIER:.*]] = llvm.mlir.addressof @tilewright_shared
    // CHECK: ptx.mbarrier_init %[[BARRIER]] count 1 mask %{{.*}} : <3>
    // CHECK: nvvm.fence.mbarrier.init
    // CHECK: ptx.mbarrier_arrive %[[BARRIER]] mask %true
    // CHECK: ptx.mbarrier_arrive_expect_tx %[[BARRIER]], %{{.*}} mask %{{.*}} : <3>
    // CHECK: ptx.mbarrier_wait %[[BARRIER]], %{{.*}} : <3>
    // CHECK: ptx.mbarrier_inval %[[BARRIER]] mask %{{.*}} : <3>

    // PTX: "@$1 mbarrier.init.shared::cta.b64 [$0], 1;", "r,b,~{memory}"
    // PTX: "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b,~{memory}"
    // PTX: "@$2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,b,~{memory}"
    // PTX: "{\0A\09.reg .pred complete;\0A\09wait:\0A\09mbarrier.try_wait.parity.shared::cta.b64 complete, [$0], $1;\0A\09@!complete bra wait;\0A\09}", "r,r,~{memory}"
    // PTX: "@$1 mbarrier.inval.shared::cta.b64 [$0];", "r,b,~{memory}"
    %barrier = thread.shared_memory
    thread.transaction_barrier_init %barrier arrivals 1 mask %mask : <3>
    thread.transaction_barrier_fence
    thread.transaction_barrier_arrive %barrier : <3>
    thread.transaction_barrier_expect %barrier, %bytes mask %mask : <3>
    thread.transaction_barrier_wait %barrier parity %parity : <3>
    thread.transaction_barrier_end %barrier mask %mask : <3>
    return
  }

  // A tensor map is a parameter that is passed by value.
  //
  // CHECK-LABEL: func @copies
  // CHECK-SAME: %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}
  func.func @copies(%map: !llvm.ptr {thread.tensor_map}, %x: i32, %y: i32, %mask: i1, %barrier: !llvm.ptr<3>) {
    // CHECK: ptx.prefetch_tensormap %[[MAP]] mask %{{.*}}
    // CHECK: ptx.bulk_tensor_load %{{.*}}, %[[MAP]][%{{.*}}, %{{.*}}] completes %{{.*}} mask %{{.*}} : <3>, <3>
    // CHECK: ptx.bulk_tensor_load %{{.*}}, %[[MAP]][%{{.*}}] completes %{{.*}} mask %true
    // CHECK: ptx.bulk_tensor_store %[[MAP]][%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} mask %{{.*}} : <3>
    // CHECK: %[[FIRST:.*]] = ptx.cache_policy "evict_first"
    // CHECK: %[[NORMAL:.*]] = ptx.cache_policy "evict_normal"
    // CHECK: %[[POLICY:.*]] = arith.select %{{.*}}, %[[FIRST]], %[[NORMAL]] : i64
    // CHECK: ptx.bulk_tensor_store %[[MAP]][%{{.*}}], %{{.*}} mask %{{.*}} policy %[[POLICY]] : <3>
    // CHECK: ptx.bulk_tensor_store %[[MAP]][%{{.*}}, %{{.*}}], %{{.*}} reduce "add" mask %{{.*}} : <3>
    // CHECK: ptx.bulk_tensor_store %[[MAP]][%{{.*}}], %{{.*}} reduce "xor" mask %{{.*}} : <3>
    // CHECK: ptx.bulk_commit
    // CHECK: ptx.bulk_wait 1 read
    // CHECK: ptx.bulk_wait 0

    // PTX: "@$1 prefetch.tensormap [$0];", "l,b,~{memory}"
    // PTX: "@$5 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];", "r,l,r,r,r,b,~{memory}"
    // PTX: "@$4 cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2}], [$3];", "r,l,r,r,b,~{memory}"
    // PTX: "@$5 cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [$0, {$1, $2, $3}], [$4];", "l,r,r,r,r,b,~{memory}"
    // PTX: llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=&l" : () -> i64
    // PTX: "@$3 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.L2::cache_hint [$0, {$1}], [$2], $4;", "l,r,r,b,l,~{memory}"
    // PTX: "@$4 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [$0, {$1, $2}], [$3];", "l,r,r,r,b,~{memory}"
    // PTX: "@$3 cp.reduce.async.bulk.tensor.1d.global.shared::cta.xor.tile.bulk_group [$0, {$1}], [$2];", "l,r,r,b,~{memory}"
    // PTX: "cp.async.bulk.commit_group;", "~{memory}"
    // PTX: "cp.async.bulk.wait_group.read 1;", "~{memory}"
    // PTX: "cp.async.bulk.wait_group 0;", "~{memory}"
    %box = thread.shared_memory
    thread.prefetch_tensor_map %map mask %mask
    thread.box_copy %box, %map[%x, %y] completes %barrier mask %mask : <3>, <3>
    thread.box_copy %box, %map[%x] completes %barrier : <3>, <3>
    thread.box_store %map[%x, %y, %x], %box mask %mask : <3>
    thread.box_store %map[%x], %box mask %mask evict_first if %mask : <3>
    thread.box_store %map[%x, %y], %box reduce <fadd> mask %mask : <3>
    thread.box_store %map[%x], %box reduce <xor> mask %mask : <3>
    thread.box_store_commit
    thread.box_store_wait 1 read
    thread.box_store_wait 0
    return
  }
}

// -----

module attributes {tilegpu.target = "sm_89", tilegpu.num_warps = 4 : i32} {
  func.func @too_old(%barrier: !llvm.ptr<3>) {
    // expected-error @+2 {{the target sm_89 does not copy boxes}}
    // expected-error @+1 {{is not lowered to NVIDIA's instructions}}
    thread.transaction_barrier_init %barrier arrivals 1 : <3>
    return
  }
}
