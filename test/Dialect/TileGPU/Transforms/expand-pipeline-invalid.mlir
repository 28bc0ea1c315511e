// RUN: tilewright-opt %s --expand-pipeline --split-input-file --verify-diagnostics

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>
#first = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>
#middle = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>
#last = #tilegpu.schedule<stage = 2, cluster = 2, partition = 0>

// Copies have no result.
func.func @f(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %z: tensor<64x32xf16, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{of stage 0 must only be stored to buffers, or not at all}}
    %y = tile.load %p contiguity [1, 32] width [1, 8] {tilegpu.schedule = #first} : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
    %m = tilegpu.local_alloc {tilegpu.schedule = #last} : !buffer
    tilegpu.local_store %y, %m {tilegpu.schedule = #first} : tensor<64x32xf16, #rows> -> !buffer
    %a = tilegpu.local_load %m {tilegpu.schedule = #last} : !buffer -> tensor<64x32xf16, #rows>
    %d = arith.addf %y, %a {tilegpu.schedule = #last} : tensor<64x32xf16, #rows>
  }
  return
}

// -----

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>
#first = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>
#middle = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>
#last = #tilegpu.schedule<stage = 2, cluster = 2, partition = 0>

// Only loads become copies.
func.func @f(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %z: tensor<64x32xf16, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    %y = tile.load %p contiguity [1, 32] width [1, 8] {tilegpu.schedule = #first} : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
    %m = tilegpu.local_alloc {tilegpu.schedule = #last} : !buffer
    // expected-error @+1 {{of stage 0 must store the result of a load}}
    tilegpu.local_store %z, %m {tilegpu.schedule = #first} : tensor<64x32xf16, #rows> -> !buffer
    %a = tilegpu.local_load %m {tilegpu.schedule = #last} : !buffer -> tensor<64x32xf16, #rows>
  }
  return
}

// -----

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>
#first = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>
#middle = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>
#last = #tilegpu.schedule<stage = 2, cluster = 2, partition = 0>

// Nothing may happen for iterations that do not exist.
func.func @f(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %z: tensor<64x32xf16, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    %y = tile.load %p contiguity [1, 32] width [1, 8] {tilegpu.schedule = #first} : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
    %m = tilegpu.local_alloc {tilegpu.schedule = #last} : !buffer
    tilegpu.local_store %y, %m {tilegpu.schedule = #first} : tensor<64x32xf16, #rows> -> !buffer
    // expected-error @+1 {{cannot be executed for iterations that do not exist, as it is in stage 0}}
    tile.print ["k", ""] ["d"] (%k : i32) {tilegpu.schedule = #first}
    %a = tilegpu.local_load %m {tilegpu.schedule = #last} : !buffer -> tensor<64x32xf16, #rows>
  }
  return
}

// -----

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>
#first = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>
#middle = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>
#last = #tilegpu.schedule<stage = 2, cluster = 2, partition = 0>

// The value is that of another iteration.
func.func @f(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %z: tensor<64x32xf16, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    %y = tile.load %p contiguity [1, 32] width [1, 8] {tilegpu.schedule = #first} : tensor<64x32x!tile.ptr<f16>, #rows> -> tensor<64x32xf16, #rows>
    %m = tilegpu.local_alloc {tilegpu.schedule = #last} : !buffer
    tilegpu.local_store %y, %m {tilegpu.schedule = #first} : tensor<64x32xf16, #rows> -> !buffer
    %s = arith.addi %k, %k {tilegpu.schedule = #first} : i32
    // expected-error @+1 {{may only use copied data and values of its own stage}}
    %t = arith.addi %s, %k {tilegpu.schedule = #middle} : i32
    %a = tilegpu.local_load %m {tilegpu.schedule = #last} : !buffer -> tensor<64x32xf16, #rows>
  }
  return
}

// -----

#rows = #tilegpu.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = [] : 64x32>
#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]] : 64x32>
!buffer = !tilegpu.buffer<64x32xf16, #shared>
#first = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>
#middle = #tilegpu.schedule<stage = 1, cluster = 1, partition = 0>
#last = #tilegpu.schedule<stage = 2, cluster = 2, partition = 0>

// A loop of one stage.
func.func @f(%p: tensor<64x32x!tile.ptr<f16>, #rows>, %n: i32, %z: tensor<64x32xf16, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{needs loads in stage 0, and a later stage}}
  scf.for %k = %c0 to %n step %c1 : i32 {
    %s = arith.addi %k, %k {tilegpu.schedule = #first} : i32
  }
  return
}
