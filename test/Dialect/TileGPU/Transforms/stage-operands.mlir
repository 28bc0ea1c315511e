// RUN: tilewright-opt %s --raise-conversions --stage-operands | FileCheck %s

// The layout of a load, 16 bytes per thread along rows, and the layouts of mma.sync operands for 2 x 2 warps.
#load_a = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#a = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = [] : 64x32>
#load_b = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 32x64>
#b = #tilegpu.layout<register = [[1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = [] : 32x64>
#load_bt = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#loaded_bt = #tilegpu.layout<register = [[1, 0], [2, 0], [4, 0], [0, 32]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]], block = [] : 32x64>
#load_tall = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 128x32>
#tall = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = [] : 128x32>
#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = [] : 128>
#flip = #tilegpu.layout<register = [], lane = [[2], [1], [4], [8], [16]], warp = [[32], [64]], block = [] : 128>
#one = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]], block = [] : 64>
#twice = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [[16], [32]], block = [] : 64>

// Rows of 16 bytes stay contiguous. The eight rows of a matrix, and those that eight lanes write, differ in the three
// bits above and in the two or three highest, which swizzle chunks: they cover all banks.
// CHECK-DAG: #[[A:.*]] = #tilegpu.layout<offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [4, 0], [32, 0], [8, 0], [16, 0], [2, 8], [4, 16]] : 64x32>
// CHECK-DAG: #[[B:.*]] = #tilegpu.layout<offset = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [16, 0], [8, 0], [1, 8], [2, 16], [4, 32]] : 32x64>
// Loaded lines stay lines: two rows of 64 bytes each, with 16-byte chunks swizzled by the line's index.
// CHECK-DAG: #[[TALL:.*]] = #tilegpu.layout<offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0], [64, 0]] : 128x32>
// CHECK-DAG: #[[ANY:.*]] = #tilegpu.layout<offset = {{\[\[}}0, 1], [32, 0], [64, 0], {{.*}} : 128x32>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @operandA
  func.func @operandA(%x: tensor<64x32xf16, #load_a>) -> tensor<64x32xf16, #a> {
    // CHECK: %[[M:.*]] = tilegpu.local_alloc : <64x32xf16, #[[A]]>
    // CHECK: tilegpu.local_store %{{.*}}, %[[M]]
    // CHECK: tilegpu.local_load %[[M]] : <64x32xf16, #[[A]]> -> tensor<64x32xf16
    %0 = tilegpu.convert_layout %x : tensor<64x32xf16, #load_a> -> tensor<64x32xf16, #a>
    return %0 : tensor<64x32xf16, #a>
  }

  // Rows of B are loaded by ldmatrix with transposition.
  // CHECK-LABEL: @operandB
  func.func @operandB(%x: tensor<32x64xf16, #load_b>) -> tensor<32x64xf16, #b> {
    // CHECK: tilegpu.local_alloc : <32x64xf16, #[[B]]>
    %0 = tilegpu.convert_layout %x : tensor<32x64xf16, #load_b> -> tensor<32x64xf16, #b>
    return %0 : tensor<32x64xf16, #b>
  }

  // Elements that are contiguous in memory can only be copied asynchronously if they are contiguous in the buffer.
  // Otherwise, registers common to both sides make equally wide vectors.
  // CHECK-LABEL: @loaded
  func.func @loaded(%p: tensor<128x32x!tile.ptr<f16>, #load_tall>) -> tensor<128x32xf16, #tall> {
    // CHECK: tilegpu.local_alloc : <128x32xf16, #[[TALL]]>
    // CHECK: tilegpu.local_alloc : <128x32xf16, #[[ANY]]>
    %x = tile.load %p contiguity [1, 32] width [1, 8] : tensor<128x32x!tile.ptr<f16>, #load_tall> -> tensor<128x32xf16, #load_tall>
    %0 = tilegpu.convert_layout %x : tensor<128x32xf16, #load_tall> -> tensor<128x32xf16, #tall>
    %y = arith.negf %x : tensor<128x32xf16, #load_tall>
    %1 = tilegpu.convert_layout %y : tensor<128x32xf16, #load_tall> -> tensor<128x32xf16, #tall>
    %2 = arith.addf %0, %1 : tensor<128x32xf16, #tall>
    return %2 : tensor<128x32xf16, #tall>
  }

  // The loaded tile is staged unchanged: as bytes, and not yet transposed.
  // CHECK-LABEL: @afterTheLoad
  func.func @afterTheLoad(%p: tensor<64x32x!tile.ptr<f8E4M3FN>, #load_bt>) -> tensor<32x64xf16, #b> {
    // CHECK: %[[X:.*]] = tile.load
    // CHECK: %[[M:.*]] = tilegpu.local_alloc : <64x32xf8E4M3FN
    // CHECK: tilegpu.local_store %[[X]], %[[M]]
    // CHECK: %[[Y:.*]] = tilegpu.local_load %[[M]]
    // CHECK: %[[W:.*]] = arith.extf %[[Y]]
    // CHECK: %[[T:.*]] = tile.trans %[[W]] [1, 0]
    // CHECK: return %[[T]]
    %x = tile.load %p : tensor<64x32x!tile.ptr<f8E4M3FN>, #load_bt> -> tensor<64x32xf8E4M3FN, #load_bt>
    %w = arith.extf %x : tensor<64x32xf8E4M3FN, #load_bt> to tensor<64x32xf16, #load_bt>
    %t = tile.trans %w [1, 0] : tensor<64x32xf16, #load_bt> -> tensor<32x64xf16, #loaded_bt>
    %0 = tilegpu.convert_layout %t : tensor<32x64xf16, #loaded_bt> -> tensor<32x64xf16, #b>
    return %0 : tensor<32x64xf16, #b>
  }

  // CHECK-LABEL: @insideWarps
  func.func @insideWarps(%x: tensor<128xf32, #line>) -> tensor<128xf32, #flip> {
    // CHECK-NEXT: tilegpu.convert_layout
    %0 = tilegpu.convert_layout %x : tensor<128xf32, #line> -> tensor<128xf32, #flip>
    return %0 : tensor<128xf32, #flip>
  }

  // One lane of each pair executes the atomic and shares the result.
  // CHECK-LABEL: @atomicWithCopies
  func.func @atomicWithCopies(%p: tensor<64x!tile.ptr<i32>, #twice>, %v: tensor<64xi32, #twice>) -> tensor<64xi32, #twice> {
    // CHECK: %[[R:.*]] = tile.atomic_rmw
    // CHECK: %[[M:.*]] = tilegpu.local_alloc
    // CHECK: tilegpu.local_store %[[R]], %[[M]]
    // CHECK: %[[S:.*]] = tilegpu.local_load %[[M]]
    // CHECK: return %[[S]]
    %r = tile.atomic_rmw #tile.rmw<add> %p, %v : tensor<64x!tile.ptr<i32>, #twice>, tensor<64xi32, #twice>
    return %r : tensor<64xi32, #twice>
  }

  // CHECK-LABEL: @scalarAtomic
  func.func @scalarAtomic(%p: !tile.ptr<i32>, %v: i32) -> i32 {
    // CHECK: %[[R:.*]] = tile.atomic_rmw
    // CHECK: %[[T:.*]] = tile.splat %[[R]] : tensor<1xi32
    // CHECK: tilegpu.local_store %[[T]], %[[M:.*]] :
    // CHECK: %[[S:.*]] = tilegpu.local_load %[[M]]
    // CHECK: %[[E:.*]] = tile.reduce(%[[S]]) 0
    // CHECK: return %[[E]]
    %r = tile.atomic_rmw #tile.rmw<add> %p, %v : !tile.ptr<i32>, i32
    return %r : i32
  }

  // CHECK-LABEL: @unusedResult
  func.func @unusedResult(%p: !tile.ptr<i32>, %v: i32) {
    // CHECK-NEXT: tile.atomic_rmw
    // CHECK-NEXT: return
    %r = tile.atomic_rmw #tile.rmw<add> %p, %v : !tile.ptr<i32>, i32
    return
  }
}
