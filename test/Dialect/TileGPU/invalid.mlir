// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{a layout has the inputs register, lane, warp and block, or offset; coordinates inside its shape}}
func.func @outside(%x: tensor<4xf32, #tilegpu.layout<register = [[4]], lane = [], warp = [], block = [] : 4>>) { return }

// -----

// expected-error @+1 {{the layout has a different shape}}
func.func @shape(%x: tensor<8xf32, #tilegpu.layout<offset = [[1], [2]] : 4>>) { return }

// -----

// The elements of a pair are in different lanes.
#lanes = #tilegpu.layout<register = [], lane = [[0, 1], [1, 0]], warp = [], block = [] : 2x2>
func.func @split(%x: tensor<2x2xf32, #lanes>) {
  // expected-error @below {{determines none for the result, of shape 2}}
  // expected-error @below {{failed to infer returned types}}
  %0, %1 = tile.split %x : tensor<2x2xf32, #lanes> -> tensor<2xf32>
  return
}

// -----

// A tile has no layout in shared memory.
#shared = #tilegpu.layout<offset = [[1], [2]] : 4>
func.func @memory(%x: tensor<4xf32, #shared>) {
  // expected-error @below {{determines none for the result, of shape 1x4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x 0 : tensor<4xf32, #shared> -> tensor<1x4xf32>
  return
}

// -----

#rows = #tilegpu.layout<offset = [[1], [2]] : 4>
func.func @slots(%x: !tilegpu.buffer<4xf32, #rows, 2>, %y: tensor<4xf32>) {
  // expected-error @+1 {{needs one slot of the buffer}}
  tilegpu.local_store %y, %x : tensor<4xf32> -> !tilegpu.buffer<4xf32, #rows, 2>
  return
}

// -----

#rows = #tilegpu.layout<offset = [[1], [2]] : 4>
func.func @phase(%x: !tilegpu.buffer<4xf32, #rows, 2>, %i: i32, %p: i1) {
  %next, %phase = tilegpu.ring_next %i, %p of 2
  // expected-error @+1 {{index and phase must be of the same position}}
  %0 = tilegpu.local_slot %x[%next phase %p] : !tilegpu.buffer<4xf32, #rows, 2> -> !tilegpu.buffer<4xf32, #rows>
  return
}

// -----

#rows = #tilegpu.layout<offset = [[1], [2]] : 4>
func.func @ring(%x: !tilegpu.buffer<4xf32, #rows, 2>, %i: i32, %p: i1) {
  %next, %phase = tilegpu.ring_next %i, %p of 3
  // expected-error @+1 {{the position is one in a ring of 3 slots, and the buffer has 2}}
  %0 = tilegpu.local_slot %x[%next] : !tilegpu.buffer<4xf32, #rows, 2> -> !tilegpu.buffer<4xf32, #rows>
  return
}

// -----

#rows = #tilegpu.layout<offset = [[1], [2]] : 4>
func.func @element(%x: !tilegpu.buffer<4xf32, #rows>) {
  // expected-error @+1 {{moves 'tensor<4xf16>', but the buffer is}}
  %0 = tilegpu.local_load %x : !tilegpu.buffer<4xf32, #rows> -> tensor<4xf16>
  return
}

// -----

#rows = #tilegpu.layout<offset = [[1], [2], [4]] : 8>
func.func @part(%x: !tilegpu.buffer<8xf32, #rows>) {
  %0 = tilegpu.local_load %x from [4] : !tilegpu.buffer<8xf32, #rows> -> tensor<4xf32>
  // expected-error @+1 {{reads 'tensor<4xf32>' from [2], but the buffer is}}
  %1 = tilegpu.local_load %x from [2] : !tilegpu.buffer<8xf32, #rows> -> tensor<4xf32>
  return
}

// -----

#rows = #tilegpu.layout<offset = [[1], [2], [4]] : 8>
func.func @beyond(%x: !tilegpu.buffer<8xf32, #rows>) {
  // expected-error @+1 {{reads 'tensor<4xf32>' from [8], but the buffer is}}
  %1 = tilegpu.local_load %x from [8] : !tilegpu.buffer<8xf32, #rows> -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{a buffer's layout maps from (offset)}}
func.func @buffer(%x: !tilegpu.buffer<1xf32, #tilegpu.layout<register = [], lane = [], warp = [], block = [] : 1>>) { return }

// -----

func.func @instruction(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{there is no instruction m16n8k64.f16.f16.f32}}
  %0 = tilegpu.mma "m16n8k64.f16.f16.f32" %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @multiply(%a: tensor<2x16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{the shapes are incompatible}}
  %0 = tilegpu.mma "m16n8k16.f16.f16.f32" %a, %a, %c : tensor<2x16x16xf16> * tensor<2x16x16xf16> -> tensor<16x16xf32>
  return
}

// -----

#rows = #tilegpu.layout<offset = [[0, 1], [1, 0], [2, 0]] : 4x2>
func.func @gather(%x: !tilegpu.buffer<4x2xf32, #rows>, %i: tensor<4x8xi32>) {
  // expected-error @+1 {{cannot gather 'tensor<4x8xf32>' from '!tilegpu.buffer<4x2xf32}}
  %0 = tilegpu.local_gather %x[%i] 0 : !tilegpu.buffer<4x2xf32, #rows>, tensor<4x8xi32> -> tensor<4x8xf32>
  return
}

// -----

func.func @schedule(%n: i32) {
  // expected-error @+1 {{stage, cluster and partition must not be negative}}
  %0 = arith.addi %n, %n {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = -1, partition = 0>} : i32
  return
}

// -----

func.func @schedule(%n: i32) {
  // expected-error @+1 {{needs a #tilegpu.schedule, not 0 : i32}}
  %0 = arith.addi %n, %n {tilegpu.schedule = 0 : i32} : i32
  return
}

// -----

func.func @schedule(%n: i32) {
  // expected-error @+1 {{has a schedule, but is not in the body of a loop}}
  %0 = arith.addi %n, %n {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>} : i32
  return
}

// -----

func.func @schedule(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = arith.addi %i, %i {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>} : i32
    // expected-error @+1 {{needs a schedule, as other operations of the loop have one}}
    %1 = arith.addi %i, %0 : i32
  }
  return
}

// -----

func.func @partition(%n: i32) {
  // expected-error @+1 {{needs a partition of at least 0}}
  %0 = arith.addi %n, %n {tilegpu.partition = -1 : i64} : i32
  return
}

// -----

func.func @groupInstruction(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{there is no instruction m32k16.f16.f16.f32}}
  %0 = tilegpu.group_mma "m32k16.f16.f16.f32" %a, %b, %c : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @groupShapes(%a: tensor<64x16xf16>, %b: tensor<64x16xf16>, %c: tensor<64x64xf32>) {
  %0 = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b transposed, %c : tensor<64x16xf16> * tensor<64x16xf16> -> tensor<64x64xf32>
  // expected-error @below {{the shapes are incompatible}}
  %1 = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %c : tensor<64x16xf16> * tensor<64x16xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @groupTypes(%a: tensor<64x16xf32>, %b: tensor<16x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{the element types do not match the instruction}}
  %0 = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %c : tensor<64x16xf32> * tensor<16x64xf16> -> tensor<64x64xf32>
  return
}

// -----

#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]] : 64x16>
func.func @groupRegisters(%b: tensor<16x64xf16>, %c: tensor<64x64xf32>) {
  %a = tilegpu.local_alloc : !tilegpu.buffer<64x16xf16, #a>
  // expected-error @below {{has a buffer as the operand in registers}}
  %0 = tilegpu.group_mma "m64k16.f16.f16.f32" %a registers, %b, %c : !tilegpu.buffer<64x16xf16, #a> * tensor<16x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @groupContinues(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %c: tensor<64x64xf32>, %continues: i1) {
  // expected-error @below {{waits for sums that may begin at zero, which only asynchronous ones do}}
  %0 = tilegpu.group_mma "m64k16.f16.f16.f32" %a, %b, %c if %continues : tensor<64x16xf16> * tensor<16x64xf16> -> tensor<64x64xf32>
  return
}

// -----

#a = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]] : 64x16>
func.func @groupSlots(%b: tensor<16x64xf16>, %c: tensor<64x64xf32>) {
  %ring = tilegpu.local_alloc : !tilegpu.buffer<64x16xf16, #a, 2>
  // expected-error @below {{needs one slot of the buffer}}
  %1 = tilegpu.group_mma "m64k16.f16.f16.f32" %ring, %b, %c : !tilegpu.buffer<64x16xf16, #a, 2> * tensor<16x64xf16> -> tensor<64x64xf32>
  return
}

// -----

// expected-error @below {{a tensor map can't have elements of type 'i24'}}
#map = #tilegpu.tensor_map<i24, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64>

// -----

// expected-error @below {{found 2 extents, 1 extents of the box and 1 strides}}
#map = #tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32], swizzle = 64>

// -----

// expected-error @below {{found 2 extents, 2 extents of the box and 0 strides}}
#map = #tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [], box = [32, 64], swizzle = 64>

// -----

// expected-error @below {{found 0 extents, 0 extents of the box and 0 strides}}
#map = #tilegpu.tensor_map<f16, slot = 0, extents = [], strides = [], box = [], swizzle = 64>

// -----

// expected-error @below {{found 6 extents, 6 extents of the box and 5 strides}}
#map = #tilegpu.tensor_map<f16, slot = 0, extents = [0, 0, 0, 0, 0, 0], strides = [0, 0, 0, 0, 0], box = [32, 1, 1, 1, 1, 1], swizzle = 64>

// -----

// expected-error @below {{a swizzle is one of 0, 32, 64 and 128 bytes, not 16}}
#map = #tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 16>

// -----

// expected-error @below {{the extents of a box must be positive, and below 2^32}}
#map = #tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, -64], swizzle = 64>

// -----

// expected-error @below {{tensor map 0: a stride is step 4, which is not one of the 4 steps that has a value}}
func.func @mapOfUnknownStep(%x: !tile.ptr<f16>, %map: !llvm.ptr {thread.tensor_map}) attributes {
    tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [4], box = [32, 64], swizzle = 64>], tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>} { return }

// -----

// expected-error @below {{tensor map 0: the lines of a box must have at most the swizzle's 64 bytes}}
func.func @mapOfWideLine(%x: !tile.ptr<f16>, %map: !llvm.ptr {thread.tensor_map}) attributes {
    tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [64, 64], swizzle = 64>], tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>} { return }

