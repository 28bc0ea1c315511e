// RUN: tilewright-opt %s --thread-to-rocdl --split-input-file | FileCheck %s

// CHECK: #[[LOCAL:.*]] = #llvm.mmra_tag<"amdgpu-synchronize-as":"local">

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 4 : i32} {
  // CHECK: llvm.mlir.global external @tilewright_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>

  // A warp has 64 lanes. All of them have the same index of the warp, which LLVM learns from readfirstlane.
  //
  // CHECK-LABEL: func @indices
  func.func @indices() -> (i32, i32, i32, i32, i32) {
    // CHECK: %[[ID:.*]] = rocdl.workitem.id.x range <i32, 0, 256> : i32
    // CHECK: arith.andi %{{.*}}, %{{c63_i32.*}}
    // CHECK: %[[WARP:.*]] = arith.shrui %{{.*}}, %{{c6_i32.*}}
    // CHECK: rocdl.readfirstlane %[[WARP]]
    // CHECK: rocdl.workgroup.id.z
    // CHECK: %[[HIDDEN:.*]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
    // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[HIDDEN]][1] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i32
    // CHECK: llvm.load %[[SECOND]] invariant {alignment = 4 : i64} : !llvm.ptr<4> -> i32
    // CHECK: return %[[ID]]
    %id = thread.id
    %lane = thread.lane
    %warp = thread.warp
    %program = thread.program_id 2
    %programs = thread.num_programs 1
    return %id, %lane, %warp, %program, %programs : i32, i32, i32, i32, i32
  }

  // CHECK-LABEL: func @memory
  // CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[MASK:.*]]: i1, %[[X:.*]]: vector<4xf32>
  func.func @memory(%p: !llvm.ptr<1>, %mask: i1, %x: vector<4xf32>) {
    // CHECK: llvm.load volatile %[[P]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    // CHECK: %[[B:.*]]:2 = scf.if %[[MASK]] -> (vector<4xf32>, vector<4xf32>) {
    // CHECK-NEXT: %[[FIRST:.*]] = llvm.load %[[P]] {alignment = 16 : i64}
    // CHECK-NEXT: %[[SECOND:.*]] = llvm.load %[[P]] {alignment = 16 : i64, nontemporal}
    // CHECK-NEXT: scf.yield %[[FIRST]], %[[SECOND]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: %[[ZERO:.*]] = llvm.mlir.zero : vector<4xf32>
    // CHECK-NEXT: scf.yield %[[X]], %[[ZERO]]
    // CHECK: llvm.store %[[B]]#0, %[[P]] {alignment = 16 : i64}
    // CHECK: scf.if %[[MASK]] {
    // CHECK-NEXT: llvm.store %[[B]]#1, %[[P]] {alignment = 16 : i64, nontemporal}
    %a = thread.load %p volatile : <1> -> vector<4xf32>
    %b = thread.load %p mask %mask other %x : <1>, other vector<4xf32> -> vector<4xf32>
    %c = thread.load %p mask %mask {cache = #tile.cache<cs>} : <1> -> vector<4xf32>
    thread.store %p, %b : <1>, vector<4xf32>
    thread.store %p, %c mask %mask {evict = #tile.evict<first>} : <1>, vector<4xf32>
    return
  }

  // The instructions convert pairs, from or to a half of a word. A NaN is selected, as the median makes it a number.
  //
  // CHECK-LABEL: func @bytes
  // CHECK-SAME: %[[FOUR:.*]]: vector<4xi8>, %[[TWO:.*]]: vector<2xi8>, %[[X:.*]]: f32, %{{.*}}: f32)
  func.func @bytes(%four: vector<4xi8>, %two: vector<2xi8>, %x: f32, %y: f32)
      -> (vector<4xf32>, vector<2xf32>, vector<4xi8>, vector<2xi8>) {
    // CHECK: %[[WORD:.*]] = llvm.bitcast %[[FOUR]] : vector<4xi8> to i32
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.f32.fp8"(%[[WORD]], %false{{.*}}) : (i32, i1) -> vector<2xf32>
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.f32.fp8"(%[[WORD]], %true{{.*}}) : (i32, i1) -> vector<2xf32>
    // CHECK: %[[HALF:.*]] = llvm.bitcast %[[TWO]] : vector<2xi8> to i16
    // CHECK: %[[LOWER:.*]] = arith.extui %[[HALF]] : i16 to i32
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.f32.bf8"(%[[LOWER]], %false{{.*}}) : (i32, i1) -> vector<2xf32>
    // CHECK: %[[LEAST:.*]] = arith.constant -2.400000e+02 : f32
    // CHECK: %[[MOST:.*]] = arith.constant 2.400000e+02 : f32
    // CHECK: %[[INSIDE:.*]] = llvm.call_intrinsic "llvm.amdgcn.fmed3"(%[[X]], %[[LEAST]], %[[MOST]])
    // CHECK: %[[ISNAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
    // CHECK: %[[NAN:.*]] = arith.constant 0x7FFFFFFF : f32
    // CHECK: %[[FIRST:.*]] = arith.select %[[ISNAN]], %[[NAN]], %[[INSIDE]]
    // CHECK: %[[PART:.*]] = llvm.call_intrinsic "llvm.amdgcn.cvt.pk.fp8.f32"(%[[FIRST]], %{{.*}}, %{{.*}}, %false{{.*}})
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.cvt.pk.fp8.f32"(%{{.*}}, %{{.*}}, %[[PART]], %true{{.*}})
    // CHECK: arith.constant 5.734400e+04 : f32
    // CHECK: %[[PAIR:.*]] = llvm.call_intrinsic "llvm.amdgcn.cvt.pk.bf8.f32"
    // CHECK: arith.trunci %[[PAIR]] : i32 to i16
    %a = thread.extend_pairs %four from f8E4M3FNUZ : vector<4xi8> -> vector<4xf32>
    %b = thread.extend_pairs %two from f8E5M2FNUZ : vector<2xi8> -> vector<2xf32>
    %c = thread.truncate_pairs %x, %y, %x, %y to f8E4M3FNUZ -> vector<4xi8>
    %d = thread.truncate_pairs %x, %y to f8E5M2FNUZ -> vector<2xi8>
    return %a, %b, %c, %d : vector<4xf32>, vector<2xf32>, vector<4xi8>, vector<2xi8>
  }

  // The scope of the whole system includes memory for which there are no instructions.
  //
  // CHECK-LABEL: func @atomics
  func.func @atomics(%p: !llvm.ptr<1>, %shared: !llvm.ptr<3>, %mask: i1, %x: f32, %y: vector<1xbf16>, %z: vector<2xf16>, %n: i32) -> vector<1xbf16> {
    // CHECK: scf.if %{{.*}} -> (f32)
    // CHECK-NEXT: llvm.atomicrmw fadd %{{.*}} syncscope("agent") monotonic {rocdl.no_fine_grained_memory, rocdl.no_remote_memory} : !llvm.ptr<1>, f32
    // CHECK: scf.if %{{.*}} -> (bf16)
    // CHECK-NEXT: llvm.atomicrmw fadd %{{.*}} syncscope("workgroup") release {{.*}} : !llvm.ptr<1>, bf16
    // CHECK: llvm.atomicrmw fadd %{{.*}} : !llvm.ptr<1>, vector<2xf16>
    // CHECK: llvm.cmpxchg %{{.*}} acq_rel acquire : !llvm.ptr<1>, i32
    // CHECK: %[[CMP:.*]] = llvm.bitcast %{{.*}} : f32 to i32
    // CHECK: %[[NEW:.*]] = llvm.bitcast %{{.*}} : f32 to i32
    // CHECK: llvm.cmpxchg %{{.*}}, %[[CMP]], %[[NEW]] syncscope("agent") release monotonic : !llvm.ptr<1>, i32
    // CHECK: llvm.fence syncscope("agent") acq_rel
    // CHECK: llvm.atomicrmw umax %{{.*}} syncscope("workgroup") monotonic {{.*}} : !llvm.ptr<3>, i32
    // CHECK: llvm.atomicrmw min %{{.*}}, %{{.*}} monotonic : !llvm.ptr<1>, i32
    %a = thread.atomic_rmw <fadd> <relaxed> <gpu> %p, %x mask %mask : <1>, f32
    %b = thread.atomic_rmw <fadd> <release> <cta> %p, %y mask %mask : <1>, vector<1xbf16>
    %c = thread.atomic_rmw <fadd> <relaxed> <gpu> %p, %z mask %mask : <1>, vector<2xf16>
    %d = thread.compare_exchange <acq_rel> <sys> %p, %n, %n mask %mask : <1>, i32
    %e = thread.compare_exchange <release> <gpu> %p, %x, %x mask %mask : <1>, f32
    thread.fence <gpu>
    %f = thread.atomic_rmw <umax> <relaxed> <cta> %shared, %n mask %mask : <3>, i32
    %g = thread.atomic_rmw <min> <relaxed> <sys> %p, %n mask %mask : <1>, i32
    return %b : vector<1xbf16>
  }

  // CHECK-LABEL: func @synchronization
  func.func @synchronization() -> i64 {
    // CHECK: llvm.fence syncscope("workgroup") release
    // CHECK-NEXT: rocdl.s.barrier
    // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire
    // CHECK-NEXT: llvm.fence syncscope("wavefront") acq_rel
    // CHECK-NEXT: %[[TICKS:.*]] = llvm.call_intrinsic "llvm.readsteadycounter"() : () -> i64
    // CHECK-NEXT: %[[TEN:.*]] = arith.constant 10
    // CHECK-NEXT: arith.muli %[[TICKS]], %[[TEN]]
    // CHECK-NEXT: return
    thread.barrier
    thread.warp_barrier
    thread.wait_for_grids
    thread.launch_dependents
    %t = thread.global_timer
    return %t : i64
  }

  // CHECK-LABEL: func @shared_barrier
  func.func @shared_barrier() {
    // CHECK: llvm.fence syncscope("workgroup") release {llvm.mmra = #[[LOCAL]]}
    // CHECK-NEXT: rocdl.s.barrier
    // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #[[LOCAL]]}
    thread.barrier shared
    return
  }

  // CHECK-LABEL: func @approximations
  func.func @approximations(%x: vector<2xf32>) -> vector<2xf32> {
    // CHECK: %[[E:.*]]:2 = vector.to_elements
    // CHECK: %[[A:.*]] = rocdl.rcp %[[E]]#0 f32 -> f32
    // CHECK: %[[B:.*]] = rocdl.rcp %[[E]]#1 f32 -> f32
    // CHECK: vector.from_elements %[[A]], %[[B]]
    %r = thread.reciprocal %x : vector<2xf32>
    return %r : vector<2xf32>
  }

  // CHECK-LABEL: func @shared
  func.func @shared() -> !llvm.ptr<3> {
    // CHECK: llvm.mlir.addressof @tilewright_shared : !llvm.ptr<3>
    %s = thread.shared_memory
    return %s : !llvm.ptr<3>
  }
}

// -----

module attributes {tilegpu.target = "gfx90a", tilegpu.num_warps = 1 : i32} {
  // CHECK-LABEL: func @shuffles_of_64_lanes
  func.func @shuffles_of_64_lanes(%x: i32, %f: f32, %lane: i32) {
    // CHECK: rocdl.update.dpp %{{.*}} with 177, 15, 15, true : i32
    // CHECK: rocdl.ds_swizzle %{{.*}}, %{{c4127_i32.*}}
    // CHECK: rocdl.update.dpp %{{.*}} with 321, 15, 15, true : i32
    // CHECK: rocdl.update.dpp %{{.*}} with 296, 15, 15, true : i32
    // CHECK: rocdl.ds_swizzle %{{.*}}, %{{c16415_i32.*}}
    // CHECK: %[[OTHER:.*]] = arith.xori %{{.*}}, %{{c32_i32.*}}
    // CHECK: %[[ADDRESS:.*]] = arith.shli %[[OTHER]], %{{c2_i32.*}}
    // CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
    // CHECK: rocdl.ds_bpermute %{{.*}}, %{{.*}}
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c7 = arith.constant 7 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %0 = thread.shuffle <xor> %x, %c1 : i32
    %1 = thread.shuffle <xor> %0, %c4 : i32
    %2 = thread.shuffle <xor> %1, %c7 : i32
    %3 = thread.shuffle <xor> %2, %c8 : i32
    %4 = thread.shuffle <xor> %3, %c16 : i32
    %5 = thread.shuffle <xor> %4, %c32 : i32
    %6 = thread.shuffle <index> %f, %lane : f32
    return
  }
}

// -----

module attributes {tilegpu.target = "gfx1100", tilegpu.num_warps = 1 : i32} {
  // CHECK-LABEL: func @shuffles_of_32_lanes
  func.func @shuffles_of_32_lanes(%x: i32) -> i32 {
    // CHECK: rocdl.update.dpp %{{.*}} with 356, 15, 15, true : i32
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.permlanex16"(%{{.*}}, %{{.*}}, %{{c1985229328_i32.*}}, %{{c-19088744_i32.*}}, %{{false.*}}, %{{false.*}})
    // CHECK: rocdl.ds_swizzle %{{.*}}, %{{c17439_i32.*}}
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c17 = arith.constant 17 : i32
    %0 = thread.shuffle <xor> %x, %c4 : i32
    %1 = thread.shuffle <xor> %0, %c16 : i32
    %2 = thread.shuffle <xor> %1, %c17 : i32
    return %2 : i32
  }
}

// -----

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 1 : i32} {
  // CHECK-LABEL: func @mfma
  // CHECK-SAME: %[[A:.*]]: vector<4xf16>, %[[B:.*]]: vector<4xf16>, %[[C:.*]]: vector<16xf32>
  func.func @mfma(%a: vector<4xf16>, %b: vector<4xf16>, %c: vector<16xf32>, %i: i64, %s: vector<4xi32>) {
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.32x32x8f16"(%[[A]], %[[B]], %[[C]], %{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xf16>, vector<4xf16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.i32.16x16x32.i8"(%{{.*}}) : (i64, i64, vector<4xi32>, i32, i32, i32) -> vector<4xi32>
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.32x32x8f16"(%[[B]], %[[A]], %[[C]], %{{.*}}, %{{.*}}, %{{.*}}) : (vector<4xf16>, vector<4xf16>, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
    %0 = thread.mma "mfma.m32n32k8.f16.f16.f32" %a by %b into %c : vector<4xf16> by vector<4xf16> into vector<16xf32>
    %1 = thread.mma "mfma.m16n16k32.s8.s8.s32" %i by %i into %s : i64 by i64 into vector<4xi32>
    %2 = thread.mma "mfma.m32n32k8.f16.f16.f32.swapped" %a by %b into %c : vector<4xf16> by vector<4xf16> into vector<16xf32>
    return
  }
}

// -----

module attributes {tilegpu.target = "gfx1201", tilegpu.num_warps = 1 : i32} {
  // CHECK-LABEL: func @wmma
  func.func @wmma(%a: vector<8xi16>, %c: vector<8xf32>, %i: vector<2xi32>, %s: vector<8xi32>) {
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.wmma.f32.16x16x16.bf16"(%{{.*}}) : (vector<8xi16>, vector<8xi16>, vector<8xf32>) -> vector<8xf32>
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.wmma.i32.16x16x16.iu8"(%[[YES:.*]], %{{.*}}, %[[YES]], %{{.*}}, %{{.*}}, %{{.*}}) : (i1, vector<2xi32>, i1, vector<2xi32>, vector<8xi32>, i1) -> vector<8xi32>
    %0 = thread.mma "wmma12.m16n16k16.bf16.bf16.f32" %a by %a into %c : vector<8xi16> by vector<8xi16> into vector<8xf32>
    %1 = thread.mma "wmma12.m16n16k16.s8.s8.s32" %i by %i into %s : vector<2xi32> by vector<2xi32> into vector<8xi32>
    return
  }
}

// -----

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 4 : i32} {
  // CHECK-LABEL: func @fail
  // CHECK-SAME: %[[FAILS:.*]]: i1, %[[P:.*]]: !llvm.ptr
  func.func @fail(%fails: i1, %p: !llvm.ptr) {
    // CHECK: scf.if %[[FAILS]] {
    // CHECK-NEXT: llvm.store
    // CHECK-NEXT: }
    // CHECK-NEXT: %[[LANES:.*]] = llvm.call_intrinsic "llvm.amdgcn.ballot.i64"(%[[FAILS]]) : (i1) -> i64
    // CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[LANES]]
    // CHECK-NEXT: scf.if %[[ANY]] {
    // CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.endpgm"() : () -> ()
    scf.if %fails {
      llvm.store %fails, %p : i1, !llvm.ptr
      thread.fail "x is negative"
    }
    return
  }
}

// -----

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 4 : i32} {
  // CHECK: llvm.mlir.global external protected @tilewright_prints(0 : i64) {addr_space = 1 : i32, alignment = 8 : i64, externally_initialized} : i64
  // CHECK-LABEL: func @print
  // CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: f64
  func.func @print(%x: i32, %y: f64) {
    // CHECK-DAG: %[[A:.*]] = arith.extui %[[X]]
    // CHECK-DAG: %[[B:.*]] = arith.bitcast %[[Y]]
    // CHECK: %[[BUFFER:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> i64
    // CHECK: scf.if
    // CHECK: %[[BEGIN:.*]] = scf.while
    // CHECK: llvm.load %{{.*}} atomic monotonic
    // CHECK: llvm.cmpxchg %{{.*}} acq_rel monotonic
    // CHECK: llvm.atomicrmw add
    // CHECK: scf.if
    // CHECK: %[[HEADER:.*]] = arith.constant 8589934597 : i64
    // CHECK: llvm.store %[[A]]
    // CHECK: llvm.store %[[B]]
    // CHECK: llvm.store %[[HEADER]], %{{.*}} atomic release
    thread.print "x: %d %g\n" %x, %y : i32, f64
    return
  }
}
