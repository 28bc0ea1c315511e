// RUN: tilewright-opt %s --expand-division | FileCheck %s

// The power of two is computed from the divisor's exponent, with its sign.
// CHECK-LABEL: func.func @quotient(
// CHECK-SAME: %[[X:.*]]: vector<2xf32>, %[[Y:.*]]: vector<2xf32>
func.func @quotient(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[Y]]
  // CHECK: %[[EXPONENT:.*]] = arith.andi %[[BITS]]
  // CHECK: %[[POWER:.*]] = arith.subi %{{.*}}, %[[EXPONENT]]
  // CHECK: arith.maxsi %[[POWER]]
  // CHECK: %[[SCALE:.*]] = math.copysign %{{.*}}, %[[Y]]
  // CHECK: %[[D:.*]] = arith.mulf %[[Y]], %[[SCALE]]
  // CHECK: %[[ABOVE:.*]] = thread.reciprocal %[[D]]
  // CHECK: %[[HIGH:.*]] = arith.mulf %[[ABOVE]]
  // CHECK: %[[MINUS:.*]] = arith.negf %[[HIGH]]
  // CHECK: %[[EXACT:.*]] = math.fma %[[MINUS]], %[[D]]
  // CHECK: %[[E:.*]] = arith.maxnumf %[[EXACT]]
  // CHECK: %[[LOW:.*]] = math.fma %[[HIGH]], %[[E]]
  // CHECK: %[[XS:.*]] = arith.mulf %[[X]], %[[SCALE]]
  // CHECK: %[[REST:.*]] = arith.mulf %[[XS]], %[[LOW]]
  // CHECK: math.fma %[[XS]], %[[HIGH]], %[[REST]]
  %q = arith.divf %x, %y : vector<2xf32>
  return %q : vector<2xf32>
}

// Values shared by elements are computed once.
// CHECK-LABEL: func.func @uniform(
// CHECK: %[[SCALE:.*]] = math.copysign %{{.*}} : f32
// CHECK: %[[D:.*]] = arith.mulf %{{.*}}, %[[SCALE]] : f32
// CHECK: thread.reciprocal %[[D]] : f32
// CHECK-COUNT-3: vector.broadcast
// CHECK: math.fma %{{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
func.func @uniform(%x: vector<16xf32>, %d: f32) -> vector<16xf32> {
  %ds = vector.broadcast %d : f32 to vector<16xf32>
  %q = arith.divf %x, %ds : vector<16xf32>
  return %q : vector<16xf32>
}

// Two rows of a tile, each divided by its sum.
// CHECK-LABEL: func.func @rows(
// CHECK: thread.reciprocal %{{.*}} : vector<2xf32>
// CHECK-COUNT-3: vector.shuffle %{{.*}} [0, 0, 1, 1]
// CHECK: math.fma %{{.*}} : vector<4xf32>
// CHECK-NOT: math.fma
func.func @rows(%x: vector<4xf32>, %d: vector<2xf32>) -> vector<4xf32> {
  %ds = vector.shuffle %d, %d [0, 0, 1, 1] : vector<2xf32>, vector<2xf32>
  %q = arith.divf %x, %ds : vector<4xf32>
  return %q : vector<4xf32>
}

// Only one of many divisors is used.
// CHECK-LABEL: func.func @picked(
// CHECK: thread.reciprocal %{{.*}} : vector<1xf32>
func.func @picked(%x: vector<1xf32>, %d: vector<4xf32>) -> vector<1xf32> {
  %ds = vector.shuffle %d, %d [2] : vector<4xf32>, vector<4xf32>
  %q = arith.divf %x, %ds : vector<1xf32>
  return %q : vector<1xf32>
}

