// RUN: tilewright-opt %s --guard-selects | FileCheck %s

#layout = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [] : 16x32>
#rows = #tilegpu.layout<register = [], lane = [[0], [1], [2], [4], [8]], warp = [], block = [] : 16>
#columns = #tilegpu.layout<register = [[1], [2], [4], [8]], lane = [[16], [0], [0], [0], [0]], warp = [], block = [] : 32>
#left = #tilegpu.layout<register = [], lane = [[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [] : 16x1>
#top = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [], block = [] : 1x32>

module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // A causal mask: columns from %i on, rows from %first on. The last column is %i + 31.
  // CHECK-LABEL: @causal
  // CHECK: scf.for %[[I:[a-z0-9]+]] =
  // CHECK: %{{.*}} = arith.constant 30 : i64
  // CHECK: {{.*}} = arith.extsi %[[I]] : i32 to i64
  // CHECK: arith.extsi %arg0 : i32 to i64
  // CHECK: arith.constant -1 : i64
  // CHECK: arith.cmpi slt
  // CHECK: arith.constant -2147483617 : i64
  // CHECK: arith.andi
  // CHECK: arith.constant -2147483633 : i64
  // CHECK-NOT: arith.constant -2147483649
  // CHECK: %[[Y:.*]] = scf.if
  // CHECK-NEXT: scf.yield %[[X:.*]] : tensor<16x32xf32
  // CHECK-NEXT: } else {
  // CHECK: arith.cmpi sge
  // CHECK-NEXT: %[[S:.*]] = arith.select %{{.*}}, %[[X]],
  // CHECK-NEXT: scf.yield %[[S]]
  func.func @causal(%first: i32, %n: i32, %zero: tensor<16x32xf32, #layout>) -> tensor<16x32xf32, #layout> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %other = arith.constant dense<0xFF800000> : tensor<16x32xf32, #layout>
    %r0 = tile.make_range 0 to 16 : tensor<16xi32, #rows>
    %f = tile.splat %first : tensor<16xi32, #rows>
    %rows = arith.addi %r0, %f : tensor<16xi32, #rows>
    %left = tile.expand_dims %rows 1 : tensor<16xi32, #rows> -> tensor<16x1xi32, #left>
    %r = tile.broadcast %left : tensor<16x1xi32, #left> -> tensor<16x32xi32, #layout>
    %c = tile.make_range 0 to 32 : tensor<32xi32, #columns>
    %last = scf.for %i = %c0 to %n step %c32 iter_args(%x = %zero) -> (tensor<16x32xf32, #layout>) : i32 {
      %s = tile.splat %i : tensor<32xi32, #columns>
      %columns = arith.addi %c, %s : tensor<32xi32, #columns>
      %top = tile.expand_dims %columns 0 : tensor<32xi32, #columns> -> tensor<1x32xi32, #top>
      %cs = tile.broadcast %top : tensor<1x32xi32, #top> -> tensor<16x32xi32, #layout>
      %m = arith.cmpi sge, %r, %cs : tensor<16x32xi32, #layout>
      %y = arith.select %m, %x, %other : tensor<16x32xi1, #layout>, tensor<16x32xf32, #layout>
      scf.yield %y : tensor<16x32xf32, #layout>
    }
    return %last : tensor<16x32xf32, #layout>
  }

  // The constant is selected where the mask is true, so the mask is to be false for all elements: the first column is
  // beyond the last row.
  // CHECK-LABEL: @inverted
  // CHECK: scf.if
  // CHECK-NEXT: scf.yield %[[X:.*]] : tensor<16x32xf32
  // CHECK: arith.select %{{.*}}, %cst, %[[X]]
  func.func @inverted(%first: i32, %n: i32, %zero: tensor<16x32xf32, #layout>) -> tensor<16x32xf32, #layout> {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %other = arith.constant dense<0xFF800000> : tensor<16x32xf32, #layout>
    %c = tile.make_range 0 to 32 : tensor<32xi32, #columns>
    %end = tile.splat %first : tensor<16x32xi32, #layout>
    %last = scf.for %i = %c0 to %n step %c32 iter_args(%x = %zero) -> (tensor<16x32xf32, #layout>) : i32 {
      %s = tile.splat %i : tensor<32xi32, #columns>
      %columns = arith.addi %c, %s : tensor<32xi32, #columns>
      %top = tile.expand_dims %columns 0 : tensor<32xi32, #columns> -> tensor<1x32xi32, #top>
      %cs = tile.broadcast %top : tensor<1x32xi32, #top> -> tensor<16x32xi32, #layout>
      %m = arith.cmpi sge, %cs, %end : tensor<16x32xi32, #layout>
      %y = arith.select %m, %other, %x : tensor<16x32xi1, #layout>, tensor<16x32xf32, #layout>
      scf.yield %y : tensor<16x32xf32, #layout>
    }
    return %last : tensor<16x32xf32, #layout>
  }

  // Nothing is known of a mask that is loaded, and a comparison of indices alone is the same in each iteration.
  // CHECK-LABEL: @others
  // CHECK-NOT: scf.if
  func.func @others(%mask: tensor<16x32xi1, #layout>, %n: i32, %zero: tensor<16x32xf32, #layout>) -> tensor<16x32xf32, #layout> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c = tile.make_range 0 to 32 : tensor<32xi32, #columns>
    %top = tile.expand_dims %c 0 : tensor<32xi32, #columns> -> tensor<1x32xi32, #top>
    %cs = tile.broadcast %top : tensor<1x32xi32, #top> -> tensor<16x32xi32, #layout>
    %k = arith.constant dense<7> : tensor<16x32xi32, #layout>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<16x32xf32, #layout>) : i32 {
      %y = arith.select %mask, %x, %zero : tensor<16x32xi1, #layout>, tensor<16x32xf32, #layout>
      %m = arith.cmpi slt, %cs, %k : tensor<16x32xi32, #layout>
      %z = arith.select %m, %y, %zero : tensor<16x32xi1, #layout>, tensor<16x32xf32, #layout>
      scf.yield %z : tensor<16x32xf32, #layout>
    }
    return %last : tensor<16x32xf32, #layout>
  }
}
