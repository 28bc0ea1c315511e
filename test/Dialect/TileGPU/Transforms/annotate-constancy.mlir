// RUN: tilewright-opt %s --annotate-constancy | FileCheck %s

#line = #tilegpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = [] : 256>

module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  // 16 divides the first bound, nothing is known about the second. Runs of equal elements are bounded by both sides.
  // CHECK-LABEL: @bounds
  func.func @bounds(%n: i32 {tile.divisibility = 16 : i32}, %m: i32, %x: i32) -> (tensor<256xi1, #line>, tensor<256xi1, #line>) {
    %r = tile.make_range 0 to 256 : tensor<256xi32, #line>
    %a = tile.splat %n : tensor<256xi32, #line>
    %b = tile.splat %m : tensor<256xi32, #line>
    // CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} {tilegpu.constancy = array<i64: 16>}
    // CHECK: arith.cmpi slt, %{{.*}}, %{{[^ {]*}} : tensor
    // CHECK: arith.cmpi slt, %{{.*}}, %{{[^ {]*}} : i32
    %p = arith.cmpi slt, %r, %a : tensor<256xi32, #line>
    %q = arith.cmpi slt, %r, %b : tensor<256xi32, #line>
    %s = arith.cmpi slt, %n, %x : i32
    return %p, %q : tensor<256xi1, #line>, tensor<256xi1, #line>
  }
}
