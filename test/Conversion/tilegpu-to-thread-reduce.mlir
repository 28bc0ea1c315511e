// tilegpu-to-thread: reductions within a warp, and barriers.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#line = #tilegpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [] : 128>
#square = #tilegpu.layout<register = [[1, 0], [0, 1]], lane = [[0, 2], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = [] : 32x4>
#column = #tilegpu.layout<register = [[1]], lane = [[0], [2], [4], [8], [16]], warp = [], block = [] : 32>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Registers first, half of them at a time, then lanes.
  // CHECK-LABEL: func.func @sum
  // CHECK: arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK: %[[MINE:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK: %[[OTHER:.*]] = thread.shuffle <xor> %[[MINE]], %c1_i32
  // CHECK: arith.addf %[[MINE]], %[[OTHER]] : f32
  // CHECK-COUNT-4: thread.shuffle <xor>
  // CHECK-NOT: thread.shuffle
  func.func @sum(%x: tensor<128xf32, #line>) -> f32 {
    %0 = tile.reduce(%x) 0 {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      tile.yield %1 : f32
    } : (tensor<128xf32, #line>) -> f32
    return %0 : f32
  }

  // One instruction reduces integers over a warp.
  // CHECK-LABEL: func.func @largest
  // CHECK: thread.reduce <maxsi>
  // CHECK-NOT: thread.shuffle
  func.func @largest(%x: tensor<128xi32, #line>) -> i32 {
    %0 = tile.reduce(%x) 0 {
    ^bb0(%a: i32, %b: i32):
      %1 = arith.maxsi %a, %b : i32
      tile.yield %1 : i32
    } : (tensor<128xi32, #line>) -> i32
    return %0 : i32
  }

  // Two rows in each thread are combined as vectors, and f16 pairs are shuffled as one word. Both lanes call the
  // combiner with the lower lane's elements first.
  // CHECK-LABEL: func.func @argmax
  // CHECK: arith.select %{{.*}} : vector<2xi1>, vector<2xf16>
  // CHECK: vector.bitcast %{{.*}} : vector<2xf16> to vector<1xi32>
  // CHECK-COUNT-3: thread.shuffle <xor>
  // CHECK-COUNT-4: arith.select %[[UPPER:[^,]*]], %{{.*}} : vector<2x
  // CHECK: thread.barrier
  func.func @argmax(%x: tensor<32x4xf16, #square>, %i: tensor<32x4xi32, #square>)
      -> (tensor<32xf16, #column>, tensor<32xi32, #column>) {
    %0:2 = tile.reduce(%x, %i) 1 {
    ^bb0(%a: f16, %ai: i32, %b: f16, %bi: i32):
      %1 = arith.cmpf ogt, %a, %b : f16
      %2 = arith.select %1, %a, %b : f16
      %3 = arith.select %1, %ai, %bi : i32
      tile.yield %2, %3 : f16, i32
    } : (tensor<32x4xf16, #square>, tensor<32x4xi32, #square>) -> (tensor<32xf16, #column>, tensor<32xi32, #column>)
    tile.barrier
    return %0#0, %0#1 : tensor<32xf16, #column>, tensor<32xi32, #column>
  }

  // In several steps, only the first lane combines in this order. All lanes get its results.
  // CHECK-LABEL: func.func @argmaxOfLine
  // CHECK-COUNT-10: thread.shuffle <xor>
  // CHECK: arith.andi
  // CHECK-COUNT-2: thread.shuffle <index>
  func.func @argmaxOfLine(%x: tensor<128xf32, #line>, %i: tensor<128xi32, #line>) -> (f32, i32) {
    %0:2 = tile.reduce(%x, %i) 0 {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %1 = arith.cmpf ogt, %a, %b : f32
      %2 = arith.select %1, %a, %b : f32
      %3 = arith.select %1, %ai, %bi : i32
      tile.yield %2, %3 : f32, i32
    } : (tensor<128xf32, #line>, tensor<128xi32, #line>) -> (f32, i32)
    return %0#0, %0#1 : f32, i32
  }

  // A combiner that is not elementwise is applied to one element after the other.
  // CHECK-LABEL: func.func @branch
  // CHECK-COUNT-8: scf.if
  // CHECK-NOT: scf.if
  func.func @branch(%x: tensor<128xf32, #line>) -> f32 {
    %0 = tile.reduce(%x) 0 {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.cmpf olt, %a, %b : f32
      %2 = scf.if %1 -> f32 {
        %3 = arith.mulf %a, %b : f32
        scf.yield %3 : f32
      } else {
        %4 = arith.addf %a, %b : f32
        scf.yield %4 : f32
      }
      tile.yield %2 : f32
    } : (tensor<128xf32, #line>) -> f32
    return %0 : f32
  }
}

// -----

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [] : 64>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  func.func @warps(%x: tensor<64xf32, #line>) -> f32 {
    // expected-error @+2 {{a reduction between warps goes through shared memory, which was not allocated for it}}
    // expected-error @+1 {{failed to legalize operation}}
    %0 = tile.reduce(%x) 0 {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      tile.yield %1 : f32
    } : (tensor<64xf32, #line>) -> f32
    return %0 : f32
  }
}

// -----

// Where an instruction compares three values, maxima of registers are combined by threes; sums are not.
#eight = #tilegpu.layout<register = [[1], [2], [4]], lane = [[0], [0], [0], [0], [0], [0]], warp = [], block = [] : 8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "gfx942"} {
  // CHECK-LABEL: func.func @maximum
  // CHECK-DAG: %[[A:.*]] = arith.maxnumf %[[E0:.*]], %[[E1:.*]] : f32
  // CHECK-DAG: %[[ABC:.*]] = arith.maxnumf %[[A]], %[[E2:.*]] : f32
  // CHECK-DAG: %[[D:.*]] = arith.maxnumf %[[E3:.*]], %[[E4:.*]] : f32
  // CHECK-DAG: %[[DEF:.*]] = arith.maxnumf %[[D]], %[[E5:.*]] : f32
  // CHECK-DAG: %[[GH:.*]] = arith.maxnumf %[[E6:.*]], %[[E7:.*]] : f32
  // CHECK: %[[SIX:.*]] = arith.maxnumf %[[ABC]], %[[DEF]] : f32
  // CHECK: %[[ALL:.*]] = arith.maxnumf %[[SIX]], %[[GH]] : f32
  // CHECK-NEXT: return %[[ALL]]
  func.func @maximum(%x: tensor<8xf32, #eight>) -> f32 {
    %0 = tile.reduce(%x) 0 {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.maxnumf %a, %b : f32
      tile.yield %1 : f32
    } : (tensor<8xf32, #eight>) -> f32
    return %0 : f32
  }

  // CHECK-LABEL: func.func @sum
  // CHECK: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK-NOT: arith.addf
  func.func @sum(%x: tensor<8xf32, #eight>) -> f32 {
    %0 = tile.reduce(%x) 0 {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %a, %b : f32
      tile.yield %1 : f32
    } : (tensor<8xf32, #eight>) -> f32
    return %0 : f32
  }
}
