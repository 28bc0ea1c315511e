// Every operation, printed and parsed again.
// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// CHECK-LABEL: func.func @grid
func.func @grid() -> (i32, i32) {
  // CHECK: tile.program_id 1 : i32
  %0 = tile.program_id 1 : i32
  // CHECK: tile.num_programs 2 : i32
  %1 = tile.num_programs 2 : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: f32, %indices: tensor<8x4xi32>) {
  // CHECK: %[[R:.*]] = tile.make_range 4 to 12 : tensor<8xi32>
  %r = tile.make_range 4 to 12 : tensor<8xi32>
  // CHECK: %[[S:.*]] = tile.splat %{{.*}} : tensor<8x4xf32>
  %s = tile.splat %x : tensor<8x4xf32>
  // CHECK: %[[E:.*]] = tile.expand_dims %[[R]] 1 : tensor<8xi32> -> tensor<8x1xi32>
  %e = tile.expand_dims %r 1 : tensor<8xi32> -> tensor<8x1xi32>
  // CHECK: tile.broadcast %[[E]] : tensor<8x1xi32> -> tensor<8x4xi32>
  %b = tile.broadcast %e : tensor<8x1xi32> -> tensor<8x4xi32>
  // CHECK: tile.reshape %[[S]] : tensor<8x4xf32> -> tensor<32xf32>
  %h = tile.reshape %s : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: tile.reshape %[[S]] reorder : tensor<8x4xf32> -> tensor<32xf32>
  %a = tile.reshape %s reorder : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: tile.trans %[[S]] [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %t = tile.trans %s [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK: %[[J:.*]] = tile.join %[[R]], %[[R]] : tensor<8xi32> -> tensor<8x2xi32>
  %j = tile.join %r, %r : tensor<8xi32> -> tensor<8x2xi32>
  // CHECK: tile.split %[[J]] : tensor<8x2xi32> -> tensor<8xi32>
  %left, %right = tile.split %j : tensor<8x2xi32> -> tensor<8xi32>
  // CHECK: tile.cat %[[R]], %[[R]] : tensor<8xi32> -> tensor<16xi32>
  %c = tile.cat %r, %r : tensor<8xi32> -> tensor<16xi32>
  // CHECK: tile.gather %[[S]][%{{.*}}] 0 : tensor<8x4xf32>, tensor<8x4xi32> -> tensor<8x4xf32>
  %g = tile.gather %s[%indices] 0 : tensor<8x4xf32>, tensor<8x4xi32> -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @pointers
func.func @pointers(%p: !tile.ptr<f32>, %offsets: tensor<8xi64>) {
  // CHECK: %[[S:.*]] = tile.splat %{{.*}} : tensor<8x!tile.ptr<f32>>
  %s = tile.splat %p : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.hint %{{.*}} contiguity [8] divisibility [16] constancy [1] : tensor<8xi64>
  %hint = tile.hint %offsets contiguity [8] divisibility [16] constancy [1] : tensor<8xi64>
  // CHECK: tile.addptr %[[S]], %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %a = tile.addptr %s, %offsets : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f32> -> !tile.ptr<i8>
  %c = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i8>
  // CHECK: %[[I:.*]] = tile.ptr_to_int %{{.*}} : !tile.ptr<f32> -> i64
  %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  // CHECK: tile.int_to_ptr %[[I]] : i64 -> !tile.ptr<!tile.ptr<f16>>
  %q = tile.int_to_ptr %i : i64 -> !tile.ptr<!tile.ptr<f16>>
  return
}

// CHECK-LABEL: func.func @by_value
// CHECK-SAME: !tile.bytes<128, 64>
func.func @by_value(%map: !tile.bytes<128, 64>) -> (i64, !tile.ptr<f32>) {
  // CHECK: tile.read_bytes %{{.*}}[120] : <128, 64> -> i64
  %0 = tile.read_bytes %map[120] : <128, 64> -> i64
  // CHECK: tile.read_bytes %{{.*}}[0] : <128, 64> -> !tile.ptr<f32>
  %1 = tile.read_bytes %map[0] : <128, 64> -> !tile.ptr<f32>
  return %0, %1 : i64, !tile.ptr<f32>
}

// CHECK-LABEL: func.func @address_spaces
func.func @address_spaces(%p: !tile.ptr<f32, 3>, %i: tensor<8xi32>) -> tensor<8xf32> {
  // CHECK: tile.splat %{{.*}} : tensor<8x!tile.ptr<f32, 3>>
  %s = tile.splat %p : tensor<8x!tile.ptr<f32, 3>>
  // CHECK: tile.addptr %{{.*}} : tensor<8x!tile.ptr<f32, 3>>, tensor<8xi32>
  %a = tile.addptr %s, %i : tensor<8x!tile.ptr<f32, 3>>, tensor<8xi32>
  // CHECK: tile.load %{{.*}} : tensor<8x!tile.ptr<f32, 3>> -> tensor<8xf32>
  %x = tile.load %a : tensor<8x!tile.ptr<f32, 3>> -> tensor<8xf32>
  // CHECK: tile.store %{{.*}} : tensor<8x!tile.ptr<f32, 3>>, tensor<8xf32>
  tile.store %a, %x : tensor<8x!tile.ptr<f32, 3>>, tensor<8xf32>
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f32, 3> -> !tile.ptr<i32, 3>
  %c = tile.ptr_cast %p : !tile.ptr<f32, 3> -> !tile.ptr<i32, 3>
  return %x : tensor<8xf32>
}

// CHECK-LABEL: func.func @memory
func.func @memory(%p: !tile.ptr<f32>, %t: tensor<8x!tile.ptr<f32>>, %mask: tensor<8xi1>, %x: tensor<8xf32>) {
  // CHECK: tile.load %{{.*}} : !tile.ptr<f32> -> f32
  %0 = tile.load %p : !tile.ptr<f32> -> f32
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<8x!tile.ptr<f32>>, mask tensor<8xi1> -> tensor<8xf32>
  %1 = tile.load %t mask %mask : tensor<8x!tile.ptr<f32>>, mask tensor<8xi1> -> tensor<8xf32>
  // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} volatile {cache = #tile.cache<cg>, evict = #tile.evict<first>} : tensor<8x!tile.ptr<f32>>, mask tensor<8xi1>, other tensor<8xf32> -> tensor<8xf32>
  %2 = tile.load %t mask %mask other %x volatile {cache = #tile.cache<cg>, evict = #tile.evict<first>} : tensor<8x!tile.ptr<f32>>, mask tensor<8xi1>, other tensor<8xf32> -> tensor<8xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}} : !tile.ptr<f32>, f32
  tile.store %p, %0 : !tile.ptr<f32>, f32
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, mask tensor<8xi1>
  tile.store %t, %1 mask %mask : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, mask tensor<8xi1>
  return
}

// CHECK-LABEL: func.func @atomics
func.func @atomics(%t: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>, %mask: tensor<8xi1>, %p: !tile.ptr<i32>, %i: i32) {
  // CHECK: tile.atomic_rmw <fadd> %{{.*}}, %{{.*}} mask %{{.*}} {scope = #tile.scope<sys>, sem = #tile.sem<relaxed>} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, mask tensor<8xi1>
  %0 = tile.atomic_rmw #tile.rmw<fadd> %t, %x mask %mask {scope = #tile.scope<sys>, sem = #tile.sem<relaxed>} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, mask tensor<8xi1>
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32
  %1 = tile.atomic_cas %p, %i, %i : !tile.ptr<i32>, i32
  // CHECK: tile.atomic_cas %{{.*}} mask %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, mask tensor<8xi1>
  %2 = tile.atomic_cas %t, %x, %x mask %mask : tensor<8x!tile.ptr<f32>>, tensor<8xf32>, mask tensor<8xi1>
  // CHECK: tile.atomic_poll %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32
  %3 = tile.atomic_poll %p, %i : !tile.ptr<i32>, i32
  // CHECK: tile.atomic_poll %{{.*}}, %{{.*}} timeout %{{.*}} {sem = #tile.sem<relaxed>} : !tile.ptr<i32>, i32
  %limit = arith.constant 1000 : i64
  %4 = tile.atomic_poll %p, %i timeout %limit {sem = #tile.sem<relaxed>} : !tile.ptr<i32>, i32
  return
}

// CHECK-LABEL: func.func @whole_tiles
func.func @whole_tiles(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %acc: tensor<4x4xf32>, %i: tensor<4x4xi32>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {precision = #tile.precision<tf32>} : tensor<4x8xf16> * tensor<8x4xf16> -> tensor<4x4xf32>
  %d = tile.dot %a, %b, %acc {precision = #tile.precision<tf32>} : tensor<4x8xf16> * tensor<8x4xf16> -> tensor<4x4xf32>
  // CHECK: tile.reduce(%{{.*}}) 1 {
  // CHECK-NEXT: ^bb0(%[[L:.*]]: f32, %[[R:.*]]: f32):
  // CHECK: tile.yield %{{.*}} : f32
  // CHECK: } : (tensor<4x4xf32>) -> tensor<4xf32>
  %sum = tile.reduce(%d) 1 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  } : (tensor<4x4xf32>) -> tensor<4xf32>
  // CHECK: %{{.*}}:2 = tile.scan(%{{.*}}, %{{.*}}) 0 reverse {
  // CHECK: } : (tensor<4x4xf32>, tensor<4x4xi32>) -> (tensor<4x4xf32>, tensor<4x4xi32>)
  %scan:2 = tile.scan(%d, %i) 0 reverse {
  ^bb0(%l: f32, %li: i32, %r: f32, %ri: i32):
    tile.yield %r, %ri : f32, i32
  } : (tensor<4x4xf32>, tensor<4x4xi32>) -> (tensor<4x4xf32>, tensor<4x4xi32>)
  return
}

// CHECK-LABEL: func.func @seen
func.func @seen(%x: tensor<8xi32>, %y: f32, %ok: tensor<8xi1>) {
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.print ["x = ", ", ", ""] ["08x", "d"](%[[X:.*]], %[[X]] : tensor<8xi32>, tensor<8xi32>)
  tile.print ["x = ", ", ", ""] ["08x", "d"] (%x, %x : tensor<8xi32>, tensor<8xi32>)
  // CHECK: tile.print ["", ""] [".3f"](%{{.*}} : f32)
  tile.print ["", ""] [".3f"] (%y : f32)
  // CHECK: tile.print ["", ""] ["d"](%[[X]] : tensor<8xi32>) mask %{{.*}} : tensor<8xi1>
  tile.print ["", ""] ["d"] (%x : tensor<8xi32>) mask %ok : tensor<8xi1>
  // CHECK: tile.print ["here"] []
  tile.print ["here"] []
  // CHECK: tile.assert %{{.*}}, "out of range" : tensor<8xi1>
  tile.assert %ok, "out of range" : tensor<8xi1>
  return
}

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: {tile.divisibility = 16 : i32, tile.noalias, tile.slot = 0 : i32}
// CHECK-SAME: attributes {tile.kernel}
func.func @kernel(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.noalias, tile.slot = 0 : i32}) attributes {tile.kernel} {
  return
}

// CHECK-LABEL: @calls
// CHECK: tile.call @callee(%{{.*}}) : (tensor<8xf32>) -> f32
// CHECK: tile.call pure @callee(%{{.*}}) : (tensor<8xf32>) -> f32
func.func @calls(%x: tensor<8xf32>) {
  %0 = tile.call @callee(%x) : (tensor<8xf32>) -> f32
  %1 = tile.call pure @callee(%x) : (tensor<8xf32>) -> f32
  return
}

func.func private @callee(%x: tensor<8xf32>) -> f32 attributes {no_inline} {
  %0 = arith.constant 0.0 : f32
  return %0 : f32
}
