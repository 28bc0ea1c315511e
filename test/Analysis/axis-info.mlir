// RUN: tilewright-opt %s -split-input-file -test-axis-info -verify-diagnostics -o /dev/null

// A blocked index, its mask, and its pointers.
func.func @block(
    // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1]}}
    %p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
    // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1]}}
    %n: i32 {tile.divisibility = 16 : i32},
    // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
    %m: i32) {
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %pid = tile.program_id 0 : i32
  // expected-remark @below {{divisibility = [128], constancy = [1], value = 128}}
  %c128 = arith.constant 128 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [128], constancy = [1]}}
  %base = arith.muli %pid, %c128 : i32
  // expected-remark @below {{contiguity = [128], divisibility = [1073741824], constancy = [1]}}
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [128], constancy = [128]}}
  %b = tile.splat %base : tensor<128xi32>
  // expected-remark @below {{contiguity = [128], divisibility = [128], constancy = [1]}}
  %o = arith.addi %b, %r : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [128]}}
  %ns = tile.splat %n : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %mask = arith.cmpi slt, %o, %ns : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [128]}}
  %ms = tile.splat %m : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %ragged = arith.cmpi slt, %o, %ms : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %inclusive = arith.cmpi sle, %o, %ns : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %swapped = arith.cmpi sgt, %ns, %o : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [128]}}
  %ps = tile.splat %p : tensor<128x!tile.ptr<f32>>
  // expected-remark @below {{contiguity = [128], divisibility = [16], constancy = [1]}}
  %a = tile.addptr %ps, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  // Values behind distinct pointers are unknown floats: no remark.
  %v = tile.load %a mask %mask : tensor<128x!tile.ptr<f32>>, mask tensor<128xi1> -> tensor<128xf32>
  return
}

// -----

// A row-major matrix: consecutive along a row, a stride apart along a column.
// expected-remark @below {{}}
func.func @matrix(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [8]}}
  %r = tile.make_range 0 to 8 : tensor<8xi32>
  // expected-remark @below {{contiguity = [8, 1], divisibility = [1073741824, 1], constancy = [1, 1]}}
  %rows = tile.expand_dims %r 1 : tensor<8xi32> -> tensor<8x1xi32>
  // expected-remark @below {{contiguity = [1, 8], divisibility = [1, 1073741824], constancy = [1, 1]}}
  %cols = tile.expand_dims %r 0 : tensor<8xi32> -> tensor<1x8xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [8, 1]}}
  %s = tile.splat %stride : tensor<8x1xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 1]}}
  %o = arith.muli %rows, %s : tensor<8x1xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 8]}}
  %o8 = tile.broadcast %o : tensor<8x1xi32> -> tensor<8x8xi32>
  // expected-remark @below {{contiguity = [1, 8], divisibility = [1, 1073741824], constancy = [8, 1]}}
  %c8 = tile.broadcast %cols : tensor<1x8xi32> -> tensor<8x8xi32>
  // expected-remark @below {{contiguity = [1, 8], divisibility = [1, 16], constancy = [1, 1]}}
  %offsets = arith.addi %o8, %c8 : tensor<8x8xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [8, 8]}}
  %ps = tile.splat %p : tensor<8x8x!tile.ptr<f16>>
  // expected-remark @below {{contiguity = [1, 8], divisibility = [2, 16], constancy = [1, 1]}}
  %a = tile.addptr %ps, %offsets : tensor<8x8x!tile.ptr<f16>>, tensor<8x8xi32>
  // expected-remark @below {{contiguity = [8, 1], divisibility = [16, 2], constancy = [1, 1]}}
  %t = tile.trans %a [1, 0] : tensor<8x8x!tile.ptr<f16>> -> tensor<8x8x!tile.ptr<f16>>
  // Another pointee type has another unit; 2 divides every address.
  // expected-remark @below {{contiguity = [1, 1], divisibility = [2, 2], constancy = [1, 1]}}
  %cast = tile.ptr_cast %a : tensor<8x8x!tile.ptr<f16>> -> tensor<8x8x!tile.ptr<f32>>
  return
}

// -----

