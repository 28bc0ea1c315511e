// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// Every operation round-trips.

#blocked = #tilegpu.layout<register = [[0, 1], [4, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = [] : 8x8>
#half = #tilegpu.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = [] : 4x8>
#column = #tilegpu.layout<register = [[1, 0], [0, 4]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 0]], warp = [], block = [] : 8x8>
#rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] : 8x8>

// CHECK-DAG: #[[BLOCKED:layout[0-9]*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [4, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = [] : 8x8>
// CHECK-DAG: #[[ROWS:shared[0-9]*]] = #tilegpu.layout<offset = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]] : 8x8>

// CHECK-LABEL: @moves
func.func @moves(%p: tensor<8x8x!tile.ptr<f16>, #blocked>, %m: tensor<8x8xi1, #blocked>, %x: tensor<8x8xf16, #blocked>,
                 %i: i32, %even: i1) -> tensor<8x8xf16, #column> {
  // CHECK: tilegpu.convert_layout %{{.*}} : tensor<8x8xf16, #[[BLOCKED]]> -> tensor<8x8xf16, #{{.*}}>
  %0 = tilegpu.convert_layout %x : tensor<8x8xf16, #blocked> -> tensor<8x8xf16, #column>
  // CHECK: tilegpu.extract_slice %{{.*}} from [4, 0] : tensor<8x8xf16, #[[BLOCKED]]> -> tensor<4x8xf16, #{{.*}}>
  %upper = tilegpu.extract_slice %x from [4, 0] : tensor<8x8xf16, #blocked> -> tensor<4x8xf16, #half>
  // CHECK: tilegpu.local_alloc : <8x8xf16, #[[ROWS]], 3>
  %1 = tilegpu.local_alloc : !tilegpu.buffer<8x8xf16, #rows, 3>
  // CHECK: tilegpu.local_alloc at 128 : <8x8xf16, #[[ROWS]]>
  %2 = tilegpu.local_alloc at 128 : !tilegpu.buffer<8x8xf16, #rows>
  // CHECK: tilegpu.local_slot %{{.*}}[%{{.*}}] : <8x8xf16, #[[ROWS]], 3> -> <8x8xf16, #[[ROWS]]>
  %3 = tilegpu.local_slot %1[%i] : !tilegpu.buffer<8x8xf16, #rows, 3> -> !tilegpu.buffer<8x8xf16, #rows>
  // CHECK: %[[NEXT:.*]], %[[PHASE:.*]] = tilegpu.ring_next %{{.*}}, %{{.*}} of 3
  // CHECK: tilegpu.local_slot %{{.*}}[%[[NEXT]] phase %[[PHASE]]] : <8x8xf16, #[[ROWS]], 3> -> <8x8xf16, #[[ROWS]]>
  %next, %phase = tilegpu.ring_next %i, %even of 3
  %at_next = tilegpu.local_slot %1[%next phase %phase] : !tilegpu.buffer<8x8xf16, #rows, 3> -> !tilegpu.buffer<8x8xf16, #rows>
  // CHECK: tilegpu.local_store %{{.*}}, %{{.*}} : tensor<8x8xf16, #[[BLOCKED]]> -> <8x8xf16, #[[ROWS]]>
  tilegpu.local_store %x, %2 : tensor<8x8xf16, #blocked> -> !tilegpu.buffer<8x8xf16, #rows>
  // CHECK: %[[COPY:.*]] = tilegpu.async_copy %{{.*}}, %{{.*}} mask %{{.*}} other %{{.*}} : tensor<8x8x!tile.ptr<f16>, #[[BLOCKED]]> ->
  %copy = tilegpu.async_copy %p, %3 mask %m other %x : tensor<8x8x!tile.ptr<f16>, #blocked> -> !tilegpu.buffer<8x8xf16, #rows>,
    mask tensor<8x8xi1, #blocked>, other tensor<8x8xf16, #blocked>
  // CHECK: %[[GROUP:.*]] = tilegpu.async_commit of %[[COPY]]
  %group = tilegpu.async_commit of %copy
  // CHECK: %[[DONE:.*]] = tilegpu.async_wait %[[GROUP]] pending 0
  %done = tilegpu.async_wait %group pending 0
  // CHECK: tilegpu.barrier
  tilegpu.barrier
  // CHECK: tilegpu.local_load %{{.*}} after %[[DONE]] : <8x8xf16, #[[ROWS]]> -> tensor<8x8xf16, #[[BLOCKED]]>
  %4 = tilegpu.local_load %2 after %done : !tilegpu.buffer<8x8xf16, #rows> -> tensor<8x8xf16, #blocked>
  // CHECK: tilegpu.local_gather %{{.*}}[%{{.*}}] 1 : <8x8xf16, #[[ROWS]]>, tensor<8x8xi32, #[[BLOCKED]]> -> tensor<8x8xf16, #[[BLOCKED]]>
  %5 = arith.constant dense<0> : tensor<8x8xi32, #blocked>
  %6 = tilegpu.local_gather %2[%5] 1 : !tilegpu.buffer<8x8xf16, #rows>, tensor<8x8xi32, #blocked> -> tensor<8x8xf16, #blocked>
  return %0 : tensor<8x8xf16, #column>
}

