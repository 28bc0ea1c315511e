// RUN: tilewright-opt %s --tile-to-vector=features=+avx2,+fma --canonicalize --cse | FileCheck %s --check-prefixes=ALL,AVX2
// RUN: tilewright-opt %s --tile-to-vector=features=+neon --canonicalize --cse | FileCheck %s --check-prefixes=ALL,ARM,NEON
// RUN: tilewright-opt %s --tile-to-vector=features=+neon,+sve --canonicalize --cse | FileCheck %s --check-prefixes=ALL,ARM,SVE

// A processor with masks loads by them. Without, a full vector is loaded by a plain instruction, because LLVM branches
// on each lane of a mask.
// ALL-LABEL: func.func @bounded(
// AVX2: llvm.intr.masked.load {{.*}} -> vector<32xf32>
// SVE-NOT: scf.if
// SVE: llvm.intr.masked.load {{.*}} -> vector<16xf32>
// NEON: %[[FULL:.*]] = arith.cmpi eq, %{{.*}}, %c16_i64
// NEON: scf.if %[[FULL]] -> (vector<16xf32>)
// NEON-NEXT: llvm.load {{.*}} -> vector<16xf32>
// NEON: else
// NEON-NEXT: llvm.intr.masked.load {{.*}} -> vector<16xf32>
func.func @bounded(%in: !tile.ptr<f32> {tile.slot = 0 : i32, tile.noalias},
                   %out: !tile.ptr<f32> {tile.slot = 1 : i32, tile.noalias}, %n: i32 {tile.slot = 2 : i32})
    attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %count = tile.splat %n : tensor<256xi32>
  %inside = arith.cmpi slt, %r, %count : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %ins, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %to = tile.addptr %outs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %from mask %inside : tensor<256x!tile.ptr<f32>>, mask tensor<256xi1> -> tensor<256xf32>
  tile.store %to, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// A mask that is no comparison with a bound is reduced.
// ALL-LABEL: func.func @selected(
// SVE-NOT: vector.reduction
// SVE: llvm.intr.masked.load
// NEON: %[[FULL:.*]] = vector.reduction <and>, %{{.*}} : vector<16xi1> into i1
// NEON: scf.if %[[FULL]] -> (vector<16xf32>)
func.func @selected(%in: !tile.ptr<f32> {tile.slot = 0 : i32, tile.noalias},
                    %out: !tile.ptr<f32> {tile.slot = 1 : i32, tile.noalias}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %seven = arith.constant dense<7> : tensor<256xi32>
  %rest = arith.andi %r, %seven : tensor<256xi32>
  %chosen = arith.cmpi ne, %rest, %seven : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %ins, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %to = tile.addptr %outs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %from mask %chosen : tensor<256x!tile.ptr<f32>>, mask tensor<256xi1> -> tensor<256xf32>
  tile.store %to, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// A block of sums fills the registers: four rows of two vectors of 256 bits, or of four vectors of 128.
// ALL-LABEL: func.func @multiply(
// AVX2-COUNT-8: math.fma {{.*}} : vector<8xf32>
// ARM-COUNT-16: math.fma {{.*}} : vector<4xf32>
// ALL-LABEL: func.func @end(
func.func @multiply(%a: !tile.ptr<f32> {tile.slot = 0 : i32, tile.noalias},
                    %c: !tile.ptr<f32> {tile.slot = 1 : i32, tile.noalias}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %rows = tile.expand_dims %r 1 : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.expand_dims %r 0 : tensor<32xi32> -> tensor<1x32xi32>
  %width = arith.constant dense<32> : tensor<32x1xi32>
  %first = arith.muli %rows, %width : tensor<32x1xi32>
  %i = tile.broadcast %first : tensor<32x1xi32> -> tensor<32x32xi32>
  %j = tile.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %i, %j : tensor<32x32xi32>
  %as = tile.splat %a : tensor<32x32x!tile.ptr<f32>>
  %cs = tile.splat %c : tensor<32x32x!tile.ptr<f32>>
  %from = tile.addptr %as, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %to = tile.addptr %cs, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %x = tile.load %from : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %product = tile.dot %x, %x, %zero : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  tile.store %to, %product : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
  return
}

func.func @end() attributes {tile.kernel} {
  return
}