// -----

// expected-error @below {{only floats of at least 16 bits can be filled with NaN, and these are i16}}
func.func @mapOfNaN(%x: !tile.ptr<f16>, %map: !llvm.ptr {thread.tensor_map}) attributes {
    tilegpu.tensor_maps = [#tilegpu.tensor_map<i16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64, nanFill = true>], tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>} { return }

// -----

// expected-error @below {{needs the steps of its tensor maps in tilegpu.tensor_map_steps}}
func.func @mapWithoutSteps(%x: !tile.ptr<f16>, %map: !llvm.ptr {thread.tensor_map}) attributes {
    tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64>]} { return }

// -----

// expected-error @below {{needs the steps of its tensor maps in tilegpu.tensor_map_steps}}
func.func @mapOfDamagedSteps(%x: !tile.ptr<f16>, %map: !llvm.ptr {thread.tensor_map}) attributes {
    tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64>], tilegpu.tensor_map_steps = array<i64: 16385, 2>} { return }

// -----

// expected-error @below {{needs #tilegpu.tensor_map attributes in tilegpu.tensor_maps}}
func.func @noMaps(%x: !tile.ptr<f16>, %map: !llvm.ptr {thread.tensor_map}) attributes {
    tilegpu.tensor_maps = [ ], tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>} { return }

