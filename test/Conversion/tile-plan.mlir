// RUN: tilewright-opt %s --test-tile-plan -o /dev/null | FileCheck %s

// A softmax has three nests: a value that a later nest needs is kept by the first one that computes it.
// CHECK-LABEL: softmax:
// CHECK-NEXT: nest [256] reduce 0
// CHECK-NEXT:   keep tile.load
// CHECK-NEXT:   tile.reduce
// CHECK-NEXT: nest [256] reduce 0
// CHECK-NEXT:   keep math.exp
// CHECK-NEXT:   tile.reduce
// CHECK-NEXT: nest [256]
// CHECK-NEXT:   tile.store
// CHECK-NEXT: materialized func.return
func.func @softmax(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %s = tile.splat %p : tensor<256x!tile.ptr<f32>>
  %ptr = tile.addptr %s, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ptr : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %max = tile.reduce (%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<256xf32>) -> f32
  %maxs = tile.splat %max : tensor<256xf32>
  %d = arith.subf %x, %maxs : tensor<256xf32>
  %e = math.exp %d : tensor<256xf32>
  %sum = tile.reduce (%e) 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<256xf32>) -> f32
  %sums = tile.splat %sum : tensor<256xf32>
  %y = arith.divf %e, %sums : tensor<256xf32>
  tile.store %ptr, %y : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// Independent reductions over one shape share a nest.
// CHECK-LABEL: moments:
// CHECK-NEXT: nest [64] reduce 0
// CHECK-NEXT:   tile.reduce
// CHECK-NEXT:   tile.reduce
// CHECK-NEXT: materialized tile.store
func.func @moments(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %s = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %ptr = tile.addptr %s, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %ptr : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %square = arith.mulf %x, %x : tensor<64xf32>
  %m1 = tile.reduce (%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<64xf32>) -> f32
  %m2 = tile.reduce (%square) 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<64xf32>) -> f32
  tile.store %p, %m1 : !tile.ptr<f32>, f32
  tile.store %p, %m2 : !tile.ptr<f32>, f32
  return
}

// A load that a later store may overwrite is kept before it; the one at the
// store's own addresses may share its nest.
// CHECK-LABEL: in_place:
// CHECK-NEXT: nest [64]
// CHECK-NEXT:   keep tile.load
// CHECK-NEXT: nest [64]
// CHECK-NEXT:   tile.store
// CHECK-NEXT: materialized func.return
func.func @in_place(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %c63 = arith.constant dense<63> : tensor<64xi32>
  %back = arith.subi %c63, %r : tensor<64xi32>
  %s = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %ptr = tile.addptr %s, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %mirror = tile.addptr %s, %back : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %ptr : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %y = tile.load %mirror : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %sum = arith.addf %x, %y : tensor<64xf32>
  tile.store %ptr, %sum : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// The operands of a dot are in memory before it, except for sums that start from a number.
// CHECK-LABEL: product:
// CHECK-NEXT: nest [16x16]
// CHECK-NEXT:   keep tile.load
// CHECK-NEXT: materialized tile.dot
// CHECK-NEXT: nest [16x16]
// CHECK-NEXT:   tile.store
func.func @product(%p: tensor<16x16x!tile.ptr<f32>>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.load %p : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %y = tile.dot %x, %x, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %p, %y : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

// The operands of a dot are in memory, including a constant of an outer block.
// CHECK-LABEL: product_in_branch:
// CHECK-NEXT: materialized scf.if
// CHECK-NEXT: materialized func.return
// CHECK-NEXT: nest [16x16]
// CHECK-NEXT:   keep tile.load
// CHECK-NEXT:   keep arith.constant
// CHECK-NEXT: materialized tile.dot
func.func @product_in_branch(%p: tensor<16x16x!tile.ptr<f32>>, %c: i1) attributes {tile.kernel} {
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  scf.if %c {
    %x = tile.load %p : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %y = tile.dot %x, %ones, %x : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    tile.store %p, %y : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  }
  return
}

// Loads before an atomic that releases are executed before it, even from other memory.
// CHECK-LABEL: atomic_order:
// CHECK-NEXT: nest [64]
// CHECK-NEXT:   keep tile.load
// CHECK-NEXT: materialized tile.atomic_rmw
// CHECK-NEXT: nest [64]
// CHECK-NEXT:   tile.store
// CHECK-LABEL: relaxed_atomic:
// CHECK-NEXT: materialized tile.atomic_rmw
// CHECK-NEXT: nest [64]
// CHECK-NEXT:   tile.store
func.func @atomic_order(%p: !tile.ptr<f32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias}, %out: !tile.ptr<f32> {tile.noalias}, %v: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %s = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %ptr = tile.addptr %s, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %t = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %t, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %ptr : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %0 = tile.atomic_rmw #tile.rmw<xchg> %q, %v : !tile.ptr<i32>, i32
  tile.store %to, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
func.func @relaxed_atomic(%p: !tile.ptr<f32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias}, %out: !tile.ptr<f32> {tile.noalias}, %v: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %s = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %ptr = tile.addptr %s, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %t = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %t, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %ptr : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %0 = tile.atomic_rmw #tile.rmw<xchg> %q, %v {sem = #tile.sem<relaxed>} : !tile.ptr<i32>, i32
  tile.store %to, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// A tile that the nest reduces, and that must be loaded before a store, is kept once.
// CHECK-LABEL: normalize:
// CHECK-NEXT: nest [256] reduce 0
// CHECK-NEXT:   keep tile.load
// CHECK-NEXT:   tile.reduce
// CHECK-NEXT: nest [256]
// CHECK-NEXT:   tile.store
func.func @normalize(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %s = tile.splat %p : tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %s, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %t = tile.splat %q : tensor<256x!tile.ptr<f32>>
  %to = tile.addptr %t, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %from : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %sum = tile.reduce (%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<256xf32>) -> f32
  %sums = tile.splat %sum : tensor<256xf32>
  %y = arith.divf %x, %sums : tensor<256xf32>
  tile.store %to, %y : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