// Division and remainder of values that are consecutive from a multiple.
func.func @division() {
  // expected-remark @below {{value = 8}}
  %c8 = arith.constant dense<8> : tensor<64xi32>
  // expected-remark @below {{value = 7}}
  %c7 = arith.constant dense<7> : tensor<64xi32>
  // expected-remark @below {{value = 12}}
  %c12 = arith.constant dense<12> : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [32]}}
  %r = tile.make_range 32 to 96 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [8]}}
  %d = arith.divui %r, %c8 : tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %q = arith.remui %r, %c8 : tensor<64xi32>
  // 12 is a multiple of 4.
  // expected-remark @below {{contiguity = [4], divisibility = [4], constancy = [1]}}
  %q12 = arith.remui %r, %c12 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [4]}}
  %d12 = arith.divui %r, %c12 : tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %low = arith.andi %r, %c7 : tensor<64xi32>
  // expected-remark @below {{value = 3}}
  %c3 = arith.constant dense<3> : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [8]}}
  %shifted = arith.shrsi %r, %c3 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [8]}}
  %back = arith.shli %shifted, %c3 : tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %both = arith.ori %back, %low : tensor<64xi32>
  return
}

// -----

// Division of possibly negative values rounds toward zero: -8/8 is -1, -7/8 is 0.
// expected-remark @below {{}}
func.func @negative(%n: i32 {tile.divisibility = 16 : i32}) {
  // expected-remark @below {{value = 8}}
  %c8 = arith.constant dense<8> : tensor<64xi32>
  // expected-remark @below {{contiguity = [64]}}
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %s = tile.splat %n : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [16]}}
  %o = arith.addi %s, %r : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %d = arith.divsi %o, %c8 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %q = arith.remsi %o, %c8 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [8]}}
  %du = arith.divui %o, %c8 : tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %qu = arith.remui %o, %c8 : tensor<64xi32>
  return
}

// -----

// A fact holds for a loop-carried value if every iteration preserves it.
// expected-remark @below {{}}
func.func @loop(%p: !tile.ptr<f32> {tile.divisibility = 64 : i32}, %n: i32, %step: i32 {tile.divisibility = 16 : i32}) {
  // expected-remark @below {{value = 0}}
  %c0 = arith.constant 0 : i32
  // expected-remark @below {{value = 32}}
  %c32 = arith.constant 32 : i32
  // expected-remark @below {{}}
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  // expected-remark @below {{divisibility = [64]}}
  %s = tile.splat %p : tensor<32x!tile.ptr<f32>>
  // expected-remark @below {{contiguity = [32], divisibility = [64]}}
  %a = tile.addptr %s, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  // expected-remark @below {{constancy = [32]}}
  %stride = tile.splat %step : tensor<32xi32>
  // The induction variable is a multiple of 32; the pointers stay aligned to 64 bytes.
  // expected-remark @below {{contiguity = [1], divisibility = [32], constancy = [1]}}
  // expected-remark @below {{contiguity = [32], divisibility = [64], constancy = [1]}}
  %z = scf.for %i = %c0 to %n step %c32 iter_args(%x = %a) -> tensor<32x!tile.ptr<f32>> : i32 {
    // expected-remark @below {{contiguity = [32], divisibility = [64], constancy = [1]}}
    %y = tile.addptr %x, %stride : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    scf.yield %y : tensor<32x!tile.ptr<f32>>
  }
  return
}

// -----