// -----

// expected-error @below {{needs #tilegpu.tensor_map attributes in tilegpu.tensor_maps}}
func.func @otherMaps(%x: !tile.ptr<f16>, %map: !llvm.ptr {thread.tensor_map}) attributes {
    tilegpu.tensor_maps = [1], tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>} { return }

// -----

// expected-error @below {{has 1 tensor maps, but fewer arguments}}
func.func @mapWithoutArgument() attributes {
    tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64>], tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>} { return }

// -----

// expected-error @below {{has 2 arguments, but 2 slots and 1 tensor maps}}
func.func @mapWithSlot(%x: !tile.ptr<f16>, %map: !llvm.ptr {thread.tensor_map}) attributes {
    tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64], swizzle = 64>], tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, 16385, 1, 0, 16384, 2, 2, 16390, 0, 2>, tilegpu.slots = array<i32: 0, 1>} { return }

// -----

// The producer would not arrive at the second barrier.
module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32} {
  func.func @producerMisses() {
    // expected-error @below {{has regions with different numbers of joint barriers}}
    tilegpu.specialize_warps producer {
      tilegpu.barrier joint {tilegpu.partition = 1 : i64}
    } consumers {
      tilegpu.barrier joint
      tilegpu.barrier joint
    }
    return
  }
}

// -----

// Joint barriers in branches count, and other barriers of the consumers do not.
module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32} {
  func.func @consumersMiss() {
    // expected-error @below {{has regions with different numbers of joint barriers}}
    tilegpu.specialize_warps producer {
      tilegpu.barrier joint {tilegpu.partition = 1 : i64}
      %some = arith.constant true
      scf.if %some {
        tilegpu.barrier joint {tilegpu.partition = 1 : i64}
      }
    } consumers {
      tilegpu.barrier joint
      tilegpu.barrier
    }
    return
  }
}

// -----

module attributes {tilegpu.num_warps = 8 : i32} {
  func.func @noProducerWarps() {
    // expected-error @below {{needs `tilegpu.producer_warps` on the module}}
    tilegpu.specialize_warps producer {
    } consumers {
    }
    return
  }
}

