// tilegpu-to-thread: loads and stores as wide as alignment, contiguity and mask allow.
// RUN: tilewright-opt %s --tilegpu-to-thread --split-input-file | FileCheck %s

#four = #tilegpu.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = [], block = [] : 256>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Two groups of four contiguous elements; the pointer argument is aligned to 16 bytes.
  // CHECK-LABEL: func.func @wide
  // CHECK-SAME: (%{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, thread.noalias}, %[[N:.*]]: i32)
  // CHECK: arith.constant dense<[0, 1, 2, 3, 128, 129, 130, 131]> : vector<8xi32>
  // CHECK-COUNT-2: thread.load {{.*}} : <1> -> vector<4xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
  // A mask that may change at any element requires accesses of one element.
  // CHECK-COUNT-8: thread.store {{.*}} mask {{.*}} : <1>, vector<1xf32>
  func.func @wide(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.noalias, tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32})
      attributes {tile.kernel} {
    %i = tile.make_range 0 to 256 : tensor<256xi32, #four>
    %b = tile.splat %p : tensor<256x!tile.ptr<f32>, #four>
    %q = tile.addptr %b, %i : tensor<256x!tile.ptr<f32>, #four>, tensor<256xi32, #four>
    %x = tile.load %q contiguity [256] width [4] : tensor<256x!tile.ptr<f32>, #four> -> tensor<256xf32, #four>
    %y = arith.addf %x, %x : tensor<256xf32, #four>
    %s = tile.splat %n : tensor<256xi32, #four>
    %m = arith.cmpi slt, %i, %s : tensor<256xi32, #four>
    tile.store %q, %y mask %m contiguity [256] width [1] : tensor<256x!tile.ptr<f32>, #four>, tensor<256xf32, #four>, mask tensor<256xi1, #four>
    return
  }

  // Bytes that are passed by value are a parameter, from which every thread loads.
  // CHECK-LABEL: func.func @by_value
  // CHECK-SAME: (%[[P:.*]]: !llvm.ptr<1>, %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>})
  // CHECK-SAME: tilegpu.slots = array<i32: 0, 8>
  // CHECK: %[[A:.*]] = llvm.getelementptr %[[MAP]][16] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK: llvm.load %[[A]] invariant : !llvm.ptr -> i32
  func.func @by_value(%p: !tile.ptr<i32> {tile.slot = 0 : i32}, %map: !tile.bytes<128, 64> {tile.slot = 8 : i32})
      attributes {tile.kernel} {
    %x = tile.read_bytes %map[16] : <128, 64> -> i32
    tile.store %p, %x : !tile.ptr<i32>, i32
    return
  }

  // Tensor maps, which the launcher makes, have no slot in the launch.
  // CHECK-LABEL: func.func @tensor_map
  // CHECK-SAME: (%{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: !llvm.ptr {thread.tensor_map})
  // CHECK-SAME: tilegpu.slots = array<i32: 0, 5>, {{.*}}tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0
  func.func @tensor_map(%p: !tile.ptr<f16> {tile.slot = 0 : i32}, %n: i64 {tile.slot = 5 : i32},
                        %map: !llvm.ptr {thread.tensor_map}) attributes {tile.kernel,
      tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [0], strides = [], box = [32], swizzle = 64>],
      tilegpu.tensor_map_steps = array<i64: 16385, 5, 0>} {
    return
  }

  // LLVM may keep values in registers only if no thread writes them: an argument that is stored to, or updated through
  // an address computed from it, is not `llvm.noalias`.
  // CHECK-LABEL: func.func @readOnly
  // CHECK-SAME: (%{{[^:]*}}: !llvm.ptr<1> {llvm.noalias, thread.noalias}, %{{[^:]*}}: !llvm.ptr<1> {thread.noalias},
  // CHECK-SAME: %{{[^:]*}}: !llvm.ptr<1> {thread.noalias}, %{{[^:]*}}: !llvm.ptr<1>)
  func.func @readOnly(%read: !tile.ptr<i32> {tile.noalias}, %stored: !tile.ptr<i32> {tile.noalias},
                      %updated: !tile.ptr<i32> {tile.noalias}, %any: !tile.ptr<i32>) attributes {tile.kernel} {
    %x = tile.load %read : !tile.ptr<i32> -> i32
    tile.store %stored, %x : !tile.ptr<i32>, i32
    %next = tile.addptr %updated, %x : !tile.ptr<i32>, i32
    %old = tile.atomic_rmw #tile.rmw<add> %next, %x : !tile.ptr<i32>, i32
    return
  }

  // A store to an address of unknown origin may alias any argument.
  // CHECK-LABEL: func.func @unknownStore
  // CHECK-NOT: llvm.noalias
  // CHECK: return
  func.func @unknownStore(%read: !tile.ptr<i32> {tile.noalias}, %address: i64) attributes {tile.kernel} {
    %x = tile.load %read : !tile.ptr<i32> -> i32
    %to = tile.int_to_ptr %address : i64 -> !tile.ptr<i32>
    tile.store %to, %x : !tile.ptr<i32>, i32
    return
  }
}

// -----

#copies = #tilegpu.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0]], block = [] : 8>
module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  // Lanes 8 and up and the second warp hold replicas: they store nothing. A scalar is stored by one thread.
  // CHECK-LABEL: func.func @copies
  // CHECK-DAG: %[[LANES:.*]] = arith.constant 24 : i32
  // CHECK: arith.andi %{{.*}}, %[[LANES]] : i32
  // CHECK: %[[OWNS:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
  // CHECK: thread.store {{.*}} mask %[[OWNS]]
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq
  // CHECK: thread.store {{.*}} mask %[[FIRST]]
  func.func @copies(%p: !tile.ptr<i8> {tile.slot = 0 : i32}, %v: i8 {tile.slot = 1 : i32}) attributes {tile.kernel} {
    %i = tile.make_range 0 to 8 : tensor<8xi32, #copies>
    %b = tile.splat %p : tensor<8x!tile.ptr<i8>, #copies>
    %q = tile.addptr %b, %i : tensor<8x!tile.ptr<i8>, #copies>, tensor<8xi32, #copies>
    %x = tile.splat %v : tensor<8xi8, #copies>
    tile.store %q, %x : tensor<8x!tile.ptr<i8>, #copies>, tensor<8xi8, #copies>
    tile.store %p, %v : !tile.ptr<i8>, i8
    return
  }
}

// -----

module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // 8-bit floats are bytes in memory.
  // CHECK-LABEL: func.func @float8
  // CHECK: %[[BYTE:.*]] = thread.load %{{.*}} : <1> -> vector<1xi8>
  // CHECK: arith.bitcast %[[BYTE]] : vector<1xi8> to vector<1xf8E5M2>
  // CHECK: arith.bitcast %{{.*}} : vector<1xf8E5M2> to vector<1xi8>
  // CHECK: thread.store %{{.*}}, vector<1xi8>
  func.func @float8(%p: !tile.ptr<f8E5M2> {tile.slot = 0 : i32}) attributes {tile.kernel} {
    %x = tile.load %p : !tile.ptr<f8E5M2> -> f8E5M2
    tile.store %p, %x : !tile.ptr<f8E5M2>, f8E5M2
    return
  }
}
