// tile.map: a function of scalars, applied to one element after the other.
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics | tilewright-opt --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --tile-to-vector | FileCheck %s --check-prefix=CPU
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --assign-layouts="target=sm_90a num-warps=1" --tilegpu-to-thread --canonicalize | FileCheck %s --check-prefix=THREAD

// CHECK-LABEL: func.func @halved
// CHECK: tile.map(%{{.*}}) 2 {

// A group of two lanes per iteration.
// CPU-LABEL: func.func @halved
// CPU: scf.for %{{.*}} = %c0_i64 to %{{.*}} step %c2_i64 iter_args
// CPU-COUNT-2: vector.extract
// CPU: scf.if
// CPU-COUNT-2: vector.insert

// Each of 32 threads has four of 128 elements: two groups.
// THREAD-LABEL: func.func @halved
// THREAD-COUNT-2: scf.if
// THREAD-NOT: scf.if
func.func @halved(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 128 : tensor<128xi32>
  %base = tile.splat %x : tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %base, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %values = tile.load %p : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %mapped = tile.map(%values) 2 {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %first, %second = scf.if %less -> (i32, i32) {
      %product = arith.muli %a, %b : i32
      scf.yield %product, %b : i32, i32
    } else {
      %sum = arith.addi %a, %b : i32
      scf.yield %a, %sum : i32, i32
    }
    tile.yield %first, %second : i32, i32
  } : (tensor<128xi32>) -> tensor<128xi32>
  tile.store %p, %mapped : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}

// -----

func.func @no_power_of_two(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @below {{needs operands, results, and a `pack` that is a power of two, found 3}}
  %0 = tile.map(%x) 3 {
  ^bb0(%a: i32, %b: i32, %c: i32):
    tile.yield %a, %b, %c : i32, i32, i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @wrong_yield(%x: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @below {{function must take 'i32' and yield 'f32'}}
  %0 = tile.map(%x) 1 {
  ^bb0(%a: i32):
    tile.yield %a : i32
  } : (tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