// CHECK-LABEL: @scheduled
func.func @scheduled(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: arith.addi {{.*}} {tilegpu.schedule = #tilegpu.schedule<stage = 1, cluster = 2, partition = 3>}
    %0 = arith.addi %i, %i {tilegpu.schedule = #tilegpu.schedule<stage = 1, cluster = 2, partition = 3>} : i32
  }
  return
}

// How a launch makes the tensor maps of a kernel.
// CHECK-LABEL: func.func @tensorMaps
// CHECK-SAME: tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>
// CHECK-SAME: [#tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64>, #tilegpu.tensor_map<f8E4M3FN, slot = 0, extents = [2], strides = [], box = [16], swizzle = 0, offset = 3>,
// CHECK-SAME: #tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64, nanFill = true>]
func.func @tensorMaps(%x: !tile.ptr<f16>, %rows: i64, %columns: i64, %a: !llvm.ptr {thread.tensor_map},
                      %b: !llvm.ptr {thread.tensor_map}, %c: !llvm.ptr {thread.tensor_map}) attributes {
    tilegpu.tensor_maps = [
      #tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64>,
      #tilegpu.tensor_map<f8E4M3FN, slot = 0, extents = [2], strides = [], box = [16], swizzle = 0, offset = 3>,
      #tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64, offset = -1, nanFill = true>],
    tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>} {
  return
}

// CHECK-LABEL: @boxes
func.func @boxes(%array: !tile.ptr<f16>, %i: i32, %c: i1) {
  %0 = tilegpu.local_alloc : !tilegpu.buffer<8x8xf16, #rows>
  // CHECK: tilegpu.box_store 0[%{{.*}}, %{{.*}}] of %{{.*}} from %{{.*}} : <f16>, <8x8xf16, #[[ROWS]]>
  tilegpu.box_store 0[%i, %i] of %array from %0 : !tile.ptr<f16>, !tilegpu.buffer<8x8xf16, #rows>
  // CHECK: tilegpu.box_store 1[%{{.*}}, %{{.*}}] of %{{.*}} from %{{.*}} by_groups apart evict_first if %{{.*}} : <f16>, <8x8xf16, #[[ROWS]]>
  tilegpu.box_store 1[%i, %i] of %array from %0 by_groups apart evict_first if %c : !tile.ptr<f16>, !tilegpu.buffer<8x8xf16, #rows>
  // CHECK: tilegpu.box_store 2[%{{.*}}] of %{{.*}} from %{{.*}} evict_first if %{{.*}} : <f16>, <8x8xf16, #[[ROWS]]>
  tilegpu.box_store 2[%i] of %array from %0 evict_first if %c : !tile.ptr<f16>, !tilegpu.buffer<8x8xf16, #rows>
  // CHECK: tilegpu.box_store 2[%{{.*}}] of %{{.*}} from %{{.*}} apart reduce <fadd> : <f16>, <8x8xf16, #[[ROWS]]>
  tilegpu.box_store 2[%i] of %array from %0 apart reduce <fadd> : !tile.ptr<f16>, !tilegpu.buffer<8x8xf16, #rows>
  // CHECK: tilegpu.box_store_wait %{{.*}} by_groups read : <8x8xf16, #[[ROWS]]>
  tilegpu.box_store_wait %0 by_groups read : !tilegpu.buffer<8x8xf16, #rows>
  return
}

// CHECK-LABEL: @groupMma
// CHECK-SAME: %[[A:.*]]: tensor<64x16xf16>, %[[B:.*]]: tensor<16x64xf16>, %[[C:.*]]: tensor<64x64xf32>, %[[IF:.*]]: i1
func.func @groupMma(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %c: tensor<64x64xf32>, %if: i1) {
  // CHECK: tilegpu.group_mma "m64k16.f16.f16.f32" %[[A]], %[[B]], %[[C]] : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
  // CHECK: tilegpu.group_mma "m64k16.f16.f16.f32" async %[[A]], %[[B]], %[[C]] if %[[IF]] : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
  // CHECK: tilegpu.group_mma "m64k16.f16.f16.f32" async %[[A]] registers, %[[B]], %[[C]] if %[[IF]] transposed : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
  %0 = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %c : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
  %1 = tilegpu.group_mma "m64k16.f16.f16.f32" async %a, %b, %c if %if : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
  %2 = tilegpu.group_mma "m64k16.f16.f16.f32" async %a registers, %b, %c if %if transposed : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
  return
}

// The kernel starts with 168 registers for each of 12 warps, which is what four of 24 and eight of 240 have.
module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32, tilegpu.registers = 168 : i32} {
  // CHECK-LABEL: @partitions
  func.func @partitions() {
    // CHECK: tilegpu.specialize_warps registers [24, 240] producer {
    // CHECK-NEXT: tilegpu.barrier joint {tilegpu.partition = 1 : i64}
    // CHECK-NEXT: } consumers {
    // CHECK-NEXT: tilegpu.barrier joint{{$}}
    // CHECK-NEXT: tilegpu.barrier{{$}}
    // CHECK-NEXT: }
    tilegpu.specialize_warps registers [24, 240] producer {
      tilegpu.barrier joint {tilegpu.partition = 1 : i64}
    } consumers {
      tilegpu.barrier joint
      tilegpu.barrier
    }
    // CHECK: tilegpu.specialize_warps producer {
    // CHECK-NEXT: } consumers {
    // CHECK-NEXT: }
    tilegpu.specialize_warps producer {
    } consumers {
    }
    return
  }
}
