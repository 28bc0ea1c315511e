// RUN: tilewright-opt %s --tile-to-vector=features=+avx512f --canonicalize --cse | FileCheck %s

// A kernel becomes a loop over a range of programs; its arguments are loaded from slots.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %[[ARGS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %{{.*}}: !llvm.ptr) -> i32
// CHECK-SAME: tile.scratch_bytes = 0
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[ARGS]][1]
// CHECK: %[[OUT:.*]] = llvm.load %[[SLOT]]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// Consecutive elements are one vector access, without a mask if there is none.
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<64xf32>
// CHECK: llvm.store %[[V]], %{{.*}} : vector<64xf32>, !llvm.ptr
func.func @copy(%in: !tile.ptr<f32> {tile.slot = 0 : i32, tile.noalias},
                %out: !tile.ptr<f32> {tile.slot = 1 : i32, tile.noalias}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %ins, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %to = tile.addptr %outs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %from : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  tile.store %to, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// If input and output may overlap, the whole tile is read before it is written.
// CHECK-LABEL: func.func @overlapping(
// CHECK-SAME: tile.scratch_bytes = 1024
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<64xf32>
// CHECK: }
// CHECK: scf.for
// CHECK: llvm.store %{{.*}} : vector<64xf32>
func.func @overlapping(%in: !tile.ptr<f32> {tile.slot = 0 : i32},
                       %out: !tile.ptr<f32> {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %ins, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %to = tile.addptr %outs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %from : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  tile.store %to, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// A reduction keeps one partial result per lane in the loop and combines them after it; its operand, which is read
// again later, is kept in scratch memory.
// CHECK-LABEL: func.func @normalize(
// CHECK: scf.for
// CHECK: %[[LANES:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (vector<64xf32>)
// CHECK: llvm.store %[[X:.*]], %{{.*}} : vector<64xf32>
// CHECK: arith.addf %[[ACC]], %[[X]]
// CHECK: vector.shuffle %[[LANES]]
// CHECK: scf.for
// CHECK: arith.divf
func.func @normalize(%in: !tile.ptr<f32> {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %ptrs = tile.addptr %ins, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ptrs : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %sum = tile.reduce (%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : (tensor<256xf32>) -> f32
  %sums = tile.splat %sum : tensor<256xf32>
  %y = arith.divf %x, %sums : tensor<256xf32>
  tile.store %ptrs, %y : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// A mask of consecutive numbers below a bound is computed from the number of remaining lanes.
// CHECK-LABEL: func.func @bounds(
// CHECK: %[[LANES:.*]] = arith.constant dense<[0, 1, 2,
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// CHECK: %[[SOME:.*]] = arith.maxsi %[[LEFT]], %c0_i64
// CHECK: %[[COUNT:.*]] = arith.minsi %[[SOME]], %c64_i64
// CHECK: %[[NARROW:.*]] = arith.trunci %[[COUNT]]
// CHECK: %[[COUNTS:.*]] = vector.broadcast %[[NARROW]]
// CHECK: %[[MASK:.*]] = arith.cmpi sgt, %[[COUNTS]], %[[LANES]] : vector<64xi32>
// Full vectors are stored without a mask.
// CHECK: %[[FULL:.*]] = arith.cmpi eq, %[[COUNT]], %c64_i64
// CHECK: scf.if %[[FULL]]
// CHECK: llvm.store
// CHECK: } else {
// CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[MASK]]
func.func @bounds(%p: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %s = tile.splat %p : tensor<256x!tile.ptr<f32>>
  %ns = tile.splat %n : tensor<256xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<256xi32>
  %ptr = tile.addptr %s, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %ptr, %one mask %mask : tensor<256x!tile.ptr<f32>>, tensor<256xf32>, mask tensor<256xi1>
  return
}

// Streaming stores bypass the cache; a fence orders them before the end of the function.
// CHECK-LABEL: func.func @streamed(
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64, nontemporal} : vector<64xf32>, !llvm.ptr
// CHECK: llvm.fence seq_cst
func.func @streamed(%p: !tile.ptr<f32> {tile.slot = 0 : i32, tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %s = tile.splat %p : tensor<256x!tile.ptr<f32>>
  %ptr = tile.addptr %s, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %ptr, %one {cache = #tile.cache<cs>} : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// A branch yields addresses through memory, in elements of 64 bits.
// CHECK-LABEL: func.func @pointers_from_a_branch(
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : vector<8x!llvm.ptr>, !llvm.ptr
// CHECK: } else {
// CHECK: llvm.store %{{.*}} : vector<8x!llvm.ptr>, !llvm.ptr
// CHECK: llvm.intr.masked.gather
func.func @pointers_from_a_branch(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %y: !tile.ptr<f32> {tile.slot = 1 : i32},
                                  %c: i1 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<256x!tile.ptr<f32>>
  %two = arith.constant dense<2> : tensor<256xi32>
  %even = arith.muli %r, %two : tensor<256xi32>
  %to = tile.addptr %xs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %p = scf.if %c -> tensor<256x!tile.ptr<f32>> {
    %q = tile.addptr %xs, %even : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    scf.yield %q : tensor<256x!tile.ptr<f32>>
  } else {
    %q = tile.addptr %ys, %even : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    scf.yield %q : tensor<256x!tile.ptr<f32>>
  }
  %v = tile.load %p : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  tile.store %to, %v : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// Hints affect memory accesses and are dropped.
// CHECK-LABEL: func.func @hinted(
// CHECK-NOT: tile.hint
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<64xf32>
func.func @hinted(%in: !tile.ptr<f32> {tile.slot = 0 : i32, tile.noalias},
                  %out: !tile.ptr<f32> {tile.slot = 1 : i32, tile.noalias},
                  %n: i32 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %h = tile.hint %n divisibility [64] : i32
  %ns = tile.splat %h : tensor<256xi32>
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %m = arith.remui %r, %ns : tensor<256xi32>
  %i = tile.hint %m contiguity [64] divisibility [64] : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %ins, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %to = tile.addptr %outs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %from : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  tile.store %to, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// Bytes that are passed by value are read where the launch has them.
// CHECK-LABEL: func.func @by_value(
// CHECK-SAME: %[[ARGS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> i32
// CHECK: %[[MAP:.*]] = llvm.getelementptr %[[ARGS]][8] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: %[[A:.*]] = llvm.getelementptr %[[MAP]][16] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.load %[[A]] : !llvm.ptr -> i32
func.func @by_value(%out: !tile.ptr<i32> {tile.slot = 0 : i32},
                    %map: !tile.bytes<128, 64> {tile.slot = 8 : i32}) attributes {tile.kernel} {
  %x = tile.read_bytes %map[16] : <128, 64> -> i32
  tile.store %out, %x : !tile.ptr<i32>, i32
  return
}