// -----

module attributes {tilegpu.num_warps = 6 : i32, tilegpu.producer_warps = 4 : i32} {
  func.func @partOfAGroup() {
    // expected-error @below {{needs consumers that are whole warp groups}}
    tilegpu.specialize_warps producer {
    } consumers {
    }
    return
  }
}

// -----

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32} {
  func.func @registersAtStart() {
    // expected-error @below {{needs `tilegpu.registers` and two numbers of registers, multiples of 8 from 24 to 256}}
    tilegpu.specialize_warps registers [24, 240] producer {
    } consumers {
    }
    return
  }
}

// -----

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32, tilegpu.registers = 168 : i32} {
  func.func @threeCounts() {
    // expected-error @below {{needs `tilegpu.registers` and two numbers of registers, multiples of 8 from 24 to 256}}
    tilegpu.specialize_warps registers [24, 240, 240] producer {
    } consumers {
    }
    return
  }
}

// -----

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32, tilegpu.registers = 168 : i32} {
  func.func @noMultiple() {
    // expected-error @below {{needs `tilegpu.registers` and two numbers of registers, multiples of 8 from 24 to 256}}
    tilegpu.specialize_warps registers [24, 236] producer {
    } consumers {
    }
    return
  }
}

// -----

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32, tilegpu.registers = 168 : i32} {
  func.func @tooFew() {
    // expected-error @below {{needs `tilegpu.registers` and two numbers of registers, multiples of 8 from 24 to 256}}
    tilegpu.specialize_warps registers [16, 240] producer {
    } consumers {
    }
    return
  }
}

// -----

module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32, tilegpu.registers = 248 : i32} {
  func.func @tooMany() {
    // expected-error @below {{needs `tilegpu.registers` and two numbers of registers, multiples of 8 from 24 to 256}}
    tilegpu.specialize_warps registers [24, 264] producer {
    } consumers {
    }
    return
  }
}

// -----

// The consumers only take registers.
module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32, tilegpu.registers = 168 : i32} {
  func.func @consumersCede() {
    // expected-error @below {{has more registers than the kernel starts with}}
    tilegpu.specialize_warps registers [24, 160] producer {
    } consumers {
    }
    return
  }
}

// -----

// Four warps of 32 and eight of 240 have more than twelve of 168.
module attributes {tilegpu.num_warps = 8 : i32, tilegpu.producer_warps = 4 : i32, tilegpu.registers = 168 : i32} {
  func.func @tooManyTogether() {
    // expected-error @below {{has more registers than the kernel starts with}}
    tilegpu.specialize_warps registers [32, 240] producer {
    } consumers {
    }
    return
  }
}

// -----

#whole = #tilegpu.layout<register = [[0, 1], [4, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = [] : 8x8>
#half = #tilegpu.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = [] : 4x8>
func.func @sliceBetweenParts(%x: tensor<8x8xf32, #whole>) {
  // expected-error @below {{takes 'tensor<4x8xf32, #tilegpu.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = [] : 4x8>>' from [2, 0], but the tile is}}
  %0 = tilegpu.extract_slice %x from [2, 0] : tensor<8x8xf32, #whole> -> tensor<4x8xf32, #half>
  return
}

// -----

#whole = #tilegpu.layout<register = [[0, 1], [4, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [0, 0]], warp = [], block = [] : 8x8>
#other = #tilegpu.layout<register = [[0, 1]], lane = [[0, 4], [0, 2], [1, 0], [2, 0], [0, 0]], warp = [], block = [] : 4x8>
func.func @sliceOfOtherThreads(%x: tensor<8x8xf32, #whole>) {
  // expected-error @below {{whose threads do not hold it in this layout}}
  %0 = tilegpu.extract_slice %x from [4, 0] : tensor<8x8xf32, #whole> -> tensor<4x8xf32, #other>
  return
}

// -----

// The second column is of another lane.
#whole = #tilegpu.layout<register = [[1, 0]], lane = [[0, 1], [2, 0], [4, 0], [0, 0], [0, 0]], warp = [], block = [] : 8x2>
#part = #tilegpu.layout<register = [[1, 0]], lane = [[0, 0], [2, 0], [4, 0], [0, 0], [0, 0]], warp = [], block = [] : 8x1>
func.func @sliceOfLanes(%x: tensor<8x2xf32, #whole>) {
  // expected-error @below {{whose threads do not hold it in this layout}}
  %0 = tilegpu.extract_slice %x from [0, 1] : tensor<8x2xf32, #whole> -> tensor<8x1xf32, #part>
  return
}
