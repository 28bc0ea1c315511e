// RUN: env TILEWRIGHT_REWRITE_SEED=1 tilewright-opt %s --tile-combine --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --tile-combine --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @dot
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x8xf16>, %[[B:[a-z0-9]+]]: tensor<8x4xf16>, %[[C:[a-z0-9]+]]: tensor<4x4xf32>
// CHECK-NEXT: %[[D:.*]] = tile.dot %[[A]], %[[B]], %[[C]] {precision = #tile.precision<tf32>}
// CHECK-NEXT: %[[E:.*]] = tile.dot %[[A]], %[[B]], %[[D]] :
// CHECK-NEXT: return %[[E]]
func.func @dot(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %0 = tile.dot %a, %b, %zero {precision = #tile.precision<tf32>} : tensor<4x8xf16> * tensor<8x4xf16> -> tensor<4x4xf32>
  %1 = arith.addf %0, %c : tensor<4x4xf32>
  %2 = tile.dot %a, %b, %zero : tensor<4x8xf16> * tensor<8x4xf16> -> tensor<4x4xf32>
  %3 = arith.addf %1, %2 : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @integer_dot
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x4xi8>, %[[C:[a-z0-9]+]]: tensor<4x4xi32>
// CHECK-NEXT: %[[D:.*]] = tile.dot %[[A]], %[[A]], %[[C]]
// CHECK-NEXT: return %[[D]]
func.func @integer_dot(%a: tensor<4x4xi8>, %c: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %zero = arith.constant dense<0> : tensor<4x4xi32>
  %0 = tile.dot %a, %a, %zero : tensor<4x4xi8> * tensor<4x4xi8> -> tensor<4x4xi32>
  %1 = arith.addi %c, %0 : tensor<4x4xi32>
  return %1 : tensor<4x4xi32>
}

// -----

// A dot outside of the loop is left alone, and so is one with two uses or a nonzero accumulator.
// CHECK-LABEL: func.func @other_dots
// CHECK: tile.dot
// CHECK: scf.for
// CHECK-NEXT: arith.addf
// CHECK: tile.dot
// CHECK-NEXT: arith.addf
func.func @other_dots(%a: tensor<4x4xf32>, %c: tensor<4x4xf32>, %n: index) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tile.dot %a, %a, %zero : tensor<4x4xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c) -> tensor<4x4xf32> {
    %y = arith.addf %x, %0 : tensor<4x4xf32>
    scf.yield %y : tensor<4x4xf32>
  }
  %2 = tile.dot %a, %a, %a : tensor<4x4xf32> * tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = arith.addf %2, %c : tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @uniform
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32, %[[C:[a-z0-9]+]]: i1
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2.0
// CHECK-DAG: %[[E:.*]] = math.exp %[[X]] : f32
// CHECK: %[[M:.*]] = arith.mulf %[[E]], %[[TWO]] fastmath<fast> : f32
// CHECK: %[[S:.*]] = arith.select %[[C]], %[[M]], %[[X]] : f32
// CHECK: %[[T:.*]] = tile.splat %[[S]] : tensor<8xf32>
// CHECK: return %[[T]]
func.func @uniform(%x: f32, %c: i1) -> tensor<8xf32> {
  %s = tile.splat %x : tensor<8xf32>
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %e = math.exp %s : tensor<8xf32>
  %m = arith.mulf %e, %two fastmath<fast> : tensor<8xf32>
  %r = arith.select %c, %m, %s : tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A hint on a uniform tile becomes a hint on its scalar.
// CHECK-LABEL: func.func @hints
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[H:.*]] = tile.hint %[[M]] divisibility [8] : i32
// CHECK: tile.splat %[[H]] : tensor<8xi32>
func.func @hints(%x: i32) -> tensor<8xi32> {
  %s = tile.splat %x : tensor<8xi32>
  %m = arith.muli %s, %s : tensor<8xi32>
  %h = tile.hint %m divisibility [8] : tensor<8xi32>
  return %h : tensor<8xi32>
}

// -----

// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x1xi32>, %[[Y:[a-z0-9]+]]: tensor<1x8xi32>, %[[N:[a-z0-9]+]]: i32
// CHECK-DAG: %[[SX:.*]] = arith.addi %[[X]], %[[X]] : tensor<8x1xi32>
// CHECK-DAG: %[[BOUND:.*]] = tile.splat %[[N]] : tensor<8x1xi32>
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[SX]], %[[BOUND]] : tensor<8x1xi32>
// CHECK: %[[BM:.*]] = tile.broadcast %[[M]] : tensor<8x1xi1> -> tensor<8x8xi1>
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<8x8xi32>
// CHECK: return %[[BM]], %[[SUM]]
func.func @broadcast(%x: tensor<8x1xi32>, %y: tensor<1x8xi32>, %n: i32) -> (tensor<8x8xi1>, tensor<8x8xi32>) {
  %bx = tile.broadcast %x : tensor<8x1xi32> -> tensor<8x8xi32>
  %by = tile.broadcast %y : tensor<1x8xi32> -> tensor<8x8xi32>
  %bn = tile.splat %n : tensor<8x8xi32>
  %twice = arith.addi %bx, %bx : tensor<8x8xi32>
  %m = arith.cmpi slt, %twice, %bn : tensor<8x8xi32>
  %sum = arith.addi %bx, %by : tensor<8x8xi32>
  return %m, %sum : tensor<8x8xi1>, tensor<8x8xi32>
}

