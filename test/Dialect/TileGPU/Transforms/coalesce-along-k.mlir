// RUN: tilewright-opt %s --split-input-file --coalesce | FileCheck %s

// Where nothing transposes what is read from shared memory, a thread loads adjacent elements along K, too.

#any = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [32, 0]], lane = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]], block = [] : 64x64>

// CHECK-DAG: #[[TURNED:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [2, 0], [4, 0], [8, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = [] : 64x64>
// CHECK-DAG: #[[PLAIN:.*]] = #tilegpu.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [32, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}8, 0], [16, 0]], block = [] : 64x64>
// CHECK: tile.load {{.*}} -> tensor<64x64xf16, #[[PLAIN]]>
// CHECK: tile.load {{.*}} -> tensor<64x64xf16, #[[TURNED]]>
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "gfx942"} {
  func.func @dot(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: tensor<64x64xf32, #any>) -> tensor<64x64xf32, #any> {
    %c64 = arith.constant dense<64> : tensor<64x64xi32, #any>
    %i = tile.make_range 0 to 64 : tensor<64xi32, #tilegpu.layout<register = [[32]], lane = [[0], [0], [1], [2], [4], [8]], warp = [[16], [0]], block = [] : 64>>
    %j = tile.make_range 0 to 64 : tensor<64xi32, #tilegpu.layout<register = [[1], [2], [4], [8]], lane = [[16], [32], [0], [0], [0], [0]], warp = [[0], [0]], block = [] : 64>>
    %ie = tile.expand_dims %i 1 : tensor<64xi32, #tilegpu.layout<register = [[32]], lane = [[0], [0], [1], [2], [4], [8]], warp = [[16], [0]], block = [] : 64>> -> tensor<64x1xi32, #tilegpu.layout<register = [[32, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]], block = [] : 64x1>>
    %je = tile.expand_dims %j 0 : tensor<64xi32, #tilegpu.layout<register = [[1], [2], [4], [8]], lane = [[16], [32], [0], [0], [0], [0]], warp = [[0], [0]], block = [] : 64>> -> tensor<1x64xi32, #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 32], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>>
    %ib = tile.broadcast %ie : tensor<64x1xi32, #tilegpu.layout<register = [[32, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [0, 0]], block = [] : 64x1>> -> tensor<64x64xi32, #any>
    %jb = tile.broadcast %je : tensor<1x64xi32, #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 32], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = [] : 1x64>> -> tensor<64x64xi32, #any>
    %row = arith.muli %ib, %c64 : tensor<64x64xi32, #any>
    %at = arith.addi %row, %jb : tensor<64x64xi32, #any>
    %ps = tile.splat %p : tensor<64x64x!tile.ptr<f16>, #any>
    %qs = tile.splat %q : tensor<64x64x!tile.ptr<f16>, #any>
    %pp = tile.addptr %ps, %at : tensor<64x64x!tile.ptr<f16>, #any>, tensor<64x64xi32, #any>
    %qq = tile.addptr %qs, %at : tensor<64x64x!tile.ptr<f16>, #any>, tensor<64x64xi32, #any>
    %x = tile.load %pp : tensor<64x64x!tile.ptr<f16>, #any> -> tensor<64x64xf16, #any>
    %y = tile.load %qq : tensor<64x64x!tile.ptr<f16>, #any> -> tensor<64x64xf16, #any>
    %d = tile.dot %x, %y, %c {precision = #tile.precision<ieee>} : tensor<64x64xf16, #any> * tensor<64x64xf16, #any> -> tensor<64x64xf32, #any>
    return %d : tensor<64x64xf32, #any>
  }
}
