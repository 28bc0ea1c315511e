// tilegpu-to-thread: where lanes need words of rows that belong to other lanes, one ldmatrix or stmatrix moves up to four.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize --cse --split-input-file | FileCheck %s

#a = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x32>
#a_half = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x16>
#b = #tilegpu.layout<register = [[1, 0], [8, 0], [16, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [] : 32x16>
#a_rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]] : 16x32>
#a_columns = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8], [0, 16]] : 16x32>
#b_rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]] : 32x16>
#b_columns = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]] : 32x16>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  // Operands of 16 bits, along their rows and across: lanes 16 to 31 provide the rows of the upper half of K.
  // CHECK-LABEL: func.func @a_along_rows
  // CHECK: %[[HIGH:.*]] = arith.andi %{{.*}}, %c16_i32
  // CHECK: arith.xori %[[HIGH]], %{{.*}}
  // CHECK: %[[THREAD:.*]] = arith.xori
  // CHECK: %[[LEFT:.*]] = llvm.getelementptr %{{.*}}[%[[THREAD]]]
  // CHECK: %[[FLIPPED:.*]] = arith.xori %[[THREAD]], %c32_i32
  // CHECK: %[[RIGHT:.*]] = llvm.getelementptr %{{.*}}[%[[FLIPPED]]]
  // CHECK: %[[WORDS:.*]] = thread.load_matrix "m8n8.x4.b16" %[[LEFT]] :
  // CHECK: thread.load_matrix "m8n8.x4.b16" %[[RIGHT]]
  // CHECK: vector.from_elements {{.*}} : vector<8xi32>
  // CHECK: vector.bitcast %{{.*}} : vector<8xi32> to vector<16xf16>
  func.func @a_along_rows() -> tensor<16x32xf16, #a> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x32xf16, #a_rows>
    %x = tilegpu.local_load %s : !tilegpu.buffer<16x32xf16, #a_rows> -> tensor<16x32xf16, #a>
    return %x : tensor<16x32xf16, #a>
  }

  // The second half of K begins at offset 16, i.e. byte 32, which is xored with the swizzle of the rows.
  // CHECK-LABEL: func.func @part
  // CHECK: %[[FLIPPED:.*]] = arith.xori %{{.*}}, %c32_i32
  // CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[FLIPPED]]]
  // CHECK: thread.load_matrix "m8n8.x4{{.*}}" %[[AT]]
  // CHECK-NOT: thread.load_matrix
  func.func @part() -> tensor<16x16xf16, #a_half> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x32xf16, #a_rows>
    %x = tilegpu.local_load %s from [0, 16] : !tilegpu.buffer<16x32xf16, #a_rows> -> tensor<16x16xf16, #a_half>
    return %x : tensor<16x16xf16, #a_half>
  }

  // CHECK-LABEL: func.func @a_along_columns
  // CHECK-COUNT-2: thread.load_matrix "m8n8.x4.trans.b16" %{{.*}} :
  func.func @a_along_columns() -> tensor<16x32xf16, #a> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x32xf16, #a_columns>
    %x = tilegpu.local_load %s : !tilegpu.buffer<16x32xf16, #a_columns> -> tensor<16x32xf16, #a>
    return %x : tensor<16x32xf16, #a>
  }

  // CHECK-LABEL: func.func @b_along_rows
  // CHECK-COUNT-2: thread.load_matrix "m8n8.x4.trans.b16" %{{.*}} :
  func.func @b_along_rows() -> tensor<32x16xbf16, #b> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<32x16xbf16, #b_rows>
    %x = tilegpu.local_load %s : !tilegpu.buffer<32x16xbf16, #b_rows> -> tensor<32x16xbf16, #b>
    return %x : tensor<32x16xbf16, #b>
  }

  // CHECK-LABEL: func.func @b_along_columns
  // CHECK-COUNT-2: thread.load_matrix "m8n8.x4.b16" %{{.*}} :
  func.func @b_along_columns() -> tensor<32x16xbf16, #b> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<32x16xbf16, #b_columns>
    %x = tilegpu.local_load %s : !tilegpu.buffer<32x16xbf16, #b_columns> -> tensor<32x16xbf16, #b>
    return %x : tensor<32x16xbf16, #b>
  }

  // This target has no stmatrix.
  // CHECK-LABEL: func.func @no_store
  // CHECK-NOT: thread.store_matrix
  // CHECK-COUNT-8: llvm.store
  func.func @no_store(%x: tensor<16x32xf16, #a>) {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x32xf16, #a_rows>
    tilegpu.local_store %x, %s : tensor<16x32xf16, #a> -> !tilegpu.buffer<16x32xf16, #a_rows>
    return
  }
}

// -----

