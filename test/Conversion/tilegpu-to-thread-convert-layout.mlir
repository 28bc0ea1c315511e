// tilegpu-to-thread: layouts change by selects and shuffles within a warp.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#ab = #tilegpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [] : 128>
#ba = #tilegpu.layout<register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [] : 128>
#lane = #tilegpu.layout<register = [[1], [4]], lane = [[2], [8], [16], [32], [64]], warp = [], block = [] : 128>
#far = #tilegpu.layout<register = [[1], [2]], lane = [[64], [32], [16], [8], [4]], warp = [], block = [] : 128>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @registers
  // CHECK-NEXT: %[[R:.*]] = vector.shuffle %{{.*}}, %{{.*}} [0, 2, 1, 3] : vector<4xf16>, vector<4xf16>
  // CHECK-NEXT: return %[[R]]
  func.func @registers(%x: tensor<128xf16, #ab>) -> tensor<128xf16, #ba> {
    %0 = tilegpu.convert_layout %x : tensor<128xf16, #ab> -> tensor<128xf16, #ba>
    return %0 : tensor<128xf16, #ba>
  }

  // Exchanging a register bit with a lane bit: half of the registers are shuffled, between two selects.
  // CHECK-LABEL: func.func @exchange
  // CHECK: arith.select
  // CHECK-COUNT-2: thread.shuffle <xor> {{.*}} : f32
  // CHECK-NOT: thread.shuffle
  // CHECK: arith.select
  func.func @exchange(%x: tensor<128xf32, #ab>) -> tensor<128xf32, #lane> {
    %0 = tilegpu.convert_layout %x : tensor<128xf32, #ab> -> tensor<128xf32, #lane>
    return %0 : tensor<128xf32, #lane>
  }

  // Four 16-bit registers from the same lane are two words, four 64-bit registers are eight.
  // CHECK-LABEL: func.func @narrow
  // CHECK: vector.bitcast %{{.*}} : vector<4xf16> to vector<2xi32>
  // CHECK-COUNT-2: thread.shuffle <index> {{.*}} : i32
  // CHECK-NOT: thread.shuffle
  func.func @narrow(%x: tensor<128xf16, #ab>) -> tensor<128xf16, #far> {
    %0 = tilegpu.convert_layout %x : tensor<128xf16, #ab> -> tensor<128xf16, #far>
    return %0 : tensor<128xf16, #far>
  }

  // CHECK-LABEL: func.func @pointers
  // CHECK: llvm.ptrtoint %{{.*}} : vector<4x!llvm.ptr<1>> to vector<4xi64>
  // CHECK-COUNT-8: thread.shuffle <index>
  // CHECK: llvm.inttoptr %{{.*}} : vector<4xi64> to vector<4x!llvm.ptr<1>>
  func.func @pointers(%x: tensor<128x!tile.ptr<f32>, #ab>) -> tensor<128x!tile.ptr<f32>, #far> {
    %0 = tilegpu.convert_layout %x : tensor<128x!tile.ptr<f32>, #ab> -> tensor<128x!tile.ptr<f32>, #far>
    return %0 : tensor<128x!tile.ptr<f32>, #far>
  }

  // CHECK-LABEL: func.func @bits
  // CHECK: arith.extui %{{.*}} : vector<4xi1> to vector<4xi8>
  // CHECK-COUNT-1: thread.shuffle <index>
  // CHECK-NOT: thread.shuffle
  // CHECK: arith.trunci %{{.*}} : vector<4xi8> to vector<4xi1>
  func.func @bits(%x: tensor<128xi1, #ab>) -> tensor<128xi1, #far> {
    %0 = tilegpu.convert_layout %x : tensor<128xi1, #ab> -> tensor<128xi1, #far>
    return %0 : tensor<128xi1, #far>
  }
}

// -----

