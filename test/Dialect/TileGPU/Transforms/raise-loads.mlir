// RUN: tilewright-opt %s --raise-loads | FileCheck %s

#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>
#row = #tilegpu.layout<register = [[1], [8], [16], [32]], lane = [[2], [4], [0], [0], [0]], warp = [[0], [0]], block = [] : 64>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @raised
  // CHECK: scf.for
  // CHECK: tile.addptr
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tilegpu.group_mma
  // CHECK-NEXT: tilegpu.group_mma_wait
  // CHECK-NEXT: scf.yield
  func.func @raised(%n: i32, %zero: tensor<64x64xf32, #acc>, %p: tensor<64x!tile.ptr<f32>, #row>, %x: !tilegpu.buffer<64x64xf16, #shared>, %first: tensor<64xf32, #row>) -> tensor<64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %first) -> (tensor<64xf32, #row>) : i32 {
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %w = tilegpu.group_mma_wait %s pending 0 read %x, %x : !tilegpu.buffer<64x64xf16, #shared>, !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      %o = tile.splat %i : tensor<64xi32, #row>
      %q = tile.addptr %p, %o : tensor<64x!tile.ptr<f32>, #row>, tensor<64xi32, #row>
      %v = tile.load %q : tensor<64x!tile.ptr<f32>, #row> -> tensor<64xf32, #row>
      scf.yield %v : tensor<64xf32, #row>
    }
    return %r : tensor<64xf32, #row>
  }

  // The accumulators and the values of two loads have 192 registers, of three loads more: the third load only comes
  // before the wait.
  // CHECK-LABEL: @manyRegisters
  // CHECK: scf.for
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tile.load
  // CHECK-COUNT-5: tilegpu.group_mma "
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tilegpu.group_mma_wait
  // CHECK-NEXT: arith.addf
  func.func @manyRegisters(%n: i32, %zero: tensor<64x64xf32, #acc>, %p: tensor<64x!tile.ptr<f32>, #row>, %x: !tilegpu.buffer<64x64xf16, #shared>, %first: tensor<64xf32, #row>) -> tensor<64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %first) -> (tensor<64xf32, #row>) : i32 {
      %s0 = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %s1 = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %s2 = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %s3 = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %s4 = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %w = tilegpu.group_mma_wait %s4 pending 0 read %x, %x : !tilegpu.buffer<64x64xf16, #shared>, !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      %v = tile.load %p : tensor<64x!tile.ptr<f32>, #row> -> tensor<64xf32, #row>
      %v1 = tile.load %p : tensor<64x!tile.ptr<f32>, #row> -> tensor<64xf32, #row>
      %v2 = tile.load %p : tensor<64x!tile.ptr<f32>, #row> -> tensor<64xf32, #row>
      %a = arith.addf %v, %v1 : tensor<64xf32, #row>
      %b = arith.addf %a, %v2 : tensor<64xf32, #row>
      scf.yield %b : tensor<64xf32, #row>
    }
    return %r : tensor<64xf32, #row>
  }

  // The loop writes what it loads.
  // CHECK-LABEL: @written
  // CHECK: tilegpu.group_mma
  // CHECK-NEXT: tilegpu.group_mma_wait
  // CHECK-NEXT: tile.load
  func.func @written(%n: i32, %zero: tensor<64x64xf32, #acc>, %p: tensor<64x!tile.ptr<f32>, #row>, %x: !tilegpu.buffer<64x64xf16, #shared>, %first: tensor<64xf32, #row>) -> tensor<64xf32, #row> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %first) -> (tensor<64xf32, #row>) : i32 {
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %w = tilegpu.group_mma_wait %s pending 0 read %x, %x : !tilegpu.buffer<64x64xf16, #shared>, !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      %v = tile.load %p : tensor<64x!tile.ptr<f32>, #row> -> tensor<64xf32, #row>
      tile.store %p, %last : tensor<64x!tile.ptr<f32>, #row>, tensor<64xf32, #row>
      scf.yield %v : tensor<64xf32, #row>
    }
    return %r : tensor<64xf32, #row>
  }

  // Volatile loads, and those whose addresses depend on a dot.
  // CHECK-LABEL: @others
  // CHECK: tilegpu.group_mma
  // CHECK-NEXT: tilegpu.group_mma_wait
  // CHECK: tile.load {{.*}} volatile
  // CHECK: tile.load
  func.func @others(%n: i32, %zero: tensor<64x64xf32, #acc>, %p: tensor<64x64x!tile.ptr<f16>, #acc>, %v: tensor<64x!tile.ptr<f32>, #row>, %x: !tilegpu.buffer<64x64xf16, #shared>, %first: tensor<64xf32, #row>, %t: tensor<64x64xf16, #acc>) -> (tensor<64xf32, #row>, tensor<64x64xf16, #acc>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%last = %first, %a = %t) -> (tensor<64xf32, #row>, tensor<64x64xf16, #acc>) : i32 {
      %s = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x transposed, %zero : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %w = tilegpu.group_mma_wait %s pending 0 read %x, %x : !tilegpu.buffer<64x64xf16, #shared>, !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      %y = tile.load %v {isVolatile} : tensor<64x!tile.ptr<f32>, #row> -> tensor<64xf32, #row>
      %o = arith.fptosi %w : tensor<64x64xf32, #acc> to tensor<64x64xi32, #acc>
      %q = tile.addptr %p, %o : tensor<64x64x!tile.ptr<f16>, #acc>, tensor<64x64xi32, #acc>
      %z = tile.load %q : tensor<64x64x!tile.ptr<f16>, #acc> -> tensor<64x64xf16, #acc>
      scf.yield %y, %z : tensor<64xf32, #row>, tensor<64x64xf16, #acc>
    }
    return %r#0, %r#1 : tensor<64xf32, #row>, tensor<64x64xf16, #acc>
  }
}
