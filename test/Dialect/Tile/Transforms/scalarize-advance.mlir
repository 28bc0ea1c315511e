// RUN: tilewright-opt %s --tile-scalarize-advance --canonicalize --split-input-file | FileCheck %s

// Pointers advance by 64-bit offsets, integers in their own type; several tiles at once.
// CHECK-LABEL: func.func @for
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>, %[[X:[a-z0-9]+]]: tensor<8xi32>, %[[S:[a-z0-9]+]]: i32
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[Z64:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[FOR:.*]]:3 = scf.for {{.*}} iter_args(%[[O:.*]] = %[[Z64]], %[[K:.*]] = %[[C0]], %[[ACC:.*]] = %{{.*}}) -> (i64, i32, tensor<8xf32>)
// CHECK-DAG: %[[SO:.*]] = tile.splat %[[O]] : tensor<8xi64>
// CHECK-DAG: %[[Q:.*]] = tile.addptr %[[P]], %[[SO]]
// CHECK-DAG: %[[SK:.*]] = tile.splat %[[K]] : tensor<8xi32>
// CHECK-DAG: %[[Y:.*]] = arith.addi %[[X]], %[[SK]] : tensor<8xi32>
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[Y]]
// CHECK: tile.load %[[Q]] mask %[[M]]
// CHECK-DAG: %[[SE:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK-DAG: %[[ON:.*]] = arith.addi %[[O]], %[[SE]] : i64
// CHECK-DAG: %[[KN:.*]] = arith.addi %[[K]], %[[C8]] : i32
// CHECK: scf.yield %[[ON]], %[[KN]], %{{.*}} : i64, i32, tensor<8xf32>
// CHECK: {tile.num_stages = 3 : i32}
// CHECK: %[[END:.*]] = tile.splat %[[FOR]]#0 : tensor<8xi64>
// CHECK: %[[R:.*]] = tile.addptr %[[P]], %[[END]]
// CHECK: return %[[FOR]]#2, %[[R]]
func.func @for(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xi32>, %s: i32, %n: i32, %bound: tensor<8xi32>, %zero: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8x!tile.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant dense<8> : tensor<8xi32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %k = %x, %acc = %zero)
      -> (tensor<8x!tile.ptr<f32>>, tensor<8xi32>, tensor<8xf32>) : i32 {
    %m = arith.cmpi slt, %k, %bound : tensor<8xi32>
    %v = tile.load %q mask %m : tensor<8x!tile.ptr<f32>>, mask tensor<8xi1> -> tensor<8xf32>
    %sum = arith.addf %acc, %v : tensor<8xf32>
    %ss = tile.splat %s : tensor<8xi32>
    %qn = tile.addptr %q, %ss : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    %kn = arith.addi %k, %c8 : tensor<8xi32>
    scf.yield %qn, %kn, %sum : tensor<8x!tile.ptr<f32>>, tensor<8xi32>, tensor<8xf32>
  } {tile.num_stages = 3 : i32}
  return %r#2, %r#0 : tensor<8xf32>, tensor<8x!tile.ptr<f32>>
}

// -----

// Two steps per iteration, one of them defined inside of the loop.
// CHECK-LABEL: func.func @steps
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[A:.*]] = arith.addi %[[O]], %{{.*}} : i32
// CHECK: %[[B:.*]] = arith.addi %[[A]], %[[I]] : i32
// CHECK: scf.yield %[[B]] : i32
func.func @steps(%x: tensor<8xi32>, %s: i32, %n: i32) -> tensor<8xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ss = tile.splat %s : tensor<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %x) -> tensor<8xi32> : i32 {
    %a = arith.addi %ss, %k : tensor<8xi32>
    %si = tile.splat %i : tensor<8xi32>
    %b = arith.addi %a, %si : tensor<8xi32>
    scf.yield %b : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}

// -----