#a8 = #tilegpu.layout<register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x32>
#b8 = #tilegpu.layout<register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [] : 32x8>
#a32 = #tilegpu.layout<register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x8>
#b32 = #tilegpu.layout<register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [] : 8x8>
#a8_rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 16], [8, 0]] : 16x32>
#b8_rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] : 32x8>
#b8_columns = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [16, 4]] : 32x8>
#a32_rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0]] : 16x8>
#b32_columns = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]] : 8x8>
#a32_columns = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [4, 4]] : 16x8>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_80"} {
  // Words may hold anything, as long as they are not transposed.
  // CHECK-LABEL: func.func @int8
  // CHECK: thread.load_matrix "m8n8.x4.b16" %{{.*}} :
  // CHECK: vector.bitcast %{{.*}} : vector<4xi32> to vector<16xi8>
  func.func @int8() -> tensor<16x32xi8, #a8> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x32xi8, #a8_rows>
    %x = tilegpu.local_load %s : !tilegpu.buffer<16x32xi8, #a8_rows> -> tensor<16x32xi8, #a8>
    return %x : tensor<16x32xi8, #a8>
  }

  // CHECK-LABEL: func.func @fp8
  // CHECK: thread.load_matrix "m8n8.x2.b16" %{{.*}} :
  func.func @fp8() -> tensor<32x8xf8E4M3FN, #b8> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<32x8xf8E4M3FN, #b8_columns>
    %x = tilegpu.local_load %s : !tilegpu.buffer<32x8xf8E4M3FN, #b8_columns> -> tensor<32x8xf8E4M3FN, #b8>
    return %x : tensor<32x8xf8E4M3FN, #b8>
  }

  // CHECK-LABEL: func.func @tf32
  // CHECK: thread.load_matrix "m8n8.x4.b16" %{{.*}} :
  // CHECK: vector.bitcast %{{.*}} : vector<4xi32> to vector<4xf32>
  func.func @tf32() -> tensor<16x8xf32, #a32> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x8xf32, #a32_rows>
    %x = tilegpu.local_load %s : !tilegpu.buffer<16x8xf32, #a32_rows> -> tensor<16x8xf32, #a32>
    return %x : tensor<16x8xf32, #a32>
  }

  // CHECK-LABEL: func.func @tf32_b
  // CHECK: thread.load_matrix "m8n8.x2.b16" %{{.*}} :
  func.func @tf32_b() -> tensor<8x8xf32, #b32> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<8x8xf32, #b32_columns>
    %x = tilegpu.local_load %s : !tilegpu.buffer<8x8xf32, #b32_columns> -> tensor<8x8xf32, #b32>
    return %x : tensor<8x8xf32, #b32>
  }

  // CHECK-LABEL: func.func @tf32_across
  // CHECK-NOT: thread.load_matrix
  // CHECK-COUNT-4: llvm.load
  func.func @tf32_across() -> tensor<16x8xf32, #a32> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x8xf32, #a32_columns>
    %x = tilegpu.local_load %s : !tilegpu.buffer<16x8xf32, #a32_columns> -> tensor<16x8xf32, #a32>
    return %x : tensor<16x8xf32, #a32>
  }

  // CHECK-LABEL: func.func @int8_across
  // CHECK-NOT: thread.load_matrix
  // CHECK-COUNT-8: llvm.load
  func.func @int8_across() -> tensor<32x8xi8, #b8> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<32x8xi8, #b8_rows>
    %x = tilegpu.local_load %s : !tilegpu.buffer<32x8xi8, #b8_rows> -> tensor<32x8xi8, #b8>
    return %x : tensor<32x8xi8, #b8>
  }

}

// -----

#b8 = #tilegpu.layout<register = [[1, 0], [2, 0], [16, 0], [0, 8]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = [] : 32x16>
#b8_rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] : 32x16>
#c = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x16>
#c_rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]] : 16x16>
#c_columns = #tilegpu.layout<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]] : 16x16>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_100a"} {
  // Bytes across rows, on targets that support it.
  // CHECK-LABEL: func.func @bytes
  // CHECK: thread.load_matrix "m16n16.x2.trans.b8" %{{.*}} :
  func.func @bytes() -> tensor<32x16xi8, #b8> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<32x16xi8, #b8_rows>
    %x = tilegpu.local_load %s : !tilegpu.buffer<32x16xi8, #b8_rows> -> tensor<32x16xi8, #b8>
    return %x : tensor<32x16xi8, #b8>
  }

  // CHECK-LABEL: func.func @store
  // CHECK: vector.bitcast %{{.*}} : vector<8xf16> to vector<4xi32>
  // CHECK: thread.store_matrix "m8n8.x4.b16" %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
  func.func @store(%x: tensor<16x16xf16, #c>) {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x16xf16, #c_rows>
    tilegpu.local_store %x, %s : tensor<16x16xf16, #c> -> !tilegpu.buffer<16x16xf16, #c_rows>
    return
  }

  // CHECK-LABEL: func.func @store_across
  // CHECK: thread.store_matrix "m8n8.x4.trans.b16" %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
  func.func @store_across(%x: tensor<16x16xf16, #c>) {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x16xf16, #c_columns>
    tilegpu.local_store %x, %s : tensor<16x16xf16, #c> -> !tilegpu.buffer<16x16xf16, #c_columns>
    return
  }

}

// -----

#a = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = [] : 16x16>
#a_rows = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]] : 16x16>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Each thread reads its own elements, although a matrix move could read the fragment.
  // CHECK-LABEL: func.func @own
  // CHECK-NOT: thread.load_matrix
  // CHECK-COUNT-4: llvm.load
  // CHECK-LABEL: func.func @by_rows
  // CHECK: thread.load_matrix "m8n8.x4.b16"
  func.func @own() -> tensor<16x16xf16, #a> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x16xf16, #a_rows>
    %x = tilegpu.local_load %s own : !tilegpu.buffer<16x16xf16, #a_rows> -> tensor<16x16xf16, #a>
    return %x : tensor<16x16xf16, #a>
  }
  func.func @by_rows() -> tensor<16x16xf16, #a> {
    %s = tilegpu.local_alloc at 0 : !tilegpu.buffer<16x16xf16, #a_rows>
    %x = tilegpu.local_load %s : !tilegpu.buffer<16x16xf16, #a_rows> -> tensor<16x16xf16, #a>
    return %x : tensor<16x16xf16, #a>
  }
}
