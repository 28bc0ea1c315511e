// RUN: tilewright-opt %s -split-input-file -test-pointer-roots -verify-diagnostics -o /dev/null

func.func @moves(%p: !tile.ptr<f32>, %n: i32) {
  %s = tile.splat %p : tensor<4x!tile.ptr<f32>>
  %r = tile.make_range 0 to 4 : tensor<4xi32>
  %a = tile.addptr %s, %r : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // expected-remark @below {{arguments [0]}}
  %v = tile.load %a : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  return
}

// -----

func.func @out_of_sight(%p: !tile.ptr<!tile.ptr<f32>>, %n: i64) {
  // expected-remark @below {{arguments [0]}}
  %loaded = tile.load %p : !tile.ptr<!tile.ptr<f32>> -> !tile.ptr<f32>
  // expected-remark @below {{arguments [] and unknown}}
  %v = tile.load %loaded : !tile.ptr<f32> -> f32
  %made = tile.int_to_ptr %n : i64 -> !tile.ptr<f32>
  // expected-remark @below {{arguments [] and unknown}}
  %w = tile.load %made : !tile.ptr<f32> -> f32
  return
}

// -----

// The pointer that a loop carries is one of two from the second iteration on.
func.func @chosen(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> !tile.ptr<f32> {
    // expected-remark @below {{arguments [0, 1]}}
    %v = tile.load %a : !tile.ptr<f32> -> f32
    %next = arith.select %c, %q, %p : !tile.ptr<f32>
    scf.yield %next : !tile.ptr<f32>
  }
  // expected-remark @below {{arguments [0, 1]}}
  %v = tile.load %last : !tile.ptr<f32> -> f32
  return
}

// -----

// After as many iterations as there are pointers, each may be any of them.
func.func @rotated(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %r: !tile.ptr<f32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q, %c = %r)
      -> (!tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>) {
    // expected-remark @below {{arguments [0, 1, 2]}}
    tile.store %b, %x : !tile.ptr<f32>, f32
    scf.yield %b, %c, %a : !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>
  }
  return
}

// -----

// A pointer that only advances stays in its array.
func.func @advanced(%p: !tile.ptr<f32>, %n: index, %step: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> !tile.ptr<f32> {
    // expected-remark @below {{arguments [0]}}
    %v = tile.load %a : !tile.ptr<f32> -> f32
    %next = tile.addptr %a, %step : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  return
}

// -----

func.func @branch(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %c: i1) {
  %either = scf.if %c -> !tile.ptr<f32> {
    scf.yield %p : !tile.ptr<f32>
  } else {
    scf.yield %q : !tile.ptr<f32>
  }
  // expected-remark @below {{arguments [0, 1]}}
  %v = tile.load %either : !tile.ptr<f32> -> f32
  return
}

// -----

// Regions may forward fewer, more, or other values than they have arguments.
func.func @while(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %c: i1, %step: i32) {
  %end = scf.while (%a = %p) : (!tile.ptr<f32>) -> !tile.ptr<f32> {
    // expected-remark @below {{arguments [0, 1]}}
    %v = tile.load %a : !tile.ptr<f32> -> f32
    scf.condition(%c) %q : !tile.ptr<f32>
  } do {
  ^bb0(%b: !tile.ptr<f32>):
    // expected-remark @below {{arguments [1]}}
    %v = tile.load %b : !tile.ptr<f32> -> f32
    %next = tile.addptr %b, %step : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  // expected-remark @below {{arguments [1]}}
  %v = tile.load %end : !tile.ptr<f32> -> f32
  return
}
