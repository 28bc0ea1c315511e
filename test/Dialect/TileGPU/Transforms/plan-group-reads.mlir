// RUN: tilewright-opt %s --split-input-file --plan-pipeline | FileCheck %s

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x32>
#b = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [4, 2], [8, 4], [0, 8], [0, 16], [0, 32]] : 32x64>
#x = #tilegpu.layout<register = [[8, 0], [0, 4], [0, 8], [0, 16]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x32>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

// A is read an iteration ahead, into registers, after the group_mma. The copies follow.
// CHECK-LABEL: @ahead
// CHECK: tile.load {{.*}}<stage = 0, cluster = 2,
// CHECK: local_store {{.*}}<stage = 0, cluster = 2,
// CHECK: local_load {{.*}}<stage = 1, cluster = 1,
// CHECK: group_mma {{.*}}<stage = 2, cluster = 0,
// CHECK: } {tilegpu.kept_slots = 1 : i64}
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @ahead(%p: tensor<64x32x!tile.ptr<f32>, #rows>, %n: i32, %zero: tensor<64x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %fixed = tilegpu.local_alloc : !tilegpu.buffer<32x64xf32, #b>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %o = tile.splat %k : tensor<64x32xi32, #rows>
      %q = tile.addptr %p, %o : tensor<64x32x!tile.ptr<f32>, #rows>, tensor<64x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 4] : tensor<64x32x!tile.ptr<f32>, #rows> -> tensor<64x32xf32, #rows>
      %m = tilegpu.local_alloc : !tilegpu.buffer<64x32xf32, #shared>
      tilegpu.local_store %y, %m : tensor<64x32xf32, #rows> -> !tilegpu.buffer<64x32xf32, #shared>
      %a = tilegpu.local_load %m : !tilegpu.buffer<64x32xf32, #shared> -> tensor<64x32xf32, #x>
      %d = tilegpu.group_mma "m64k8.tf32.tf32.f32" %a registers, %fixed, %s : tensor<64x32xf32, #x> * !tilegpu.buffer<32x64xf32, #b> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    return
  }
}

// -----

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [16, 0], [32, 0], [64, 0], [128, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 256x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]] : 256x32>
#b = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [4, 2], [8, 4], [0, 8], [0, 16], [0, 32]] : 32x64>
#x = #tilegpu.layout<register = [[8, 0], [0, 4], [0, 8], [0, 16], [64, 0], [128, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 256x32>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [64, 0], [128, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 256x64>

// 128 accumulators and twice 64 elements of A do not fit the registers: A is read where it is used.
// CHECK-LABEL: @registers
// CHECK: tile.load {{.*}}<stage = 0, cluster = 0,
// CHECK: local_load {{.*}}<stage = 2, cluster = 1,
// CHECK: group_mma {{.*}}<stage = 2, cluster = 1,
// CHECK-NOT: kept_slots
module attributes {tilegpu.default_num_stages = 3 : i32, tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @registers(%p: tensor<256x32x!tile.ptr<f32>, #rows>, %n: i32, %zero: tensor<256x64xf32, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %fixed = tilegpu.local_alloc : !tilegpu.buffer<32x64xf32, #b>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<256x64xf32, #acc>) : i32 {
      %o = tile.splat %k : tensor<256x32xi32, #rows>
      %q = tile.addptr %p, %o : tensor<256x32x!tile.ptr<f32>, #rows>, tensor<256x32xi32, #rows>
      %y = tile.load %q contiguity [1, 32] width [1, 4] : tensor<256x32x!tile.ptr<f32>, #rows> -> tensor<256x32xf32, #rows>
      %m = tilegpu.local_alloc : !tilegpu.buffer<256x32xf32, #shared>
      tilegpu.local_store %y, %m : tensor<256x32xf32, #rows> -> !tilegpu.buffer<256x32xf32, #shared>
      %a = tilegpu.local_load %m : !tilegpu.buffer<256x32xf32, #shared> -> tensor<256x32xf32, #x>
      %d = tilegpu.group_mma "m64k8.tf32.tf32.f32" %a registers, %fixed, %s : tensor<256x32xf32, #x> * !tilegpu.buffer<32x64xf32, #b> -> tensor<256x64xf32, #acc>
      scf.yield %d : tensor<256x64xf32, #acc>
    }
    return
  }
}
