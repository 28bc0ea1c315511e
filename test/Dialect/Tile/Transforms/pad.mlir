// RUN: tilewright-opt %s --allow-unregistered-dialect --tile-pad --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Accesses get masks, and loads zeros outside of them.

// CHECK-LABEL: func.func @copy
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK-DAG: %[[END:.*]] = arith.constant dense<48> : tensor<64xi32>
// CHECK: %[[I:.*]] = tile.make_range 0 to 64
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %[[END]]
// CHECK: %[[X:.*]] = tile.load %{{.*}} mask %[[INSIDE]] other %[[ZERO]]
// CHECK: tile.store %{{.*}}, %[[X]] mask %[[INSIDE]]
func.func @copy(%p: !tile.ptr<f32>) {
  %i = tile.make_range 0 to 48 : tensor<48xi32>
  %base = tile.splat %p : tensor<48x!tile.ptr<f32>>
  %at = tile.addptr %base, %i : tensor<48x!tile.ptr<f32>>, tensor<48xi32>
  %x = tile.load %at : tensor<48x!tile.ptr<f32>> -> tensor<48xf32>
  tile.store %at, %x : tensor<48x!tile.ptr<f32>>, tensor<48xf32>
  return
}

// -----

// A mask and a value for other elements are kept; an atomic gets a mask, too.

// CHECK-LABEL: func.func @update
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<16x!tile.ptr<i32>>, %[[M:[a-z0-9]+]]: tensor<16xi1>, %[[O:[a-z0-9]+]]: tensor<16xi32>
// CHECK: %[[LESS:.*]] = arith.cmpi slt
// CHECK: %[[INSIDE:.*]] = arith.andi %[[M]], %[[LESS]]
// CHECK: %[[X:.*]] = tile.load %[[P]] mask %[[INSIDE]] other %[[O]]
// CHECK: tile.atomic_rmw <add> %[[P]], %[[X]] mask %[[LESS]]
func.func @update(%p: tensor<12x!tile.ptr<i32>>, %m: tensor<12xi1>, %o: tensor<12xi32>) {
  %x = tile.load %p mask %m other %o : tensor<12x!tile.ptr<i32>>, mask tensor<12xi1>, other tensor<12xi32> -> tensor<12xi32>
  %y = tile.atomic_rmw <add> %p, %x : tensor<12x!tile.ptr<i32>>, tensor<12xi32>
  return
}

// -----

// An addition has an identity, -0.0 for floats. Another combiner gets flags.

// CHECK-LABEL: func.func @reduce
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<8xf32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK: %[[Y:.*]] = arith.select %[[INSIDE]], %[[X]], %[[ZERO]]
// CHECK: tile.reduce(%[[Y]]) 0
// CHECK: %[[FLAGS:.*]] = arith.extui %[[INSIDE]] : tensor<8xi1> to tensor<8xi32>
// CHECK: tile.reduce(%[[X]], %[[FLAGS]]) 0
// CHECK: ^bb0(%[[A:.*]]: f32, %[[AF:.*]]: i32, %[[B:.*]]: f32, %[[BF:.*]]: i32)
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[COMBINED:.*]] = arith.mulf %[[SUM]]
// CHECK: arith.andi %[[AF]], %[[BF]]
// CHECK: arith.select %{{.*}}, %[[A]], %[[B]]
// CHECK: arith.select %{{.*}}, %[[COMBINED]], %{{.*}}
// CHECK: arith.ori %[[AF]], %[[BF]]
func.func @reduce(%x: tensor<5xf32>) -> (f32, f32) {
  %sum = tile.reduce(%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<5xf32>) -> f32
  %other = tile.reduce(%x) 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    %d = arith.mulf %c, %c : f32
    tile.yield %d : f32
  } : (tensor<5xf32>) -> f32
  return %sum, %other : f32, f32
}

// -----

// Only a scan from the end meets the padding first.

// CHECK-LABEL: func.func @scan
// CHECK-SAME: %[[X:.*]]: tensor<4x8xi32>
// CHECK: tile.scan(%[[X]]) 1 {
// CHECK: %[[Y:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}}
// CHECK: tile.scan(%[[Y]]) 1 reverse
func.func @scan(%x: tensor<4x6xi32>) -> (tensor<4x6xi32>, tensor<4x6xi32>) {
  %up = tile.scan(%x) 1 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.muli %a, %b : i32
    tile.yield %c : i32
  } : (tensor<4x6xi32>) -> tensor<4x6xi32>
  %down = tile.scan(%x) 1 reverse {
  ^bb0(%a: i32, %b: i32):
    %c = arith.muli %a, %b : i32
    tile.yield %c : i32
  } : (tensor<4x6xi32>) -> tensor<4x6xi32>
  return %up, %down : tensor<4x6xi32>, tensor<4x6xi32>
}

// -----

// The inner dimension of a product is zero on both sides; the outer ones may hold anything.