#here = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [] : 64>
#there = #tilegpu.layout<register = [], lane = [[32], [2], [4], [8], [16]], warp = [[1]], block = [] : 64>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  func.func @warps(%x: tensor<64xf32, #here>) -> tensor<64xf32, #there> {
    // expected-error @+2 {{a conversion between warps goes through shared memory, which was not allocated for it}}
    // expected-error @+1 {{failed to legalize operation}}
    %0 = tilegpu.convert_layout %x : tensor<64xf32, #here> -> tensor<64xf32, #there>
    return %0 : tensor<64xf32, #there>
  }
}

// -----

// The halves of a warp on RDNA exchange registers by v_permlanex16. Where each lane needs what both hold, a selection
// follows for each half, instead of two shuffles by an index; LLVM merges the exchanges, which are the same ones. That is
// the way from a result of WMMA to an operand.
#result = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8]], warp = [], block = [] : 16x16>
#operand = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]], warp = [], block = [] : 16x16>
// The lowest lane bit is not one that is exchanged.
#other = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [2, 0], [4, 0], [8, 0], [1, 0]], warp = [], block = [] : 16x16>
#whole = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 0], [2, 0], [4, 0], [8, 0], [1, 0]], warp = [], block = [] : 16x16>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "gfx1100"} {
  // CHECK-LABEL: func.func @halves
  // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : i32
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK: %[[OWN0:.*]] = vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7]
  // CHECK: %[[BIT:.*]] = arith.andi %{{.*}}, %[[C16]] : i32
  // CHECK: %[[UPPER:.*]] = arith.cmpi ne, %[[BIT]], %[[C0]] : i32
  // CHECK-COUNT-4: thread.shuffle <xor> %{{.*}}, %[[C16]] : i32
  // CHECK: %[[OTHER0:.*]] = vector.bitcast %{{.*}} : vector<4xi32> to vector<8xf16>
  // CHECK: arith.select %[[UPPER]], %[[OTHER0]], %[[OWN0]] : vector<8xf16>
  // CHECK: %[[OWN1:.*]] = vector.shuffle %{{.*}} [8, 9, 10, 11, 12, 13, 14, 15]
  // CHECK-COUNT-4: thread.shuffle <xor> %{{.*}}, %[[C16]] : i32
  // CHECK: %[[OTHER1:.*]] = vector.bitcast %{{.*}} : vector<4xi32> to vector<8xf16>
  // CHECK: arith.select %[[UPPER]], %[[OWN1]], %[[OTHER1]] : vector<8xf16>
  // CHECK-NOT: thread.shuffle
  func.func @halves(%x: tensor<16x16xf16, #result>) -> tensor<16x16xf16, #operand> {
    %0 = tilegpu.convert_layout %x : tensor<16x16xf16, #result> -> tensor<16x16xf16, #operand>
    return %0 : tensor<16x16xf16, #operand>
  }

  // CHECK-LABEL: func.func @neighbors
  // CHECK-NOT: arith.select
  // CHECK-COUNT-8: thread.shuffle <index>
  func.func @neighbors(%x: tensor<16x16xf16, #other>) -> tensor<16x16xf16, #whole> {
    %0 = tilegpu.convert_layout %x : tensor<16x16xf16, #other> -> tensor<16x16xf16, #whole>
    return %0 : tensor<16x16xf16, #whole>
  }
}

// -----

// Other GPUs shuffle by an index.
#result = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8]], warp = [], block = [] : 16x16>
#operand = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 0]], warp = [], block = [] : 16x16>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @halves
  // CHECK-NOT: arith.select
  // CHECK-COUNT-8: thread.shuffle <index>
  func.func @halves(%x: tensor<16x16xf16, #result>) -> tensor<16x16xf16, #operand> {
    %0 = tilegpu.convert_layout %x : tensor<16x16xf16, #result> -> tensor<16x16xf16, #operand>
    return %0 : tensor<16x16xf16, #operand>
  }
}
