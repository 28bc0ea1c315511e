// tile.histogram through every level.
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics | tilewright-opt --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --tile-to-vector | FileCheck %s --check-prefix=CPU
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --assign-layouts="target=sm_90a num-warps=2" --decompose-reductions | FileCheck %s --check-prefix=GPU
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --assign-layouts="target=sm_90a num-warps=2" --decompose-reductions --allocate-shared --insert-barriers --tilegpu-to-thread --canonicalize --cse | FileCheck %s --check-prefix=THREAD

// CHECK-LABEL: func.func @counts
// CHECK: tile.histogram %{{.*}} 4 : tensor<16xi32> -> tensor<4xi32>

// The loaded tile is in scratch memory, and so are the counts.
// CPU-LABEL: func.func @counts
// CPU: llvm.store %{{.*}} : vector<16xi32>, !llvm.ptr
// CPU: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr
// CPU: scf.for
// CPU: %[[ELEMENT:.*]] = llvm.load %{{.*}} -> i32
// CPU: %[[INSIDE:.*]] = arith.cmpi ult, %[[ELEMENT]], %c4_i32 : i32
// CPU: scf.if %[[INSIDE]] {
// CPU: arith.extui %[[ELEMENT]] : i32 to i64
// CPU: arith.addi

// GPU-LABEL: func.func @counts
// GPU: %[[X:.*]] = tile.load
// GPU: %[[BUFFER:.*]] = tilegpu.local_alloc : <4xi32
// GPU: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<4xi32
// GPU: tilegpu.local_store %[[ZEROS]], %[[BUFFER]]
// GPU: tilegpu.local_histogram %[[X]], %[[BUFFER]]
// GPU: tilegpu.local_load %[[BUFFER]]

// 64 threads hold 16 elements: bits 4 and 5 of the thread's index are zero where it owns an element.
// THREAD-LABEL: func.func @counts
// THREAD: llvm.store
// THREAD: thread.barrier
// THREAD: %[[INSIDE:.*]] = arith.cmpi ult, %[[ELEMENT:.*]], %c4_i32 : i32
// THREAD: %[[COUNTED:.*]] = arith.andi %[[INSIDE]], %{{.*}} : i1
// THREAD: %[[BIN:.*]] = llvm.getelementptr %{{.*}}[%[[ELEMENT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
// THREAD: thread.atomic_rmw <add> <relaxed> <cta> %[[BIN]], %c1_i32 mask %[[COUNTED]] : <3>, i32
// THREAD: thread.barrier
// THREAD: llvm.load
func.func @counts(%x: !tile.ptr<i32>, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16 : tensor<16xi32>
  %p = tile.splat %x : tensor<16x!tile.ptr<i32>>
  %at = tile.addptr %p, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %v = tile.load %at : tensor<16x!tile.ptr<i32>> -> tensor<16xi32>
  %h = tile.histogram %v 4 : tensor<16xi32> -> tensor<4xi32>
  %bin = tile.make_range 0 to 4 : tensor<4xi32>
  %q = tile.splat %out : tensor<4x!tile.ptr<i32>>
  %to = tile.addptr %q, %bin : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %to, %h : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  return
}

// -----

func.func @narrow(%x: tensor<16xi8>) {
  // expected-error @+1 {{operand #0 must be 1D tensor of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<16xi8>'}}
  %h = tile.histogram %x 4 : tensor<16xi8> -> tensor<4xi32>
  return
}

// -----

func.func @length(%x: tensor<16xi32>) {
  // expected-error @+2 {{'tile.histogram' op inferred type(s) 'tensor<8xi32>' are incompatible with return type(s) of operation 'tensor<4xi32>'}}
  // expected-error @+1 {{'tile.histogram' op failed to infer returned types}}
  %h = tile.histogram %x 8 : tensor<16xi32> -> tensor<4xi32>
  return
}

// -----

#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [1, 0]] : 2x4>
func.func @buffer(%x: tensor<16xi32>) {
  %b = tilegpu.local_alloc : !tilegpu.buffer<2x4xi32, #shared>
  // expected-error @+1 {{needs a buffer of rank 1 with elements of type i32, not '!tilegpu.buffer<2x4xi32}}
  tilegpu.local_histogram %x, %b : tensor<16xi32> -> !tilegpu.buffer<2x4xi32, #shared>
  return
}
