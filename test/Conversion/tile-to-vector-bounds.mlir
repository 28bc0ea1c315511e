// RUN: tilewright-opt %s --tile-to-vector="features=+avx512f check-bounds" --canonicalize --cse | FileCheck %s

// CHECK: llvm.func @tilewright_may_access(!llvm.ptr, i64, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
// CHECK-SAME: passthrough = ["cold"

// Consecutive elements take one comparison, with the array in the slot of their argument.
// CHECK-LABEL: func.func @load(
// CHECK-SAME: %[[SLOTS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> i32
// CHECK-SAME: tile.checked_accesses = [{bytes = 4 : i64, column = 8 : i64, file = {{[^ ]*}}, kind = "reads", line = {{[0-9]*}} : i64, strict = true}
// CHECK-SAME: kind = "writes"
// CHECK-DAG: %[[HIDDEN:.*]] = llvm.getelementptr %[[SLOTS]][-2]
// CHECK-DAG: %[[TABLE:.*]] = llvm.load %[[HIDDEN]] : !llvm.ptr -> !llvm.ptr
// CHECK-DAG: %[[AT:.*]] = llvm.getelementptr %[[TABLE]][4]
// CHECK-DAG: %[[BEGIN:.*]] = llvm.load %[[AT]] : !llvm.ptr -> i64
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[POINTER:.*]] : !llvm.ptr to i64
// CHECK: %[[OFFSET:.*]] = arith.subi %[[ADDRESS]], %[[BEGIN]]
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[OFFSET]], %c0_i64
// CHECK: %[[HIGH:.*]] = arith.cmpi sle, %[[OFFSET]]
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[OK:.*]] = scf.if %[[IN]] -> (i1) {
// CHECK: llvm.call @tilewright_may_access(%{{.*}}, %{{.*}}, %c0_i32, %{{.*}}, %[[POINTER]], %{{.*}}, %c64_i64)
// CHECK: cf.assert %[[OK]], "out of bounds" {tile.status = -1 : i32}
// CHECK-NEXT: llvm.load %[[POINTER]] {{.*}} -> vector<64xf32>
func.func @load(%in: !tile.ptr<f32> {tile.slot = 2 : i32, tile.noalias},
                %out: !tile.ptr<f32> {tile.slot = 3 : i32, tile.noalias}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %ins, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %to = tile.addptr %outs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %from : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  tile.store %to, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// For a mask of the first lanes, only their number matters.
// CHECK-LABEL: func.func @counted_mask(
// CHECK: %[[COUNT:.*]] = arith.minsi
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[COUNT]], %c0_i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[COUNT]], %c4_i64
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %[[BYTES]]
// CHECK: arith.cmpi sle, %{{.*}}, %[[LAST]]
// CHECK: arith.ori %{{.*}}, %[[NONE]]
// CHECK: cf.assert
// CHECK: masked.store
func.func @counted_mask(%out: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i32 {tile.slot = 1 : i32})
    attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %ns = tile.splat %n : tensor<64xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %zero mask %mask : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, mask tensor<64xi1>
  return
}

// A gather compares each lane.
// CHECK-LABEL: func.func @gather(
// CHECK: %[[ADDRESSES:.*]] = llvm.ptrtoint %[[POINTERS:.*]] : vector<8x!llvm.ptr> to vector<8xi64>
// CHECK: arith.cmpi sge, %{{.*}} : vector<8xi64>
// CHECK: arith.cmpi sle, %{{.*}} : vector<8xi64>
// CHECK: %[[IN:.*]] = vector.reduction <and>
// CHECK: scf.if %[[IN]]
// CHECK: llvm.store %[[POINTERS]]
// CHECK: llvm.call @tilewright_may_access(
// CHECK: cf.assert
// CHECK: llvm.intr.masked.gather %[[POINTERS]]
func.func @gather(%in: !tile.ptr<f32> {tile.slot = 0 : i32}, %index: !tile.ptr<i64> {tile.slot = 1 : i32},
                  %out: !tile.ptr<f32> {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 8 : tensor<8xi32>
  %is = tile.splat %index : tensor<8x!tile.ptr<i64>>
  %at = tile.addptr %is, %r : tensor<8x!tile.ptr<i64>>, tensor<8xi32>
  %i = tile.load %at : tensor<8x!tile.ptr<i64>> -> tensor<8xi64>
  %ins = tile.splat %in : tensor<8x!tile.ptr<f32>>
  %from = tile.addptr %ins, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %x = tile.load %from : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %outs = tile.splat %out : tensor<8x!tile.ptr<f32>>
  %to = tile.addptr %outs, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %to, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// An address that comes from an integer has no known array: the runtime checks it.
// CHECK-LABEL: func.func @address(
// CHECK-SAME: strict = false
// CHECK: %[[OK:.*]] = llvm.call @tilewright_may_access(
// CHECK: %[[MAY:.*]] = arith.cmpi ne, %[[OK]], %c0_i32
// CHECK: cf.assert %[[MAY]]
// CHECK: llvm.store
func.func @address(%n: i64 {tile.slot = 0 : i32}) attributes {tile.kernel} {
  %p = tile.int_to_ptr %n : i64 -> !tile.ptr<i64>
  tile.store %p, %n : !tile.ptr<i64>, i64
  return
}
