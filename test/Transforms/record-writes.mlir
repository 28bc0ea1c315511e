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

// -----

// A function writes what it is given, and what another function returns of that.
// CHECK: module attributes {tile.written_slots = array<i64: 1, 2>}
func.func @calls(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %y: !tile.ptr<f32> {tile.slot = 1 : i32},
                 %z: !tile.ptr<f32> {tile.slot = 2 : i32}, %n: i32) attributes {tile.kernel} {
  tile.call @writes(%x, %y) : (!tile.ptr<f32>, !tile.ptr<f32>) -> ()
  %p = tile.call @advances(%z, %n) : (!tile.ptr<f32>, i32) -> !tile.ptr<f32>
  %v = tile.load %x : !tile.ptr<f32> -> f32
  tile.store %p, %v : !tile.ptr<f32>, f32
  return
}

func.func private @writes(%from: !tile.ptr<f32>, %to: !tile.ptr<f32>) attributes {no_inline} {
  %v = tile.load %from : !tile.ptr<f32> -> f32
  tile.store %to, %v : !tile.ptr<f32>, f32
  return
}

func.func private @advances(%p: !tile.ptr<f32>, %n: i32) -> !tile.ptr<f32> attributes {no_inline} {
  %q = tile.addptr %p, %n : !tile.ptr<f32>, i32
  return %q : !tile.ptr<f32>
}