// CHECK-LABEL: func.func @dot
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<16x64xf16>, %[[B:[a-z0-9]+]]: tensor<64x32xf16>
// CHECK-DAG: %[[C:.*]] = arith.select %{{.*}}, %[[A]], %{{.*}} : tensor<16x64xi1>, tensor<16x64xf16>
// CHECK-DAG: %[[D:.*]] = arith.select %{{.*}}, %[[B]], %{{.*}} : tensor<64x32xi1>, tensor<64x32xf16>
// CHECK: tile.dot %[[C]], %[[D]],
// CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf16> * tensor<32x64xf16>
func.func @dot(%a: tensor<12x48xf16>, %b: tensor<48x32xf16>, %c: tensor<12x32xf32>, %d: tensor<12x32xf16>,
               %e: tensor<32x48xf16>, %f: tensor<12x48xf32>) -> (tensor<12x32xf32>, tensor<12x48xf32>) {
  %0 = tile.dot %a, %b, %c : tensor<12x48xf16> * tensor<48x32xf16> -> tensor<12x32xf32>
  %1 = tile.dot %d, %e, %f : tensor<12x32xf16> * tensor<32x48xf16> -> tensor<12x48xf32>
  return %0, %1 : tensor<12x32xf32>, tensor<12x48xf32>
}

// -----

// A reshape whose padding stays at the end needs nothing; others gather.

// CHECK-LABEL: func.func @reshape
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x16xi8>, %[[Y:[a-z0-9]+]]: tensor<16x4xi8>
// CHECK: %[[A:.*]] = tile.reshape %[[X]] : tensor<4x16xi8> -> tensor<64xi8>
// CHECK: %[[FLAT:.*]] = tile.reshape %[[Y]] : tensor<16x4xi8> -> tensor<64xi8>
// CHECK: %[[B:.*]] = tile.gather %[[FLAT]]
// CHECK: return %[[A]], %[[B]]
func.func @reshape(%x: tensor<3x16xi8>, %y: tensor<16x3xi8>) -> (tensor<48xi8>, tensor<48xi8>) {
  %0 = tile.reshape %x : tensor<3x16xi8> -> tensor<48xi8>
  %1 = tile.reshape %y : tensor<16x3xi8> -> tensor<48xi8>
  return %0, %1 : tensor<48xi8>, tensor<48xi8>
}

// -----

// Loops, branches and constants change their types only.

// CHECK-LABEL: func.func @loop
// CHECK: arith.constant dense<3> : tensor<8xi32>
// CHECK: scf.for {{.*}} -> (tensor<8xi32>)
// CHECK: scf.if {{.*}} -> (tensor<8xi32>)
func.func @loop(%x: tensor<7xi32>, %n: i32, %c: i1) -> tensor<7xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant dense<3> : tensor<7xi32>
  %0 = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> tensor<7xi32> : i32 {
    %1 = scf.if %c -> tensor<7xi32> {
      %2 = arith.addi %y, %three : tensor<7xi32>
      scf.yield %2 : tensor<7xi32>
    } else {
      scf.yield %y : tensor<7xi32>
    }
    scf.yield %1 : tensor<7xi32>
  }
  return %0 : tensor<7xi32>
}

// -----

// What has an effect for each element gets a mask.

// CHECK-LABEL: func.func @effects
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt
// CHECK: tile.atomic_cas %{{.*}} mask %[[INSIDE]]
// CHECK: tile.print ["", ""] ["d"](%{{.*}}) mask %[[INSIDE]]
// CHECK: tile.inline_asm "a $0, $1;", "=r,r" pack 1(%{{.*}}) mask %[[INSIDE]] : tensor<4xi1>
// CHECK: tile.inline_asm "a $0, $1;", "=r,r" pack 1 pure(%{{.*}}) : (tensor<4xi32>)
// CHECK: %[[COPIES:.*]] = tile.gather
// CHECK: tile.call_library "f" of ["a.bc"](%[[COPIES]]) mask %{{.*}} : tensor<4xi1> : (tensor<4xi32>)
func.func @effects(%p: tensor<3x!tile.ptr<i32>>, %x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = tile.atomic_cas %p, %x, %x : tensor<3x!tile.ptr<i32>>, tensor<3xi32>
  tile.print ["", ""] ["d"] (%x : tensor<3xi32>)
  %1 = tile.inline_asm "a $0, $1;", "=r,r" pack 1 (%x) : (tensor<3xi32>) -> tensor<3xi32>
  %2 = tile.inline_asm "a $0, $1;", "=r,r" pack 1 pure (%x) : (tensor<3xi32>) -> tensor<3xi32>
  %3 = tile.call_library "f" of ["a.bc"] (%x) : (tensor<3xi32>) -> tensor<3xi32>
  return %2 : tensor<3xi32>
}

// -----

// A function sees copies of elements in the padding; scalars have none.

// CHECK-LABEL: func.func @functions
// CHECK: %[[LAST:.*]] = arith.constant dense<2> : tensor<4xi32>
// CHECK: %[[N:.*]] = tile.splat %arg1
// CHECK: %[[NEAREST:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// CHECK: %[[COPIES:.*]] = tile.gather %arg0[%[[NEAREST]]] 0
// CHECK: tile.map(%[[COPIES]], %[[N]]) 1
func.func @functions(%x: tensor<3xi16>, %n: i16) -> tensor<3xi16> {
  %ns = tile.splat %n : tensor<3xi16>
  %0 = tile.map(%x, %ns) 1 {
  ^bb0(%a: i16, %b: i16):
    %sum = arith.addi %a, %b : i16
    tile.yield %sum : i16
  } : (tensor<3xi16>, tensor<3xi16>) -> tensor<3xi16>
  return %0 : tensor<3xi16>
}

// -----

func.func @unknown(%x: tensor<3xi32>) {
  // expected-error @below {{takes tiles whose sizes are powers of two only, found 'tensor<3xi32>'}}
  "test.unknown"(%x) : (tensor<3xi32>) -> ()
  return
}
