// RUN: tilewright-opt %s --record-writes --split-input-file | FileCheck %s

// CHECK: module attributes {tile.written_slots = array<i64: 1>}
func.func @copy(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %y: !tile.ptr<f32> {tile.slot = 1 : i32}) {
  %v = tile.load %x : !tile.ptr<f32> -> f32
  tile.store %y, %v : !tile.ptr<f32>, f32
  return
}

// -----

// An atomic writes; either pointer may be the one that is chosen.
// CHECK: module attributes {tile.written_slots = array<i64: 0, 2>}
func.func @choose(%x: !tile.ptr<i32> {tile.slot = 0 : i32}, %y: !tile.ptr<i32> {tile.slot = 1 : i32},
                  %z: !tile.ptr<i32> {tile.slot = 2 : i32}, %c: i1 {tile.slot = 3 : i32}, %n: i32) {
  %p = arith.select %c, %x, %z : !tile.ptr<i32>
  %old = tile.atomic_rmw #tile.rmw<add> %p, %n {scope = #tile.scope<gpu>, sem = #tile.sem<relaxed>} : !tile.ptr<i32>, i32
  return
}

// -----

// CHECK: module attributes {tile.written_slots = array<i64>}
func.func @read(%x: !tile.ptr<f32> {tile.slot = 0 : i32}) {
  %v = tile.load %x : !tile.ptr<f32> -> f32
  return
}
