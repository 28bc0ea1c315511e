// RUN: tilewright-opt %s --thread-to-nvvm --canonicalize --split-input-file | FileCheck %s

module attributes {tilegpu.target = "sm_80", tilegpu.num_warps = 4 : i32} {
  // CHECK-LABEL: func @indices
  func.func @indices() -> (i32, i32, i32, i32, i32) {
    // CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128>
    // CHECK: arith.andi %{{.*}}, %c31_i32
    // CHECK: arith.shrui %{{.*}}, %c5_i32
    // CHECK: nvvm.read.ptx.sreg.ctaid.z
    // CHECK: nvvm.read.ptx.sreg.nctaid.x
    // CHECK: return %[[ID]]
    %id = thread.id
    %lane = thread.lane
    %warp = thread.warp
    %program = thread.program_id 2
    %programs = thread.num_programs 0
    return %id, %lane, %warp, %program, %programs : i32, i32, i32, i32, i32
  }

  // A load or store without a mask or a cache hint is LLVM's.
  //
  // CHECK-LABEL: func @memory
  func.func @memory(%p: !llvm.ptr<1>, %mask: i1, %x: vector<4xf32>) {
    // CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.zero : vector<4xf32>
    // CHECK: llvm.load volatile %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    // CHECK: ptx.load %{{.*}} mask %{{.*}} other %{{.*}} : <1> -> vector<4xf32>
    // CHECK: ptx.load %{{.*}} mask %true other %[[ZERO]] {cache = "cg"} : <1> -> vector<4xf32>
    // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    // CHECK: ptx.store %{{.*}}, %{{.*}} mask %true {evict = "L1::evict_last"} : <1>, vector<4xf32>
    %a = thread.load %p volatile : <1> -> vector<4xf32>
    %b = thread.load %p mask %mask other %x : <1>, other vector<4xf32> -> vector<4xf32>
    %c = thread.load %p {cache = #tile.cache<cg>, evict = #tile.evict<first>} : <1> -> vector<4xf32>
    thread.store %p, %b : <1>, vector<4xf32>
    thread.store %p, %c {evict = #tile.evict<last>} : <1>, vector<4xf32>
    return
  }

  // sm_80 has no atomic addition of bf16, and no GPU has atomics of i16. Shared memory has LLVM's atomics.
  //
  // CHECK-LABEL: func @atomics
  func.func @atomics(%p: !llvm.ptr<1>, %shared: !llvm.ptr<3>, %mask: i1, %x: f32, %y: vector<1xbf16>, %n: i32, %h: i16) -> vector<1xbf16> {
    // CHECK: ptx.atomic "fadd" "relaxed" "gpu" %{{.*}}, %{{.*}} mask %{{.*}} : <1>, f32
    // CHECK: scf.if %{{.*}} -> (bf16)
    // CHECK-NEXT: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("block") release : !llvm.ptr<1>, bf16
    // CHECK: ptx.compare_exchange "acq_rel" "sys" %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : <1>, i32
    // CHECK: llvm.fence syncscope("device") acq_rel
    // CHECK: llvm.atomicrmw umax %{{.*}}, %{{.*}} syncscope("block") monotonic : !llvm.ptr<3>, i32
    // CHECK: llvm.atomicrmw min %{{.*}}, %{{.*}} monotonic : !llvm.ptr<1>, i16
    %a = thread.atomic_rmw <fadd> <relaxed> <gpu> %p, %x mask %mask : <1>, f32
    %b = thread.atomic_rmw <fadd> <release> <cta> %p, %y mask %mask : <1>, vector<1xbf16>
    %c = thread.compare_exchange <acq_rel> <sys> %p, %n, %n mask %mask : <1>, i32
    thread.fence <gpu>
    %d = thread.atomic_rmw <umax> <relaxed> <cta> %shared, %n mask %mask : <3>, i32
    %e = thread.atomic_rmw <min> <relaxed> <sys> %p, %h mask %mask : <1>, i16
    return %b : vector<1xbf16>
  }

  // CHECK-LABEL: func @approximations
  // CHECK-SAME: %[[X:.*]]: vector<4xf32>, %[[BYTES:.*]]: vector<2xi8>, %[[Y:.*]]: f32, %[[Z:.*]]: f32
  func.func @approximations(%x: vector<4xf32>, %bytes: vector<2xi8>, %y: f32, %z: f32)
      -> (vector<4xf32>, vector<2xf16>, vector<2xi8>) {
    // CHECK: ptx.rcp.ftz %[[X]] : vector<4xf32>
    // CHECK: nvvm.convert.f8x2.to.f16x2 %[[BYTES]] : vector<2xi8>(f8E5M2) -> vector<2xf16>
    // The instruction's first operand becomes the upper byte.
    // CHECK: nvvm.convert.f32x2.to.f8x2 %[[Z]], %[[Y]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
    %r = thread.reciprocal %x : vector<4xf32>
    %h = thread.extend_pairs %bytes from f8E5M2 : vector<2xi8> -> vector<2xf16>
    %b = thread.truncate_pairs %y, %z to f8E4M3FN -> vector<2xi8>
    return %r, %h, %b : vector<4xf32>, vector<2xf16>, vector<2xi8>
  }

  // CHECK-LABEL: func @copies
  func.func @copies(%from: !llvm.ptr<1>, %n: i32) {
    // CHECK: %[[TO:.*]] = llvm.mlir.addressof @tilewright_shared : !llvm.ptr<3>
    // CHECK: nvvm.cp.async.shared.global %[[TO]], %{{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
    // CHECK: nvvm.cp.async.shared.global %[[TO]], %{{.*}}, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
    // CHECK: nvvm.cp.async.shared.global %[[TO]], %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    // CHECK: nvvm.cp.async.commit.group
    // CHECK: nvvm.cp.async.wait.group 1
    // CHECK: nvvm.barrier0
    %to = thread.shared_memory
    thread.async_copy %to, %from size 16 bytes %n bypass_l1 : <3>, <1>
    thread.async_copy %to, %from size 4 : <3>, <1>
    thread.async_copy %to, %from size 16 bypass_l1 : <3>, <1>
    thread.async_commit
    thread.async_wait 1
    thread.barrier
    return
  }

  // CHECK-LABEL: func @warps
  func.func @warps(%x: f32, %n: i32, %pair: vector<2xf16>, %shared: !llvm.ptr<3>) -> f32 {
    // CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %{{.*}}, %c31_i32 : f32 -> f32
    // CHECK: nvvm.shfl.sync idx %c-1_i32, %{{.*}}, %{{.*}}, %c31_i32 : i32 -> i32
    // CHECK: nvvm.redux.sync umax %{{.*}}, %c-1_i32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16"(%{{.*}}) : (!llvm.ptr<3>) -> i32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16"(%{{.*}}) : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
    // CHECK: llvm.call_intrinsic "llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16"(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr<3>, i32, i32)
    // CHECK: %[[SUM:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f32.f32"({{.*}}) : (vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    // CHECK: llvm.extractvalue %[[SUM]][3]
    %a = thread.shuffle <xor> %x, %n : f32
    %b = thread.shuffle <index> %n, %n : i32
    %c = thread.reduce <maxui> %n
    %d = thread.load_matrix "m8n8.x1.b16" %shared : <3> -> i32
    %e:2 = thread.load_matrix "m8n8.x2.trans.b16" %shared : <3> -> i32, i32
    thread.store_matrix "m8n8.x2.b16" %shared, %e#0, %e#1 : <3>, i32, i32
    %f:4 = thread.mma "m16n8k8.f16.f16.f32" %pair, %pair by %pair into %a, %x, %x, %x : vector<2xf16>, vector<2xf16> by vector<2xf16> into f32, f32, f32, f32
    return %f#3 : f32
  }

  // CHECK-LABEL: func @rounding
  func.func @rounding(%x: f32) -> i32 {
    // CHECK: nvvm.convert.float.to.tf32 %{{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
    %d = thread.round_to_tf32 %x
    return %d : i32
  }
}

// -----

// Lines of one format share it and their arguments' memory, which is allocated once.

// CHECK-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) attributes {passthrough = ["noreturn"]}
// CHECK-DAG: llvm.mlir.global internal constant @tilewright_text0("%d\0A\00")
module attributes {tilegpu.target = "sm_80", tilegpu.num_warps = 4 : i32} {
  // CHECK-LABEL: func @messages
  func.func @messages(%n: i32, %fails: i1) {
    // CHECK-COUNT-1: llvm.alloca
    // CHECK-NOT: llvm.alloca
    // CHECK: scf.if
    // CHECK: llvm.call @vprintf
    // CHECK: llvm.call @vprintf
    // CHECK: llvm.call @__assertfail
    scf.if %fails {
      thread.print "%d\0A" %n : i32
      thread.print "%d\0A" %n : i32
      thread.fail "too small"
    }
    return
  }
}

// -----

// Descriptors: the address in units of 16 bytes; 1024 bytes to the next eight lines (64 << 32), 4096 to the line that
// continues one (256 << 16), 128-byte swizzle (1 << 62), and the offset of the operand in the buffer.
// CHECK-LABEL: func @groups
module attributes {tilegpu.target = "sm_90a", tilegpu.num_warps = 4 : i32} {
  func.func @groups(%a: i32, %b: !llvm.ptr<3>, %c: f32, %continues: i1) -> f32 {
    // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    // CHECK: %[[C:.*]]:4 = ptx.copy_registers
    // CHECK: nvvm.wgmma.fence.aligned
    // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
    // CHECK: %[[UNITS:.*]] = llvm.lshr %[[ADDRESS]], %{{.*}} : i32
    // CHECK: %[[START:.*]] = llvm.and %[[UNITS]], %{{.*}} : i32
    // CHECK: %[[WIDE:.*]] = llvm.zext %[[START]] : i32 to i64
    // CHECK: %[[B:.*]] = llvm.add %[[WIDE]], %{{.*}} : i64
    // CHECK: ptx.wgmma "m64n8k16" ".f32.f16.f16" {{.*}} by %[[B]] into %[[C]]#0, {{.*}} [1, 1, 1] from_zero
    // CHECK: %[[CONTINUES:.*]] = llvm.zext %{{.*}} : i1 to i32
    // CHECK: ptx.wgmma "m64n8k16" {{.*}} [1, 1, 1] if %[[CONTINUES]]
    // CHECK: nvvm.wgmma.commit.group.sync.aligned
    // CHECK: ptx.wgmma_wait 0 of {{.*}} holding
    thread.async_fence
    %fresh:4 = thread.group_mma_begin of %c, %c, %c, %c : f32, f32, f32, f32
    %r:4 = thread.group_mma "m64k16.f16.f16.f32" columns 8 %a, %a, %a, %a at 0 by %b at 2048 in <swizzle = 128, leading = 4096, stride = 1024, transposed = true> into %fresh#0, %fresh#1, %fresh#2, %fresh#3 from_zero : i32, i32, i32, i32 by <3> into f32, f32, f32, f32
    %t:4 = thread.group_mma "m64k16.f16.f16.f32" columns 8 %a, %a, %a, %a at 0 by %b at 2048 in <swizzle = 128, leading = 4096, stride = 1024, transposed = true> into %r#0, %r#1, %r#2, %r#3 if %continues : i32, i32, i32, i32 by <3> into f32, f32, f32, f32
    thread.group_mma_commit
    %w:4 = thread.group_mma_wait 0 of %t#0, %t#1, %t#2, %t#3 : f32, f32, f32, f32
    return %w#0 : f32
  }
}

// -----

// Where other code reads the accumulators, neither LLVM nor ptxas may unroll the loop.
// CHECK: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[ANNOTATION:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// CHECK-LABEL: func @unrolling
module attributes {tilegpu.target = "sm_90a", tilegpu.num_warps = 4 : i32} {
  func.func @unrolling(%n: i32, %c: f32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK: ptx.copy_registers
      %fresh = thread.group_mma_begin of %c : f32
      // CHECK: {llvm.loop_annotation = #[[ANNOTATION]]}
    }
    // CHECK: scf.for
    scf.for %i = %c0 to %n step %c1 : i32 {
      // CHECK-NEXT: nvvm.wgmma.fence.aligned
      thread.group_mma_begin
      // CHECK-NEXT: }{{$}}
    }
    return
  }
}

// -----

module attributes {tilegpu.target = "sm_90a", tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32} {
  // Additional warps have indices behind those that hold tiles.
  //
  // CHECK-LABEL: func @added_warps
  func.func @added_warps() -> i32 {
    // CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 384>
    %id = thread.id
    return %id : i32
  }