// -----

// CHECK-LABEL: func.func @sums
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xi32>, %[[A:[a-z0-9]+]]: i32, %[[B:[a-z0-9]+]]: i32
// CHECK-NEXT: %[[AB:.*]] = arith.addi %[[A]], %[[B]] : i32
// CHECK-NEXT: %[[S:.*]] = tile.splat %[[AB]] : tensor<8xi32>
// CHECK-NEXT: %[[R:.*]] = arith.addi %[[X]], %[[S]] : tensor<8xi32>
// CHECK-NEXT: return %[[R]]
func.func @sums(%x: tensor<8xi32>, %a: i32, %b: i32) -> tensor<8xi32> {
  %sa = tile.splat %a : tensor<8xi32>
  %sb = tile.splat %b : tensor<8xi32>
  %0 = arith.addi %sa, %x : tensor<8xi32>
  %1 = arith.addi %0, %sb : tensor<8xi32>
  return %1 : tensor<8xi32>
}

// -----

// CHECK-LABEL: func.func @base
// CHECK-SAME: %[[P:[a-z0-9]+]]: !tile.ptr<f32>, %[[X:[a-z0-9]+]]: tensor<8xi32>, %[[O:[a-z0-9]+]]: i32
// CHECK-NEXT: %[[Q:.*]] = tile.addptr %[[P]], %[[O]] : !tile.ptr<f32>, i32
// CHECK-NEXT: %[[R:.*]] = tile.addptr %[[Q]], %[[O]] : !tile.ptr<f32>, i32
// CHECK-NEXT: %[[S:.*]] = tile.splat %[[R]] : tensor<8x!tile.ptr<f32>>
// CHECK-NEXT: %[[T:.*]] = tile.addptr %[[S]], %[[X]]
// CHECK-NEXT: return %[[T]]
func.func @base(%p: !tile.ptr<f32>, %x: tensor<8xi32>, %o: i32) -> tensor<8x!tile.ptr<f32>> {
  %s = tile.splat %p : tensor<8x!tile.ptr<f32>>
  %so = tile.splat %o : tensor<8xi32>
  %0 = tile.addptr %s, %so : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %1 = tile.addptr %0, %x : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %2 = tile.addptr %1, %so : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  return %2 : tensor<8x!tile.ptr<f32>>
}

// -----

// 64-bit offsets are added; 32-bit offsets could overflow.
// CHECK-LABEL: func.func @offsets
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>, %[[X:[a-z0-9]+]]: tensor<8xi64>, %[[Y:[a-z0-9]+]]: tensor<8xi32>
// CHECK-NEXT: %[[XX:.*]] = arith.addi %[[X]], %[[X]]
// CHECK-NEXT: %[[Q:.*]] = tile.addptr %[[P]], %[[XX]]
// CHECK-NEXT: %[[R:.*]] = tile.addptr %[[P]], %[[Y]]
// CHECK-NEXT: %[[S:.*]] = tile.addptr %[[R]], %[[Y]]
// CHECK-NEXT: return %[[Q]], %[[S]]
func.func @offsets(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xi64>, %y: tensor<8xi32>)
    -> (tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>) {
  %0 = tile.addptr %p, %x : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %1 = tile.addptr %0, %x : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %2 = tile.addptr %p, %y : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %3 = tile.addptr %2, %y : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  return %1, %3 : tensor<8x!tile.ptr<f32>>, tensor<8x!tile.ptr<f32>>
}

