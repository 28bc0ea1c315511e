// RUN: tilewright-opt %s --check-bounds --canonicalize --cse | FileCheck %s

// Bounds of arrays and the mailbox are in hidden slots; masked-off elements are in bounds.
// CHECK-LABEL: func.func @store(
// CHECK-SAME: %[[X:[a-z0-9]+]]: !tile.ptr<f32> {tile.slot = 1 : i32}
// CHECK-SAME: %[[MASK:[a-z0-9]+]]: tensor<64xi1>
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: i64 {tile.hidden_slot = 3 : i32}, %[[SIZE:[a-z0-9]+]]: i64 {tile.hidden_slot = 4 : i32}
// CHECK-SAME: %[[MAILBOX:[a-z0-9]+]]: !tile.ptr<i64> {tile.hidden_slot = 0 : i32}
// CHECK-SAME: tile.checked_accesses = [{bytes = 4 : i64, {{.*}}kind = "writes"
// CHECK-DAG: %[[ADDRESS:.*]] = tile.ptr_to_int %[[P:.*]] : tensor<64x!tile.ptr<f32>> -> tensor<64xi64>
// CHECK-DAG: %[[BEGINS:.*]] = tile.splat %[[BEGIN]]
// CHECK-DAG: %[[LAST:.*]] = arith.subi %[[SIZE]], %c4_i64
// CHECK-DAG: %[[LASTS:.*]] = tile.splat %[[LAST]]
// CHECK-DAG: %[[OFFSET:.*]] = arith.subi %[[ADDRESS]], %[[BEGINS]]
// CHECK-DAG: %[[LOW:.*]] = arith.cmpi sge, %[[OFFSET]]
// CHECK-DAG: %[[HIGH:.*]] = arith.cmpi sle, %[[OFFSET]], %[[LASTS]]
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[OFF:.*]] = arith.xori %[[MASK]]
// CHECK: %[[HOLDS:.*]] = arith.ori %[[IN]], %[[OFF]]
// CHECK: tile.assert %[[HOLDS]], "writes 4 bytes out of bounds" report 1 to %[[MAILBOX]]
// CHECK-NEXT: tile.store %[[P]]
func.func @store(%x: !tile.ptr<f32> {tile.slot = 1 : i32}, %mask: tensor<64xi1> {tile.slot = 0 : i32},
                 %v: tensor<64xf32> {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %p, %v mask %mask : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, mask tensor<64xi1>
  return
}

// An address may be in any array; one that comes from an integer is not checked.
// CHECK-LABEL: func.func @scalars(
// CHECK-COUNT-2: arith.cmpi sle
// CHECK: arith.ori
// CHECK: tile.assert %{{.*}}, "reads 1 byte out of bounds" report 1
// CHECK: tile.load
// CHECK-NOT: tile.assert
// CHECK: tile.store
func.func @scalars(%x: !tile.ptr<i1> {tile.slot = 0 : i32}, %y: !tile.ptr<i8> {tile.slot = 1 : i32},
                   %n: i64 {tile.slot = 2 : i32}) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i1> -> i1
  %p = tile.int_to_ptr %n : i64 -> !tile.ptr<i1>
  tile.store %p, %v : !tile.ptr<i1>, i1
  return
}