// By -3 without a scale, by 2^-70 / 3 with one, by a power of two exactly, and by 0 like any other number.
// CHECK-LABEL: func.func @constants(
// CHECK-SAME: %[[X:.*]]: vector<2xf32>
func.func @constants(%x: vector<2xf32>)
    -> (vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>) {
  %three = arith.constant dense<-3.0> : vector<2xf32>
  %small = arith.constant dense<2.82343472E-22> : vector<2xf32>
  %quarter = arith.constant dense<-0.25> : vector<2xf32>
  %zero = arith.constant dense<0.0> : vector<2xf32>
  // The reciprocal is rounded toward zero.
  // CHECK: %[[THIRD:.*]] = arith.constant dense<-0.333333313>
  // CHECK: %[[REST:.*]] = arith.constant dense<-1.98682155E-8>
  // CHECK: %[[LOW:.*]] = arith.mulf %[[X]], %[[REST]]
  // CHECK: math.fma %[[X]], %[[THIRD]], %[[LOW]]
  %0 = arith.divf %x, %three : vector<2xf32>
  // CHECK: %[[POWER:.*]] = arith.constant dense<2.36118324E+21>
  // CHECK: arith.mulf %[[X]], %[[POWER]]
  %1 = arith.divf %x, %small : vector<2xf32>
  // CHECK: %[[FOUR:.*]] = arith.constant dense<-4.000000e+00>
  // CHECK: %[[EXACT:.*]] = arith.mulf %[[X]], %[[FOUR]]
  // CHECK-NOT: math.fma
  // CHECK: thread.reciprocal
  %2 = arith.divf %x, %quarter : vector<2xf32>
  %3 = arith.divf %x, %zero : vector<2xf32>
  return %0, %1, %2, %3 : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>
}

// Precise divisions and other types are left alone.
// CHECK-LABEL: func.func @kept(
// CHECK: arith.divf %{{.*}} {tile.precise} : vector<16xf32>
// CHECK: arith.divf %{{.*}} : vector<8xf64>
// CHECK: arith.divf %{{.*}} : vector<8xf16>
func.func @kept(%x: vector<16xf32>, %w: vector<8xf64>, %h: vector<8xf16>)
    -> (vector<16xf32>, vector<8xf64>, vector<8xf16>) {
  %q = arith.divf %x, %x {tile.precise} : vector<16xf32>
  %s = arith.divf %w, %w : vector<8xf64>
  %t = arith.divf %h, %h : vector<8xf16>
  return %q, %s, %t : vector<16xf32>, vector<8xf64>, vector<8xf16>
}

// A divisor that is at least 1, beneath a constant, needs no power of two of its own, and its reciprocal is not rounded
// down.
// CHECK-LABEL: func.func @sigmoid(
// CHECK: %[[E:.*]] = math.exp
// CHECK-NOT: arith.bitcast
// CHECK: %[[D:.*]] = math.fma %[[E]]
// CHECK: %[[R:.*]] = thread.reciprocal %[[D]]
// CHECK-NOT: arith.mulf %[[R]]
// CHECK: %[[MINUS:.*]] = arith.negf %[[R]]
// CHECK: math.fma %[[MINUS]], %[[D]]
func.func @sigmoid(%x: vector<2xf32>) -> vector<2xf32> {
  %one = arith.constant dense<1.0> : vector<2xf32>
  %e = math.exp %x : vector<2xf32>
  %d = arith.addf %one, %e : vector<2xf32>
  %q = arith.divf %one, %d : vector<2xf32>
  return %q : vector<2xf32>
}

// Another dividend might overflow.
// CHECK-LABEL: func.func @silu(
// CHECK: arith.bitcast
func.func @silu(%x: vector<2xf32>) -> vector<2xf32> {
  %one = arith.constant dense<1.0> : vector<2xf32>
  %minus = arith.negf %x : vector<2xf32>
  %e = math.exp %minus : vector<2xf32>
  %d = arith.addf %e, %one : vector<2xf32>
  %q = arith.divf %x, %d : vector<2xf32>
  return %q : vector<2xf32>
}

// A sum with something that may be negative may be small.
// CHECK-LABEL: func.func @unknown(
// CHECK: arith.bitcast
func.func @unknown(%x: vector<2xf32>) -> vector<2xf32> {
  %one = arith.constant dense<1.0> : vector<2xf32>
  %d = arith.addf %x, %one : vector<2xf32>
  %q = arith.divf %one, %d : vector<2xf32>
  return %q : vector<2xf32>
}
