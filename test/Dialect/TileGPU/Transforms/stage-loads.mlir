// RUN: tilewright-opt %s --stage-loads --split-input-file | FileCheck %s

#line = #tilegpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = [] : 256>

module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  // A copy can only fill masked elements with zeros, so a selection follows the load from the buffer.
  // CHECK-LABEL: @masked
  func.func @masked(%p: !tile.ptr<f32> {tile.noalias}, %m: tensor<256xi1, #line>, %n: i32) -> tensor<256xf32, #line> {
    %c0 = arith.constant 0 : i32
    %c256 = arith.constant 256 : i32
    %zero = arith.constant dense<0.0> : tensor<256xf32, #line>
    %one = arith.constant dense<1.0> : tensor<256xf32, #line>
    %r = tile.make_range 0 to 256 : tensor<256xi32, #line>
    // CHECK: scf.for
    // CHECK: %[[X:.*]] = tile.load %{{.*}} mask %[[M:[^ ]*]] contiguity
    // CHECK-NEXT: %[[B:.*]] = tilegpu.local_alloc
    // CHECK-NEXT: tilegpu.local_store %[[X]], %[[B]]
    // CHECK-NEXT: %[[L:.*]] = tilegpu.local_load %[[B]] own
    // CHECK-NEXT: arith.select %[[M]], %[[L]], %{{.*}}
    // CHECK: } {tile.num_stages = 4 : i32}
    %sum = scf.for %k = %c0 to %n step %c256 iter_args(%s = %zero) -> (tensor<256xf32, #line>) : i32 {
      %b = tile.addptr %p, %k : !tile.ptr<f32>, i32
      %t = tile.splat %b : tensor<256x!tile.ptr<f32>, #line>
      %q = tile.addptr %t, %r : tensor<256x!tile.ptr<f32>, #line>, tensor<256xi32, #line>
      %x = tile.load %q mask %m other %one contiguity [256] width [4] : tensor<256x!tile.ptr<f32>, #line>, mask tensor<256xi1, #line>, other tensor<256xf32, #line> -> tensor<256xf32, #line>
      %y = arith.addf %s, %x : tensor<256xf32, #line>
      scf.yield %y : tensor<256xf32, #line>
    } {tile.num_stages = 4 : i32}
    return %sum : tensor<256xf32, #line>
  }
}

// -----

#line = #tilegpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = [] : 256>
#replicas = #tilegpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[0]], block = [] : 128>

module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  // Not without a request, not what the loop writes, and not if several threads hold an element.
  // CHECK-LABEL: @not
  // CHECK-NOT: local_alloc
  func.func @not(%p: !tile.ptr<f32>, %o: !tile.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tile.make_range 0 to 256 : tensor<256xi32, #line>
    %h = tile.make_range 0 to 128 : tensor<128xi32, #replicas>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %b = tile.addptr %p, %k : !tile.ptr<f32>, i32
      %t = tile.splat %b : tensor<256x!tile.ptr<f32>, #line>
      %q = tile.addptr %t, %r : tensor<256x!tile.ptr<f32>, #line>, tensor<256xi32, #line>
      %x = tile.load %q contiguity [256] width [4] : tensor<256x!tile.ptr<f32>, #line> -> tensor<256xf32, #line>
      %y = math.exp %x : tensor<256xf32, #line>
    }
    scf.for %k = %c0 to %n step %c1 : i32 {
      %b = tile.addptr %p, %k : !tile.ptr<f32>, i32
      %t = tile.splat %b : tensor<256x!tile.ptr<f32>, #line>
      %q = tile.addptr %t, %r : tensor<256x!tile.ptr<f32>, #line>, tensor<256xi32, #line>
      %x = tile.load %q contiguity [256] width [4] : tensor<256x!tile.ptr<f32>, #line> -> tensor<256xf32, #line>
      %y = math.exp %x : tensor<256xf32, #line>
      tile.store %q, %y contiguity [256] width [4] : tensor<256x!tile.ptr<f32>, #line>, tensor<256xf32, #line>
    } {tile.num_stages = 4 : i32}
    scf.for %k = %c0 to %n step %c1 : i32 {
      %b = tile.addptr %p, %k : !tile.ptr<f32>, i32
      %t = tile.splat %b : tensor<128x!tile.ptr<f32>, #replicas>
      %q = tile.addptr %t, %h : tensor<128x!tile.ptr<f32>, #replicas>, tensor<128xi32, #replicas>
      %x = tile.load %q contiguity [128] width [4] : tensor<128x!tile.ptr<f32>, #replicas> -> tensor<128xf32, #replicas>
      %y = math.exp %x : tensor<128xf32, #replicas>
    } {tile.num_stages = 4 : i32}
    return
  }
}

// -----

#wide = #tilegpu.layout<register = [[1], [2], [256], [512], [1024], [2048], [4096], [8192]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = [] : 16384>

