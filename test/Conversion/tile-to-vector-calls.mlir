// RUN: tilewright-opt %s --tile-to-vector=features=+avx512f --canonicalize --cse | FileCheck %s

// Tiles are passed and returned in scratch memory, scalars as values behind a status. The scratch memory of a called
// function follows that of its caller: 256 bytes of the kernel for each of the three tiles, and 256 of @half for the
// tile that it passes on.
// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %[[SCRATCH:[a-z0-9]*]]: !llvm.ptr) -> i32
// CHECK-SAME: tile.scratch_bytes = 1024
// CHECK-DAG: %[[RESULT:.*]] = llvm.getelementptr %[[SCRATCH]][256]
// CHECK-DAG: %[[BEHIND:.*]] = llvm.getelementptr %[[SCRATCH]][768]
// CHECK: %[[OUT:.*]]:2 = func.call @half(%{{.*}}, %[[BEHIND]], %[[SCRATCH]], %{{.*}}, %[[RESULT]])
// CHECK: llvm.load %[[RESULT]] {{.*}} -> vector<64xf32>
// CHECK: vector.broadcast %[[OUT]]#1
func.func @kernel(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  tile.barrier
  %h, %m = tile.call @half(%v, %n) : (tensor<64xf32>, i32) -> (tensor<64xf32>, f32)
  tile.barrier
  %ms = tile.splat %m : tensor<64xf32>
  %s = arith.addf %h, %ms : tensor<64xf32>
  %again, %other = tile.call @half(%s, %n) : (tensor<64xf32>, i32) -> (tensor<64xf32>, f32)
  tile.store %p, %again : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// A tile that is only passed on is not copied.
// CHECK-LABEL: func.func private @half(
// CHECK-SAME: %[[OWN:[a-z0-9]*]]: !llvm.ptr, %[[V:[a-z0-9]*]]: !llvm.ptr, %[[N:[a-z0-9]*]]: i32,
// CHECK-SAME: %[[INTO:[a-z0-9]*]]: !llvm.ptr) -> (i32, f32)
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: %[[BEHIND:.*]] = llvm.getelementptr %[[OWN]][256]
// CHECK: %[[OUT:.*]]:2 = call @scale({{.*}}, %[[BEHIND]], %[[V]], %[[N]], %[[OWN]])
// CHECK: scf.for
// CHECK: llvm.getelementptr %[[OWN]]
// CHECK: llvm.load
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[INTO]]
// CHECK: llvm.store %{{.*}}, %[[TO]]
// CHECK: return %{{.*}}, %[[OUT]]#1
func.func private @half(%v: tensor<64xf32>, %n: i32) -> (tensor<64xf32>, f32) {
  %w, %f = tile.call @scale(%v, %n) : (tensor<64xf32>, i32) -> (tensor<64xf32>, f32)
  return %w, %f : tensor<64xf32>, f32
}

// CHECK-LABEL: func.func private @scale(
// CHECK: %[[F:.*]] = arith.sitofp
// CHECK: arith.mulf
// CHECK: return %{{.*}}, %[[F]]
func.func private @scale(%v: tensor<64xf32>, %n: i32) -> (tensor<64xf32>, f32) {
  %f = arith.sitofp %n : i32 to f32
  %fs = tile.splat %f : tensor<64xf32>
  %w = arith.mulf %v, %fs : tensor<64xf32>
  return %w, %f : tensor<64xf32>, f32
}
