// RUN: tilewright-opt %s --warn-large-tiles --verify-diagnostics

#most = #tilegpu.layout<register = [[1], [2], [4], [8], [16], [32], [64], [128], [256]], lane = [[512], [1024], [2048], [4096], [8192]], warp = [], block = [] : 16384>
#more = #tilegpu.layout<register = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [16384]], lane = [[512], [1024], [2048], [4096], [8192]], warp = [], block = [] : 32768>
#shape = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = [] : 128x512>

module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // 512 registers, with twice as many 16-bit elements; pointers, masks and repeated values do not count.
  func.func @fits(%p: tensor<16384x!tile.ptr<f32>, #most>, %q: tensor<32768x!tile.ptr<f16>, #more>, %s: f32) {
    %c1 = arith.constant dense<1> : tensor<32768xi32, #more>
    %0 = tile.load %p : tensor<16384x!tile.ptr<f32>, #most> -> tensor<16384xf32, #most>
    %1 = tile.load %q : tensor<32768x!tile.ptr<f16>, #more> -> tensor<32768xf16, #more>
    %2 = tile.addptr %q, %c1 : tensor<32768x!tile.ptr<f16>, #more>, tensor<32768xi32, #more>
    %3 = tile.splat %s : tensor<32768xf32, #more>
    return
  }

  // One warning for each kernel: for its largest tile, the first of several.
  func.func @large(%p: tensor<32768x!tile.ptr<f32>, #more>, %x: tensor<128x512xf32, #shape>) {
    %0 = tile.load %p : tensor<32768x!tile.ptr<f32>, #more> -> tensor<32768xf32, #more>
    // expected-warning @+1 {{a tile of 128x512 elements of type 'f32' needs 2048 registers per thread, more than a thread has; use a smaller tile or more warps}}
    %1 = arith.addf %x, %x : tensor<128x512xf32, #shape>
    %2 = arith.mulf %1, %x : tensor<128x512xf32, #shape>
    return
  }
}