module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  // A slot has 64 KiB: two programs on a multiprocessor have room for one slot each.
  // CHECK-LABEL: @wide
  func.func @wide(%p: !tile.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tile.make_range 0 to 16384 : tensor<16384xi32, #wide>
    // CHECK: local_store
    // CHECK: } {tile.num_stages = 2 : i32}
    scf.for %k = %c0 to %n step %c1 : i32 {
      %b = tile.addptr %p, %k : !tile.ptr<f32>, i32
      %t = tile.splat %b : tensor<16384x!tile.ptr<f32>, #wide>
      %q = tile.addptr %t, %r : tensor<16384x!tile.ptr<f32>, #wide>, tensor<16384xi32, #wide>
      %x = tile.load %q contiguity [16384] width [4] : tensor<16384x!tile.ptr<f32>, #wide> -> tensor<16384xf32, #wide>
      %y = math.exp %x : tensor<16384xf32, #wide>
    } {tile.num_stages = 4 : i32}
    return
  }
}

// -----

#a = #tilegpu.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0], [2, 0], [4, 0]], block = [] : 128x128>
#t = #tilegpu.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = [[0, 1], [0, 2], [0, 4]], block = [] : 128x128>
#s = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]] : 128x128>
!buffer = !tilegpu.buffer<128x128xf32, #s>
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 8 : i32, tilegpu.target = "sm_90a"} {
  // The other load has a buffer of its own, which pipelining multiplies.
  // CHECK-LABEL: @mixed
  // CHECK-COUNT-1: local_alloc
  // CHECK-NOT: local_alloc
  func.func @mixed(%p: tensor<128x128x!tile.ptr<f32>, #a>, %q: tensor<128x128x!tile.ptr<f32>, #a>, %n: i32, %z: tensor<128x128xf32, #t>, %zz: tensor<128x128xf32, #a>) -> (tensor<128x128xf32, #t>, tensor<128x128xf32, #a>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %z, %u = %zz) -> (tensor<128x128xf32, #t>, tensor<128x128xf32, #a>) : i32 {
      %x = tile.load %p contiguity [1, 128] width [1, 4] : tensor<128x128x!tile.ptr<f32>, #a> -> tensor<128x128xf32, #a>
      %b = tilegpu.local_alloc : !buffer
      tilegpu.local_store %x, %b : tensor<128x128xf32, #a> -> !buffer
      %l = tilegpu.local_load %b : !buffer -> tensor<128x128xf32, #t>
      %y = tile.load %q contiguity [1, 128] width [1, 4] : tensor<128x128x!tile.ptr<f32>, #a> -> tensor<128x128xf32, #a>
      %e = arith.addf %s, %l : tensor<128x128xf32, #t>
      %f = arith.addf %u, %y : tensor<128x128xf32, #a>
      scf.yield %e, %f : tensor<128x128xf32, #t>, tensor<128x128xf32, #a>
    } {tile.num_stages = 3 : i32}
    return %r#0, %r#1 : tensor<128x128xf32, #t>, tensor<128x128xf32, #a>
  }
}

// -----

#wide = #tilegpu.layout<register = [[1], [2], [512], [1024], [2048], [4096], [8192], [16384]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = [] : 32768>
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // Buffers of functions that are not inlined are beside those of their callers.
  // CHECK-LABEL: @outer
  // CHECK-NOT: local_alloc
  func.func @outer(%p: !tile.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tile.make_range 0 to 32768 : tensor<32768xi32, #wide>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %b = tile.addptr %p, %k : !tile.ptr<f32>, i32
      %t = tile.splat %b : tensor<32768x!tile.ptr<f32>, #wide>
      %q = tile.addptr %t, %r : tensor<32768x!tile.ptr<f32>, #wide>, tensor<32768xi32, #wide>
      %x = tile.load %q contiguity [16384] width [4] : tensor<32768x!tile.ptr<f32>, #wide> -> tensor<32768xf32, #wide>
      %y = math.exp %x : tensor<32768xf32, #wide>
    } {tile.num_stages = 2 : i32}
    tile.call @inner(%p, %n) : (!tile.ptr<f32>, i32) -> ()
    return
  }
  func.func private @inner(%p: !tile.ptr<f32>, %n: i32) attributes {no_inline} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tile.make_range 0 to 32768 : tensor<32768xi32, #wide>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %b = tile.addptr %p, %k : !tile.ptr<f32>, i32
      %t = tile.splat %b : tensor<32768x!tile.ptr<f32>, #wide>
      %q = tile.addptr %t, %r : tensor<32768x!tile.ptr<f32>, #wide>, tensor<32768xi32, #wide>
      %x = tile.load %q contiguity [16384] width [4] : tensor<32768x!tile.ptr<f32>, #wide> -> tensor<32768xf32, #wide>
      %y = math.exp %x : tensor<32768xf32, #wide>
    } {tile.num_stages = 2 : i32}
    return
  }
}