// -----

// CHECK-LABEL: func.func @where
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<8x!tile.ptr<f32>>, %[[M:[a-z0-9]+]]: tensor<8xi1>, %[[N:[a-z0-9]+]]: tensor<8xi1>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: %[[X:.*]] = tile.load %[[P]] mask %[[M]] other %[[ZERO]]
// CHECK: %[[Y:.*]] = tile.load %[[P]] mask %[[M]] :
// CHECK: %[[W:.*]] = arith.select %[[N]], %[[Y]]
// CHECK: return %[[X]], %[[W]]
func.func @where(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %n: tensor<8xi1>) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>, mask tensor<8xi1> -> tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %0 = arith.select %m, %x, %zero : tensor<8xi1>, tensor<8xf32>
  %y = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>, mask tensor<8xi1> -> tensor<8xf32>
  %1 = arith.select %n, %y, %zero : tensor<8xi1>, tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A precise division stays precise when it becomes scalar.
// CHECK-LABEL: func.func @precise
// CHECK: arith.divf %{{.*}}, %{{.*}} {tile.precise} : f32
// CHECK: arith.divf %{{.*}}, %{{.*}} {tile.precise} : tensor<8x1xf32>
func.func @precise(%x: f32, %y: tensor<8x1xf32>) -> (tensor<8xf32>, tensor<8x4xf32>) {
  %s = tile.splat %x : tensor<8xf32>
  %q = arith.divf %s, %s {tile.precise} : tensor<8xf32>
  %b = tile.broadcast %y : tensor<8x1xf32> -> tensor<8x4xf32>
  %r = arith.divf %b, %b {tile.precise} : tensor<8x4xf32>
  return %q, %r : tensor<8xf32>, tensor<8x4xf32>
}

// -----

// A broadcast of a sum: the operands have the layout of the sources, which that of the result does not tell.
// CHECK-LABEL: func.func @layouts
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x1xi32, "column">, %[[Y:[a-z0-9]+]]: tensor<8x1xi32, "other">
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32
// CHECK-DAG: %[[S:.*]] = tile.splat %[[N]] : tensor<8x1xi32, "column">
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[X]], %[[S]] : tensor<8x1xi32, "column">
// CHECK: %[[BM:.*]] = tile.broadcast %[[M]] : tensor<8x1xi1, "column"> -> tensor<8x8xi1, "tile">
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<8x8xi32, "tile">
// CHECK: return %[[BM]], %[[SUM]]
func.func @layouts(%x: tensor<8x1xi32, "column">, %y: tensor<8x1xi32, "other">, %n: i32)
    -> (tensor<8x8xi1, "tile">, tensor<8x8xi32, "tile">) {
  %bx = tile.broadcast %x : tensor<8x1xi32, "column"> -> tensor<8x8xi32, "tile">
  %by = tile.broadcast %y : tensor<8x1xi32, "other"> -> tensor<8x8xi32, "tile">
  %bn = tile.splat %n : tensor<8x8xi32, "tile">
  %m = arith.cmpi slt, %bx, %bn : tensor<8x8xi32, "tile">
  %sum = arith.addi %bx, %by : tensor<8x8xi32, "tile">
  return %m, %sum : tensor<8x8xi1, "tile">, tensor<8x8xi32, "tile">
}

// -----

// A dot of 8-bit floats adds with less precision than the addition, unless a limit says when it may not.
// CHECK-LABEL: func.func @float8_dots
// CHECK: %[[D:.*]] = tile.dot %[[A:.*]], %[[A]], %[[ZERO:[a-z0-9_]*]] :
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[D]], %[[C:.*]] :
// CHECK-NEXT: tile.dot %[[A]], %[[A]], %[[S]] {tile.max_num_imprecise_acc = 2 : i32}
// CHECK-NOT: arith.addf
func.func @float8_dots(%a: tensor<4x4xf8E4M3FN>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %0 = tile.dot %a, %a, %zero : tensor<4x4xf8E4M3FN> * tensor<4x4xf8E4M3FN> -> tensor<4x4xf32>
  %1 = arith.addf %0, %c : tensor<4x4xf32>
  %2 = tile.dot %a, %a, %zero {tile.max_num_imprecise_acc = 2 : i32} : tensor<4x4xf8E4M3FN> * tensor<4x4xf8E4M3FN> -> tensor<4x4xf32>
  %3 = arith.addf %2, %1 : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}
