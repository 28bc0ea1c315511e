// tilegpu-to-thread: asynchronous copies of 4 to 16 bytes that are contiguous in both memories.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#line = #tilegpu.layout<register = [[1], [2], [4], [256]], lane = [[8], [16], [32], [64], [128]], warp = [], block = [] : 512>
#whole = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]] : 512>
#pairs = #tilegpu.layout<offset = [[1], [8], [16], [2], [4], [32], [64], [128], [256]] : 512>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  // CHECK-LABEL: func.func @copies
  func.func @copies(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}) attributes {tile.kernel} {
    %i = tile.make_range 0 to 512 : tensor<512xi32, #line>
    %b = tile.splat %p : tensor<512x!tile.ptr<f16>, #line>
    %q = tile.addptr %b, %i : tensor<512x!tile.ptr<f16>, #line>, tensor<512xi32, #line>
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<512xf16, #whole>
    %t = tilegpu.local_alloc at 1024 : !tilegpu.buffer<512xf16, #pairs>
    // Copies of 16 bytes bypass the L1 cache unless the cache modifier is CA.
    // CHECK: thread.async_copy %[[TO:.*]], %{{.*}} size 16 bypass_l1 : <3>, <1>
    // CHECK: thread.async_copy %[[NEXT:.*]], %{{.*}} size 16 bypass_l1
    %copy1 = tilegpu.async_copy %q, %s contiguity [512] width [8] : tensor<512x!tile.ptr<f16>, #line> -> !tilegpu.buffer<512xf16, #whole>
    // CHECK-NEXT: thread.async_commit
    %first = tilegpu.async_commit of %copy1
    // CHECK: thread.async_copy %[[TO]], %{{.*}} size 16 :
    // CHECK: thread.async_copy %[[NEXT]], %{{.*}} size 16 :
    %copy2 = tilegpu.async_copy %q, %s contiguity [512] width [8] {cache = #tile.cache<ca>} : tensor<512x!tile.ptr<f16>, #line> -> !tilegpu.buffer<512xf16, #whole>
    // Only pairs are contiguous in the buffer.
    // CHECK-COUNT-8: thread.async_copy %{{.*}}, %{{.*}} size 4 :
    %copy3 = tilegpu.async_copy %q, %t contiguity [512] width [8] : tensor<512x!tile.ptr<f16>, #line> -> !tilegpu.buffer<512xf16, #pairs>
    // Eviction priorities are those of the L2 cache.
    // CHECK: thread.async_copy %[[TO]], %{{.*}} size 16 bypass_l1
    // CHECK: thread.async_copy %[[NEXT]]
    %copy4 = tilegpu.async_copy %q, %s contiguity [512] width [8] {evict = #tile.evict<first>} : tensor<512x!tile.ptr<f16>, #line> -> !tilegpu.buffer<512xf16, #whole>
    // CHECK: thread.async_commit
    %second = tilegpu.async_commit of %copy2, %copy3, %copy4
    // CHECK: thread.async_wait 1
    %done = tilegpu.async_wait %first pending 1
    return
  }
}

// -----

#line = #tilegpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [0]], warp = [[0]], block = [] : 64>
#whole = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_80"} {
  // Masked-out elements become zeros; threads that hold replicas do not copy.
  // CHECK-LABEL: func.func @masked
  // CHECK-SAME: %[[MASK:[^:]*]]: i1
  // CHECK: %[[OWNS:.*]] = arith.andi %{{.*}} : i1
  // CHECK: scf.if %[[OWNS]] {
  // CHECK: %[[BYTES:.*]] = arith.select %{{.*}}, %c16_i32, %c0_i32 : i32
  // CHECK: thread.async_copy %{{.*}}, %{{.*}} size 16 bytes %[[BYTES]] bypass_l1 : <3>, <1>
  // CHECK: }
  func.func @masked(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}, %m: i1) attributes {tile.kernel} {
    %i = tile.make_range 0 to 64 : tensor<64xi32, #line>
    %b = tile.splat %p : tensor<64x!tile.ptr<f32>, #line>
    %q = tile.addptr %b, %i : tensor<64x!tile.ptr<f32>, #line>, tensor<64xi32, #line>
    %mask = tile.splat %m : tensor<64xi1, #line>
    %zero = arith.constant dense<0.0> : tensor<64xf32, #line>
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #whole>
    %copy5 = tilegpu.async_copy %q, %s mask %mask other %zero contiguity [64] width [4] : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #whole>, mask tensor<64xi1, #line>, other tensor<64xf32, #line>
    return
  }
}

// -----

#line = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [] : 64>
#whole = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  func.func @narrow(%p: tensor<64x!tile.ptr<i8>, #line>) {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xi8, #whole>
    // expected-error @+2 {{each thread copies 1 bytes at a time, and the target has no asynchronous copy of that size}}
    // expected-error @+1 {{failed to legalize operation}}
    %copy6 = tilegpu.async_copy %p, %s : tensor<64x!tile.ptr<i8>, #line> -> !tilegpu.buffer<64xi8, #whole>
    return
  }
}

// -----

#line = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [] : 64>
#whole = #tilegpu.layout<offset = [[1], [2], [4], [8], [16], [32]] : 64>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  func.func @not_zero(%p: tensor<64x!tile.ptr<f32>, #line>, %m: tensor<64xi1, #line>) {
    %one = arith.constant dense<1.0> : tensor<64xf32, #line>
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<64xf32, #whole>
    // expected-error @+2 {{an asynchronous copy can only fill masked-out elements with zero}}
    // expected-error @+1 {{failed to legalize operation}}
    %copy7 = tilegpu.async_copy %p, %s mask %m other %one : tensor<64x!tile.ptr<f32>, #line> -> !tilegpu.buffer<64xf32, #whole>, mask tensor<64xi1, #line>, other tensor<64xf32, #line>
    return
  }
}