// A fact holds after a branch if it holds on both sides: runs of 4 that start at multiples of 4.
// expected-remark @below {{}}
func.func @branches(%c: i1, %n: i32) {
  // expected-remark @below {{}}
  %r = tile.make_range 0 to 16 : tensor<16xi32>
  // expected-remark @below {{value = 4}}
  %c4 = arith.constant dense<4> : tensor<16xi32>
  // expected-remark @below {{contiguity = [4], divisibility = [4], constancy = [1]}}
  %z = scf.if %c -> tensor<16xi32> {
    scf.yield %r : tensor<16xi32>
  } else {
    // expected-remark @below {{contiguity = [4], divisibility = [4], constancy = [1]}}
    %q = arith.remui %r, %c4 : tensor<16xi32>
    scf.yield %q : tensor<16xi32>
  }
  // expected-remark @below {{contiguity = [4], divisibility = [4], constancy = [1]}}
  %s = arith.select %c, %z, %r : tensor<16xi32>
  // expected-remark @below {{value = 0}}
  %zero = arith.constant 0 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %w = scf.while (%x = %zero) : (i32) -> i32 {
    // expected-remark @above {{contiguity = [1], divisibility = [8], constancy = [1]}}
    // expected-remark @below {{}}
    %go = arith.cmpi slt, %x, %n : i32
    scf.condition(%go) %n : i32
  } do {
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  ^bb0(%x: i32):
    // expected-remark @below {{value = 8}}
    %c8 = arith.constant 8 : i32
    // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [1]}}
    %y = arith.muli %x, %c8 : i32
    scf.yield %y : i32
  }
  return
}

// -----

// Reshaping cuts runs at the new dimensions.
// expected-remark @below {{}}
func.func @shapes(%n: i32) {
  // expected-remark @below {{}}
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  // expected-remark @below {{contiguity = [1, 8], divisibility = [1, 8], constancy = [1, 1]}}
  %two = tile.reshape %r : tensor<32xi32> -> tensor<4x8xi32>
  // Only runs within a row are known.
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %one = tile.reshape %two : tensor<4x8xi32> -> tensor<32xi32>
  // expected-remark @below {{contiguity = [32, 1], divisibility = [1073741824, 1], constancy = [1, 1]}}
  %column = tile.reshape %r : tensor<32xi32> -> tensor<32x1xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %any = tile.reshape %r reorder : tensor<32xi32> -> tensor<32xi32>
  // expected-remark @below {{contiguity = [32, 1], divisibility = [1073741824, 1], constancy = [1, 1]}}
  %join = tile.join %r, %r : tensor<32xi32> -> tensor<32x2xi32>
  // expected-remark @below {{contiguity = [32], divisibility = [1073741824], constancy = [1]}}
  %a, %b = tile.split %join : tensor<32x2xi32> -> tensor<32xi32>
  // expected-remark @below {{contiguity = [32], divisibility = [1073741824], constancy = [1]}}
  %cat = tile.cat %r, %r : tensor<32xi32> -> tensor<64xi32>
  return
}

// -----

// Hints strengthen the facts.
// expected-remark @below {{}}
func.func @hints(%n: i32, %m: i32) {
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %s = arith.muli %n, %n : i32
  // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [1]}}
  %hs = tile.hint %s divisibility [8] : i32
  // expected-remark @below {{}}
  %r = tile.make_range 0 to 16 : tensor<16xi32>
  // expected-remark @below {{}}
  %ms = tile.splat %m : tensor<16xi32>
  // expected-remark @below {{}}
  %q = arith.remsi %r, %ms : tensor<16xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %hq = tile.hint %q contiguity [16] divisibility [16] : tensor<16xi32>
  // expected-remark @below {{}}
  %d = arith.divsi %r, %ms : tensor<16xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [4]}}
  %hd = tile.hint %d constancy [4] : tensor<16xi32>
  return
}

// -----

// Facts of arguments propagate from the callers of a private function.
// expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
func.func private @callee(%x: tensor<8xi32>) -> tensor<8xi32> {
  return %x : tensor<8xi32>
}