// The outer loop also carries a scalar for a tile that the inner loop advances.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i64)
// CHECK: %[[IN:.*]] = scf.for {{.*}} iter_args(%[[K:.*]] = %{{.*}}) -> (i64)
// CHECK: scf.yield %{{.*}} : i64
// CHECK: %[[ON:.*]] = arith.addi %[[O]], %[[IN]] : i64
// CHECK: scf.yield %[[ON]] : i64
func.func @nested(%p: tensor<8x!tile.ptr<f32>>, %s: i64, %n: i32, %x: tensor<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ss = tile.splat %s : tensor<8xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p) -> tensor<8x!tile.ptr<f32>> : i32 {
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%u = %q) -> tensor<8x!tile.ptr<f32>> : i32 {
      tile.store %u, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
      %un = tile.addptr %u, %ss : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
      scf.yield %un : tensor<8x!tile.ptr<f32>>
    }
    scf.yield %t : tensor<8x!tile.ptr<f32>>
  }
  return
}

// -----

// CHECK-LABEL: func.func @while
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xi32>, %[[S:[a-z0-9]+]]: i32, %[[P:[a-z0-9]+]]: !tile.ptr<i1>
// CHECK: %[[W:.*]] = scf.while (%[[O:.*]] = %{{.*}}) : (i32) -> i32
// CHECK: scf.condition(%{{.*}}) %[[O]] : i32
// CHECK: ^bb0(%[[A:.*]]: i32):
// CHECK-NEXT: %[[N:.*]] = arith.addi %[[A]], %[[S]] : i32
// CHECK-NEXT: scf.yield %[[N]] : i32
// CHECK: %[[SW:.*]] = tile.splat %[[W]]
// CHECK: %[[R:.*]] = arith.addi %[[X]], %[[SW]]
// CHECK: return %[[R]]
func.func @while(%x: tensor<8xi32>, %s: i32, %p: !tile.ptr<i1>) -> tensor<8xi32> {
  %ss = tile.splat %s : tensor<8xi32>
  %r = scf.while (%k = %x) : (tensor<8xi32>) -> tensor<8xi32> {
    %go = tile.load %p volatile : !tile.ptr<i1> -> i1
    scf.condition(%go) %k : tensor<8xi32>
  } do {
  ^bb0(%k: tensor<8xi32>):
    %n = arith.addi %k, %ss : tensor<8xi32>
    scf.yield %n : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}

// -----

// Steps that are not uniform, and other sums, are left alone.
// CHECK-LABEL: func.func @not_uniform
// CHECK: iter_args({{.*}}) -> (tensor<8xi32>, tensor<8xi32>)
func.func @not_uniform(%x: tensor<8xi32>, %y: tensor<8xi32>, %n: i32) -> (tensor<8xi32>, tensor<8xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant dense<2> : tensor<8xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<8xi32>, tensor<8xi32>) : i32 {
    %an = arith.addi %a, %y : tensor<8xi32>
    %bn = arith.muli %b, %c2 : tensor<8xi32>
    scf.yield %an, %bn : tensor<8xi32>, tensor<8xi32>
  }
  return %r#0, %r#1 : tensor<8xi32>, tensor<8xi32>
}

// -----

// A loop that advances the tile on one side of a branch carries a scalar.
// CHECK-LABEL: func.func @conditional
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>, %[[S:[a-z0-9]+]]: i32
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i64)
// CHECK: %[[D:.*]] = scf.if %{{.*}} -> (i64) {
// CHECK: %[[STEP:.*]] = arith.extsi %[[S]] : i32 to i64
// CHECK: scf.yield %[[STEP]] : i64
// CHECK: } else {
// CHECK: scf.yield %c0_i64
// CHECK: %[[NEXT:.*]] = arith.addi %[[O]], %[[D]] : i64
// CHECK: scf.yield %[[NEXT]] : i64
func.func @conditional(%p: tensor<8x!tile.ptr<f32>>, %s: i32, %n: i32, %x: tensor<8xf32>, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ss = tile.splat %s : tensor<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p) -> tensor<8x!tile.ptr<f32>> : i32 {
    %t = scf.if %c -> tensor<8x!tile.ptr<f32>> {
      tile.store %q, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
      %qn = tile.addptr %q, %ss : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      scf.yield %qn : tensor<8x!tile.ptr<f32>>
    } else {
      scf.yield %q : tensor<8x!tile.ptr<f32>>
    }
    scf.yield %t : tensor<8x!tile.ptr<f32>>
  }
  return
}

