// RUN: tilewright-opt %s --split-input-file --thread-to-rocdl | FileCheck %s
// RUN: sed s/gfx942/gfx1250/ %s | tilewright-opt --split-input-file --thread-to-rocdl | FileCheck %s --check-prefix=PLAIN

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 4 : i32} {
  // An argument has one resource. A masked access has an offset beyond its size. A load gives zero there, so that
  // only other values are selected.
  //
  // CHECK-LABEL: func @masked
  // CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[O:.*]]: i32, %[[M:.*]]: i1, %[[X:.*]]: vector<4xf16>
  // CHECK-DAG: %[[STRIDE:.*]] = arith.constant 0 : i16
  // CHECK-DAG: %[[SIZE:.*]] = arith.constant 2147483647 : i64
  // CHECK-DAG: %[[FLAGS:.*]] = arith.constant 159744 : i32
  // CHECK: %[[R:.*]] = rocdl.make.buffer.rsrc %[[P]], %[[STRIDE]], %[[SIZE]], %[[FLAGS]] : <1> to <8>
  // CHECK-NOT: rocdl.make.buffer.rsrc
  // CHECK: %[[OUTSIDE:.*]] = arith.constant -2147483648 : i32
  // CHECK: %[[AT:.*]] = arith.select %[[M]], %[[O]], %[[OUTSIDE]]
  // CHECK: %[[A:.*]] = rocdl.raw.ptr.buffer.load %[[R]], %[[AT]], %{{.*}}, %{{.*}} : vector<2xi32>
  // CHECK: llvm.bitcast %[[A]] : vector<2xi32> to vector<4xf16>
  // CHECK-NOT: llvm.select
  // CHECK: rocdl.raw.ptr.buffer.load
  // CHECK: %[[LOADED:.*]] = llvm.bitcast
  // CHECK: %[[C:.*]] = llvm.select %[[M]], %[[LOADED]], %[[X]]
  // CHECK: %[[WORDS:.*]] = llvm.bitcast %[[C]]
  // CHECK: rocdl.raw.ptr.buffer.store %[[WORDS]], %[[R]], %{{.*}} : vector<2xi32>
  // CHECK-NOT: scf.if
  // PLAIN-LABEL: func @masked
  // PLAIN: scf.if
  // PLAIN: llvm.getelementptr
  // PLAIN-NOT: rocdl
  func.func @masked(%p: !llvm.ptr<1>, %o: i32, %m: i1, %x: vector<4xf16>) {
    %zero = arith.constant dense<0.0> : vector<4xf16>
    %a = thread.load %p plus %o mask %m other %zero : <1>, other vector<4xf16> -> vector<4xf16>
    thread.store %p plus %o, %a : <1>, vector<4xf16>
    %c = thread.load %p plus %o mask %m other %x : <1>, other vector<4xf16> -> vector<4xf16>
    thread.store %p plus %o, %c mask %m : <1>, vector<4xf16>
    return
  }

  // Each size has a type for which there is an instruction. Minus zero has bits.
  //
  // CHECK-LABEL: func @sizes
  // CHECK: rocdl.raw.ptr.buffer.load {{.*}} : i8
  // CHECK: rocdl.raw.ptr.buffer.load {{.*}} : i16
  // CHECK: rocdl.raw.ptr.buffer.load {{.*}} : i32
  // CHECK: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
  // CHECK: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
  // CHECK: rocdl.raw.ptr.buffer.load {{.*}} : i32
  // CHECK: llvm.select
  func.func @sizes(%p: !llvm.ptr<1>, %o: i32, %m: i1) -> (i8, vector<1xf16>, vector<4xi8>, vector<2xf64>,
                                                          vector<16xi8>, f32) {
    %minus = arith.constant -0.0 : f32
    %a = thread.load %p plus %o : <1> -> i8
    %b = thread.load %p plus %o : <1> -> vector<1xf16>
    %c = thread.load %p plus %o : <1> -> vector<4xi8>
    %d = thread.load %p plus %o : <1> -> vector<2xf64>
    %e = thread.load %p plus %o : <1> -> vector<16xi8>
    %f = thread.load %p plus %o mask %m other %minus : <1>, other f32 -> f32
    return %a, %b, %c, %d, %e, %f : i8, vector<1xf16>, vector<4xi8>, vector<2xf64>, vector<16xi8>, f32
  }

  // Data that are used once have a bit. Volatile loads have addresses of 64 bits.
  //
  // CHECK-LABEL: func @hints
  // CHECK: %[[NT:.*]] = arith.constant 2 : i32
  // CHECK: rocdl.raw.ptr.buffer.load %{{.*}}, %{{.*}}, %{{.*}}, %[[NT]] : i32
  // CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[NT:.*]] : i32
  // CHECK: llvm.getelementptr
  // CHECK: llvm.load volatile
  func.func @hints(%p: !llvm.ptr<1>, %o: i32) -> i32 {
    %a = thread.load %p plus %o {cache = #tile.cache<cs>} : <1> -> i32
    thread.store %p plus %o, %a {evict = #tile.evict<first>} : <1>, i32
    %b = thread.load %p plus %o volatile : <1> -> i32
    return %b : i32
  }
}
