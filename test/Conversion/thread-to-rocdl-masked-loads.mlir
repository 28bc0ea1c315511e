// RUN: tilewright-opt %s --thread-to-rocdl | FileCheck %s

// Loads with the same mask share a branch, at the last of them.

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 4 : i32} {
  // CHECK-LABEL: func @share
  func.func @share(%p: !llvm.ptr<1>, %m: i1, %n: i1) -> (f32, f32, f32) {
    // CHECK: scf.if %{{.*}} -> (f32) {
    // CHECK-NEXT: llvm.load
    // CHECK: llvm.getelementptr
    // CHECK: scf.if %{{.*}} -> (f32, f32) {
    // CHECK-NEXT: llvm.load
    // CHECK-NEXT: llvm.load
    %a = thread.load %p mask %m : <1> -> f32
    %c = thread.load %p mask %n : <1> -> f32
    %q = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %b = thread.load %q mask %m : <1> -> f32
    return %a, %b, %c : f32, f32, f32
  }

  // An address that was loaded, and a write, which may change what is loaded, come between.
  //
  // CHECK-LABEL: func @apart
  func.func @apart(%p: !llvm.ptr<1>, %m: i1, %x: f32) -> (f32, f32) {
    // CHECK: scf.if %{{.*}} -> (i64) {
    // CHECK: llvm.inttoptr
    // CHECK: scf.if %{{.*}} -> (f32) {
    // CHECK: llvm.store
    // CHECK: scf.if %{{.*}} -> (f32) {
    %bits = thread.load %p mask %m : <1> -> i64
    %q = llvm.inttoptr %bits : i64 to !llvm.ptr<1>
    %a = thread.load %q mask %m : <1> -> f32
    thread.store %p, %x : <1>, f32
    %b = thread.load %p mask %m : <1> -> f32
    return %a, %b : f32, f32
  }

  // Elements are moved behind the branch; arithmetic comes before the next load.
  //
  // CHECK-LABEL: func @elements
  func.func @elements(%p: !llvm.ptr<1>, %m: i1, %z: f32) -> (vector<4xf32>, f32, vector<2xf32>) {
    // CHECK: scf.if %{{.*}} -> (vector<2xf32>, vector<2xf32>) {
    // CHECK: vector.extract
    // CHECK: vector.from_elements
    // CHECK: arith.addf
    // CHECK: scf.if %{{.*}} -> (vector<2xf32>) {
    %a = thread.load %p mask %m : <1> -> vector<2xf32>
    %a0 = vector.extract %a[0] : f32 from vector<2xf32>
    %q = llvm.getelementptr %p[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %b = thread.load %q mask %m : <1> -> vector<2xf32>
    %b1 = vector.extract %b[1] : f32 from vector<2xf32>
    %moved = vector.from_elements %a0, %b1, %a0, %z : vector<4xf32>
    %sum = arith.addf %a0, %b1 : f32
    %r = llvm.getelementptr %p[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %c = thread.load %r mask %m : <1> -> vector<2xf32>
    return %moved, %sum, %c : vector<4xf32>, f32, vector<2xf32>
  }
}