// -----

// One side adds a loaded step to a tile advanced before the branch, the other yields the initial tile.
// CHECK-LABEL: func.func @loaded_step
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xi32>, %[[S:[a-z0-9]+]]: i32, %[[Q:[a-z0-9]+]]: !tile.ptr<i32>
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: %[[L:.*]] = tile.load %[[Q]] volatile
// CHECK: %[[SUM:.*]] = arith.addi %[[S]], %[[L]] : i32
// CHECK: scf.yield %[[SUM]] : i32
// CHECK: } else {
// CHECK: scf.yield %c0_i32 : i32
// CHECK: %[[SR:.*]] = tile.splat %[[R]]
// CHECK: arith.addi %[[X]], %[[SR]] : tensor<8xi32>
func.func @loaded_step(%x: tensor<8xi32>, %s: i32, %q: !tile.ptr<i32>, %c: i1) -> tensor<8xi32> {
  %ss = tile.splat %s : tensor<8xi32>
  %y = arith.addi %x, %ss : tensor<8xi32>
  %r = scf.if %c -> tensor<8xi32> {
    %l = tile.load %q volatile : !tile.ptr<i32> -> i32
    %ls = tile.splat %l : tensor<8xi32>
    %z = arith.addi %y, %ls : tensor<8xi32>
    scf.yield %z : tensor<8xi32>
  } else {
    scf.yield %x : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}

// -----

// CHECK-LABEL: func.func @selected
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>, %[[S:[a-z0-9]+]]: i64, %[[C:[a-z0-9]+]]: i1
// CHECK: %[[O:.*]] = arith.select %[[C]], %[[S]], %c0_i64 : i64
// CHECK: %[[SO:.*]] = tile.splat %[[O]]
// CHECK: %[[R:.*]] = tile.addptr %[[P]], %[[SO]]
// CHECK: return %[[R]]
func.func @selected(%p: tensor<8x!tile.ptr<f32>>, %s: i64, %c: i1) -> tensor<8x!tile.ptr<f32>> {
  %ss = tile.splat %s : tensor<8xi64>
  %q = tile.addptr %p, %ss : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %r = arith.select %c, %q, %p : tensor<8x!tile.ptr<f32>>
  return %r : tensor<8x!tile.ptr<f32>>
}

// -----

// Tiles derived from different tiles are left alone.
// CHECK-LABEL: func.func @different
// CHECK: scf.if %{{.*}} -> (tensor<8x!tile.ptr<f32>>)
func.func @different(%p: tensor<8x!tile.ptr<f32>>, %q: tensor<8x!tile.ptr<f32>>, %c: i1, %x: tensor<8xf32>)
    -> tensor<8x!tile.ptr<f32>> {
  %one = arith.constant dense<1> : tensor<8xi32>
  %r = scf.if %c -> tensor<8x!tile.ptr<f32>> {
    tile.store %p, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
    %pn = tile.addptr %p, %one : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
    scf.yield %pn : tensor<8x!tile.ptr<f32>>
  } else {
    scf.yield %q : tensor<8x!tile.ptr<f32>>
  }
  return %r : tensor<8x!tile.ptr<f32>>
}

// -----

// The pass looks through hints on the tile that advances.
// CHECK-LABEL: func.func @hinted
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xi32>, %[[S:[a-z0-9]+]]: i32
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[NEXT:.*]] = arith.addi %[[O]], %[[S]] : i32
// CHECK: scf.yield %[[NEXT]] : i32
func.func @hinted(%x: tensor<8xi32>, %s: i32, %n: i32) -> tensor<8xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ss = tile.splat %s : tensor<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %x) -> tensor<8xi32> : i32 {
    %h = tile.hint %k contiguity [8] : tensor<8xi32>
    %a = arith.addi %h, %ss : tensor<8xi32>
    %b = tile.hint %a divisibility [8] : tensor<8xi32>
    scf.yield %b : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}
