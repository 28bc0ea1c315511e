// RUN: tilewright-opt %s --plan-pipeline | FileCheck %s

#mma = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x16>
#columns = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 16x64>
#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]] : 64x16>
#b = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]] : 16x64>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a", tilegpu.default_num_stages = 2 : i32} {
  // Dots in flight read a slot of their own, so that copies begin two iterations ahead.
  // CHECK-LABEL: func.func @alone(
  // CHECK: tile.load {{.*}}stage = 0
  // CHECK: tile.load {{.*}}stage = 0
  // CHECK: tilegpu.group_mma {{.*}}stage = 2
  func.func @alone(%p: tensor<64x16x!tile.ptr<bf16>, #rows>, %q: tensor<16x64x!tile.ptr<bf16>, #columns>, %k: i32)
      -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %sum = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %is = tile.splat %i : tensor<64x16xi32, #rows>
      %pi = tile.addptr %p, %is : tensor<64x16x!tile.ptr<bf16>, #rows>, tensor<64x16xi32, #rows>
      %x = tile.load %pi contiguity [1, 16] width [1, 8] : tensor<64x16x!tile.ptr<bf16>, #rows> -> tensor<64x16xbf16, #rows>
      %xs = tilegpu.local_alloc : <64x16xbf16, #a>
      tilegpu.local_store %x, %xs : tensor<64x16xbf16, #rows> -> <64x16xbf16, #a>
      %js = tile.splat %i : tensor<16x64xi32, #columns>
      %qi = tile.addptr %q, %js : tensor<16x64x!tile.ptr<bf16>, #columns>, tensor<16x64xi32, #columns>
      %y = tile.load %qi contiguity [1, 64] width [1, 8] : tensor<16x64x!tile.ptr<bf16>, #columns> -> tensor<16x64xbf16, #columns>
      %ys = tilegpu.local_alloc : <16x64xbf16, #b>
      tilegpu.local_store %y, %ys : tensor<16x64xbf16, #columns> -> <16x64xbf16, #b>
      %d = tilegpu.group_mma "m64k16.bf16.bf16.f32" %xs, %ys, %acc : !tilegpu.buffer<64x16xbf16, #a> * !tilegpu.buffer<16x64xbf16, #b> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    return %sum : tensor<64x64xf32, #mma>
  }

  // The loop around it may need shared memory, too.
  // CHECK-LABEL: func.func @nest(
  // CHECK: tilegpu.group_mma {{.*}}stage = 1
  func.func @nest(%p: tensor<64x16x!tile.ptr<bf16>, #rows>, %q: tensor<16x64x!tile.ptr<bf16>, #columns>, %k: i32)
      -> tensor<64x64xf32, #mma> {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %all = scf.for %t = %c0 to %k step %c1 iter_args(%before = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %sum = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %before) -> (tensor<64x64xf32, #mma>) : i32 {
        %is = tile.splat %i : tensor<64x16xi32, #rows>
        %pi = tile.addptr %p, %is : tensor<64x16x!tile.ptr<bf16>, #rows>, tensor<64x16xi32, #rows>
        %x = tile.load %pi contiguity [1, 16] width [1, 8] : tensor<64x16x!tile.ptr<bf16>, #rows> -> tensor<64x16xbf16, #rows>
        %xs = tilegpu.local_alloc : <64x16xbf16, #a>
        tilegpu.local_store %x, %xs : tensor<64x16xbf16, #rows> -> <64x16xbf16, #a>
        %js = tile.splat %i : tensor<16x64xi32, #columns>
        %qi = tile.addptr %q, %js : tensor<16x64x!tile.ptr<bf16>, #columns>, tensor<16x64xi32, #columns>
        %y = tile.load %qi contiguity [1, 64] width [1, 8] : tensor<16x64x!tile.ptr<bf16>, #columns> -> tensor<16x64xbf16, #columns>
        %ys = tilegpu.local_alloc : <16x64xbf16, #b>
        tilegpu.local_store %y, %ys : tensor<16x64xbf16, #columns> -> <16x64xbf16, #b>
        %d = tilegpu.group_mma "m64k16.bf16.bf16.f32" %xs, %ys, %acc : !tilegpu.buffer<64x16xbf16, #a> * !tilegpu.buffer<16x64xbf16, #b> -> tensor<64x64xf32, #mma>
        scf.yield %d : tensor<64x64xf32, #mma>
      }
      scf.yield %sum : tensor<64x64xf32, #mma>
    }
    return %all : tensor<64x64xf32, #mma>
  }
}