func.func @caller() {
  // expected-remark @below {{}}
  %r = tile.make_range 8 to 16 : tensor<8xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %y = func.call @callee(%r) : (tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

// A sum that may wrap is consecutive modulo 2^32. For comparisons, remainders, extensions and addresses, that only
// holds within groups that start at multiples of their length.
func.func @wraps(
    // expected-remark @below {{}}
    %p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
    // expected-remark @below {{}}
    %n: i32,
    // expected-remark @below {{}}
    %m: i32 {tile.divisibility = 16 : i32}) {
  // expected-remark @below {{}}
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  // expected-remark @below {{}}
  %ns = tile.splat %n : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %ms = tile.splat %m : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %ps = tile.splat %p : tensor<64x!tile.ptr<f32>>
  // expected-remark @below {{contiguity = [64], divisibility = [1], constancy = [1], wraps}}
  %odd = arith.addi %ns, %r : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1], wraps}}
  %even = arith.addi %ms, %r : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [1], constancy = [1]}}
  %bounded = arith.addi %ns, %r overflow<nsw> : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %range = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1]}}
  %to_odd = tile.addptr %ps, %odd : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %to_even = tile.addptr %ps, %even : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [4], constancy = [1]}}
  %to_bounded = tile.addptr %ps, %bounded : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %wide_odd = arith.extsi %odd : tensor<64xi32> to tensor<64xi64>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %wide_even = arith.extsi %even : tensor<64xi32> to tensor<64xi64>
  // Addresses wrap modulo 2^64.
  // expected-remark @below {{contiguity = [64], divisibility = [1073741824], constancy = [1]}}
  %wide_r = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  // expected-remark @below {{}}
  %wide_ns = arith.extsi %ns : tensor<64xi32> to tensor<64xi64>
  // expected-remark @below {{contiguity = [64], divisibility = [1], constancy = [1], wraps}}
  %wide = arith.addi %wide_ns, %wide_r : tensor<64xi64>
  // expected-remark @below {{contiguity = [64], divisibility = [4], constancy = [1]}}
  %to_wide = tile.addptr %ps, %wide : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
  // Two runs that may wrap at different positions cannot be compared.
  // expected-remark @below {{constancy = [1]}}
  %order = arith.cmpi slt, %odd, %r : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %difference = arith.subi %odd, %r : tensor<64xi32>
  return
}

// -----

// As an unsigned number, -1 is larger than 0.
func.func @unsigned() {
  // expected-remark @below {{}}
  %c1 = arith.constant dense<1> : tensor<64xi32>
  // expected-remark @below {{}}
  %from_zero = tile.make_range 0 to 64 : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [1], constancy = [1]}}
  %r = arith.subi %from_zero, %c1 overflow<nsw> : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %w = arith.extui %r : tensor<64xi32> to tensor<64xi64>
  // expected-remark @below {{contiguity = [64], divisibility = [1], constancy = [1]}}
  %s = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  // expected-remark @below {{contiguity = [64], divisibility = [1], constancy = [1], wraps}}
  %t = arith.trunci %s : tensor<64xi64> to tensor<64xi16>
  return
}

// -----

// A run is not longer than half of the values of its type.
func.func @narrow() {
  // expected-remark @below {{contiguity = [1024]}}
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  // expected-remark @below {{contiguity = [128], divisibility = [128], constancy = [1]}}
  %t = arith.trunci %r : tensor<1024xi32> to tensor<1024xi8>
  // expected-remark @below {{contiguity = [128], divisibility = [128], constancy = [1]}}
  %w = arith.extsi %t : tensor<1024xi8> to tensor<1024xi32>
  return
}

// -----

// A quotient without a remainder is the same in whichever direction division rounds.
func.func @exact(
    // expected-remark @below {{divisibility = [16]}}
    %n: i32 {tile.divisibility = 16 : i32},
    // expected-remark @below {{divisibility = [1]}}
    %m: i32) {
  // expected-remark @below {{divisibility = [4]}}
  %c4 = arith.constant 4 : i32
  // expected-remark @below {{divisibility = [32]}}
  %c32 = arith.constant 32 : i32
  // expected-remark @below {{divisibility = [1]}}
  %c3 = arith.constant 3 : i32
  // expected-remark @below {{divisibility = [4], constancy = [1]}}
  %exact = arith.divsi %n, %c4 : i32
  // expected-remark @below {{divisibility = [1], constancy = [1]}}
  %rounded = arith.divsi %n, %c32 : i32
  // expected-remark @below {{divisibility = [1], constancy = [1]}}
  %odd = arith.divsi %n, %c3 : i32
  // expected-remark @below {{divisibility = [1], constancy = [1]}}
  %unknown = arith.divsi %m, %c4 : i32
  // expected-remark @below {{divisibility = [1], constancy = [1]}}
  %variable = arith.divsi %n, %m : i32
  return
}
