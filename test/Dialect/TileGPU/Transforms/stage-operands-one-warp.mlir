// Operands that a loop loads go through shared memory although a single warp could convert them by shuffles.
// RUN: tilewright-opt %s --assign-layouts='target=sm_90a num-warps=1' --coalesce --choose-mma --propagate-layouts --raise-conversions --stage-operands | FileCheck %s

// CHECK-LABEL: @loop
func.func @loop(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 32 : tensor<32xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<32xi32> -> tensor<1x32xi32>
  %column = tile.expand_dims %k 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<128> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x32xi32>
  %rows = tile.broadcast %row : tensor<1x32xi32> -> tensor<64x32xi32>
  %offset = arith.addi %starts, %rows : tensor<64x32xi32>
  %b = tile.splat %p : tensor<64x32x!tile.ptr<bf16>>
  %q = tile.addptr %b, %offset : tensor<64x32x!tile.ptr<bf16>>, tensor<64x32xi32>
  // CHECK: scf.for
  // CHECK: %[[X:.*]] = tile.load
  // CHECK: tilegpu.local_store %[[X]]
  // CHECK-NOT: convert_layout
  // CHECK: tilegpu.mma
  %sum = scf.for %step = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<32x32xf32> : i32 {
    %x = tile.load %q : tensor<64x32x!tile.ptr<bf16>> -> tensor<64x32xbf16>
    %y = tile.load %q : tensor<64x32x!tile.ptr<bf16>> -> tensor<64x32xbf16>
    %t = tile.trans %x [1, 0] : tensor<64x32xbf16> -> tensor<32x64xbf16>
    %d = tile.dot %t, %y, %acc : tensor<32x64xbf16> * tensor<64x32xbf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %total = "tile.reduce"(%sum) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %z = arith.addf %l, %r : f32
    tile.yield %z : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %s = arith.truncf %total : tensor<32xf32> to tensor<32xbf16>
  %base = tile.splat %p : tensor<32x!tile.ptr<bf16>>
  %to = tile.addptr %base, %i : tensor<32x!tile.ptr<bf16>>, tensor<32xi32>
  tile.store %to, %s : tensor<32x!tile.ptr<bf16>>, tensor<32xbf16>
  return
}

// Nothing is copied ahead: the loop has one stage.
// CHECK-LABEL: @oneStage
func.func @oneStage(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 32 : tensor<32xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<32xi32> -> tensor<1x32xi32>
  %column = tile.expand_dims %k 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<128> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x32xi32>
  %rows = tile.broadcast %row : tensor<1x32xi32> -> tensor<64x32xi32>
  %offset = arith.addi %starts, %rows : tensor<64x32xi32>
  %b = tile.splat %p : tensor<64x32x!tile.ptr<bf16>>
  %q = tile.addptr %b, %offset : tensor<64x32x!tile.ptr<bf16>>, tensor<64x32xi32>
  // CHECK-NOT: local_store
  // CHECK: tilegpu.mma
  %sum = scf.for %step = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<32x32xf32> : i32 {
    %x = tile.load %q : tensor<64x32x!tile.ptr<bf16>> -> tensor<64x32xbf16>
    %y = tile.load %q : tensor<64x32x!tile.ptr<bf16>> -> tensor<64x32xbf16>
    %t = tile.trans %x [1, 0] : tensor<64x32xbf16> -> tensor<32x64xbf16>
    %d = tile.dot %t, %y, %acc : tensor<32x64xbf16> * tensor<64x32xbf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {tile.num_stages = 1 : i32}
  %total = "tile.reduce"(%sum) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %z = arith.addf %l, %r : f32
    tile.yield %z : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %s = arith.truncf %total : tensor<32xf32> to tensor<32xbf16>
  %base = tile.splat %p : tensor<32x!tile.ptr<bf16>>
  %to = tile.addptr %base, %i : tensor<32x!tile.ptr<bf16>>, tensor<32xi32>
  tile.store %to, %s : tensor<32x!tile.ptr<bf16>>, tensor<32xbf16>
  return
}

// The operands are loaded before the loop.
// CHECK-LABEL: @outside
func.func @outside(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 32 : tensor<32xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<32xi32> -> tensor<1x32xi32>
  %column = tile.expand_dims %k 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<128> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x32xi32>
  %rows = tile.broadcast %row : tensor<1x32xi32> -> tensor<64x32xi32>
  %offset = arith.addi %starts, %rows : tensor<64x32xi32>
  %b = tile.splat %p : tensor<64x32x!tile.ptr<bf16>>
  %q = tile.addptr %b, %offset : tensor<64x32x!tile.ptr<bf16>>, tensor<64x32xi32>
  // CHECK-NOT: local_store
  // CHECK: tilegpu.mma
    %x = tile.load %q : tensor<64x32x!tile.ptr<bf16>> -> tensor<64x32xbf16>
    %y = tile.load %q : tensor<64x32x!tile.ptr<bf16>> -> tensor<64x32xbf16>
  %sum = scf.for %step = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<32x32xf32> : i32 {
    %t = tile.trans %x [1, 0] : tensor<64x32xbf16> -> tensor<32x64xbf16>
    %d = tile.dot %t, %y, %acc : tensor<32x64xbf16> * tensor<64x32xbf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %total = "tile.reduce"(%sum) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %z = arith.addf %l, %r : f32
    tile.yield %z : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %s = arith.truncf %total : tensor<32xf32> to tensor<32xbf16>
  %base = tile.splat %p : tensor<32x!tile.ptr<bf16>>
  %to = tile.addptr %base, %i : tensor<32x!tile.ptr<bf16>>, tensor<32xi32>
  tile.store %to, %s : tensor<32x!tile.ptr<bf16>>, tensor<32xbf16>
  return
}

// Each iteration reads the memory anew, when it is its turn.
// CHECK-LABEL: @readEachTime
func.func @readEachTime(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.make_range 0 to 32 : tensor<32xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %i 0 : tensor<32xi32> -> tensor<1x32xi32>
  %column = tile.expand_dims %k 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<128> : tensor<64x1xi32>
  %start = arith.muli %column, %stride : tensor<64x1xi32>
  %starts = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x32xi32>
  %rows = tile.broadcast %row : tensor<1x32xi32> -> tensor<64x32xi32>
  %offset = arith.addi %starts, %rows : tensor<64x32xi32>
  %b = tile.splat %p : tensor<64x32x!tile.ptr<bf16>>
  %q = tile.addptr %b, %offset : tensor<64x32x!tile.ptr<bf16>>, tensor<64x32xi32>
  // CHECK-NOT: local_store
  // CHECK: tilegpu.mma
  %sum = scf.for %step = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<32x32xf32> : i32 {
    %x = tile.load %q volatile : tensor<64x32x!tile.ptr<bf16>> -> tensor<64x32xbf16>
    %y = tile.load %q volatile : tensor<64x32x!tile.ptr<bf16>> -> tensor<64x32xbf16>
    %t = tile.trans %x [1, 0] : tensor<64x32xbf16> -> tensor<32x64xbf16>
    %d = tile.dot %t, %y, %acc : tensor<32x64xbf16> * tensor<64x32xbf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %total = "tile.reduce"(%sum) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %z = arith.addf %l, %r : f32
    tile.yield %z : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  %s = arith.truncf %total : tensor<32xf32> to tensor<32xbf16>
  %base = tile.splat %p : tensor<32x!tile.ptr<bf16>>
  %to = tile.addptr %base, %i : tensor<32x!tile.ptr<bf16>>, tensor<32xi32>
  tile.store %to, %s : tensor<32x!tile.ptr<bf16>>, tensor<32xbf16>
  return
}