  // A warp group cedes registers, and another one takes them.
  //
  // CHECK-LABEL: func @registers
  func.func @registers() {
    // CHECK-NEXT: nvvm.setmaxregister decrease 24
    // CHECK-NEXT: nvvm.setmaxregister increase 240
    thread.set_registers 24
    thread.set_registers more 240
    return
  }

  // A barrier of some of the threads is barrier 0 with their number. Without a number, it is of all threads.
  //
  // CHECK-LABEL: func @counted
  func.func @counted() {
    // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
    // CHECK-DAG: %[[JOINT:.*]] = arith.constant 15 : i32
    // CHECK-DAG: %[[SOME:.*]] = arith.constant 256 : i32
    // CHECK-DAG: %[[MORE:.*]] = arith.constant 288 : i32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%[[ZERO]], %[[SOME]]) : (i32, i32) -> ()
    // CHECK-NEXT: nvvm.barrier0
    // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.count"(%[[JOINT]], %[[MORE]]) : (i32, i32) -> ()
    // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"(%[[JOINT]], %[[MORE]]) : (i32, i32) -> ()
    thread.barrier of 256
    thread.barrier
    %joint = arith.constant 15 : i32
    thread.named_barrier_wait %joint of 288 anywhere
    thread.named_barrier_arrive %joint of 288
    return
  }

  // ptxas would compute words after the barrier that are to be computed before it, so its number depends on them: they
  // are masked by zeros, the upper half of a grid's size.
  //
  // CHECK-LABEL: func @after
  // CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: i32
  func.func @after(%x: i32, %y: i32) {
    // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
    // CHECK-DAG: %[[HALF:.*]] = arith.constant 16 : i32
    // CHECK: %[[WORDS:.*]] = arith.ori %[[X]], %[[Y]] : i32
    // CHECK: %[[SIZE:.*]] = nvvm.read.ptx.sreg.nctaid.z
    // CHECK: %[[COPY:.*]] = ptx.copy_registers %[[SIZE]]
    // CHECK: %[[NONE:.*]] = arith.shrui %[[COPY]], %[[HALF]] : i32
    // CHECK: %[[MASKED:.*]] = arith.andi %[[WORDS]], %[[NONE]] : i32
    // CHECK: %[[NUMBER:.*]] = arith.addi %[[MASKED]], %[[ONE]] : i32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%[[NUMBER]], %{{.*}})
    %number = arith.constant 1 : i32
    thread.named_barrier_wait %number of 256 after %x, %y
    return
  }
}
