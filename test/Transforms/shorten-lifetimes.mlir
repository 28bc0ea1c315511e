// RUN: tilewright-opt %s --shorten-lifetimes --split-input-file | FileCheck %s

// With 32 warps, a thread may have 64 registers. Three loads of 32 words need more; one is in flight while what the one
// before it returned is used.
module attributes {tilegpu.num_warps = 32 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @stores_in_turn(
  // CHECK-SAME: %[[P:[^:]*]]: !llvm.ptr<1>, %[[Q:[^:]*]]: !llvm.ptr<1>)
  // CHECK: %[[X0:.*]] = thread.load %[[P]] :
  // CHECK: %[[P1:.*]] = llvm.getelementptr %[[P]][32]
  // CHECK: %[[X1:.*]] = thread.load %[[P1]]
  // CHECK: %[[Y0:.*]] = math.exp %[[X0]]
  // CHECK: thread.store %[[Q]], %[[Y0]]
  // CHECK: %[[X2:.*]] = thread.load
  // CHECK: %[[Y1:.*]] = math.exp %[[X1]]
  // CHECK: thread.store %{{.*}}, %[[Y1]]
  // CHECK: %[[Y2:.*]] = math.exp %[[X2]]
  // CHECK: thread.store %{{.*}}, %[[Y2]]
  func.func @stores_in_turn(%p: !llvm.ptr<1> {thread.noalias}, %q: !llvm.ptr<1>) {
    %p1 = llvm.getelementptr %p[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p2 = llvm.getelementptr %p[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %q1 = llvm.getelementptr %q[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %q2 = llvm.getelementptr %q[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %x0 = thread.load %p : <1> -> vector<32xf32>
    %x1 = thread.load %p1 : <1> -> vector<32xf32>
    %x2 = thread.load %p2 : <1> -> vector<32xf32>
    %y0 = math.exp %x0 : vector<32xf32>
    %y1 = math.exp %x1 : vector<32xf32>
    %y2 = math.exp %x2 : vector<32xf32>
    thread.store %q, %y0 : <1>, vector<32xf32>
    thread.store %q1, %y1 : <1>, vector<32xf32>
    thread.store %q2, %y2 : <1>, vector<32xf32>
    return
  }

  // Of stores to two arrays, the second one of a piece follows the first one, as it needs nothing else.
  // CHECK-LABEL: func.func @two_arrays(
  // CHECK: thread.store %[[Q:.*]], %{{.*}} : <1>, vector<32xf32>
  // CHECK-NEXT: thread.store %[[R:.*]], %{{.*}} : <1>, vector<32xf32>
  // CHECK: math.exp
  // CHECK: thread.store
  // CHECK-NEXT: llvm.getelementptr
  // CHECK-NEXT: thread.store
  func.func @two_arrays(%p: !llvm.ptr<1> {thread.noalias}, %q: !llvm.ptr<1> {thread.noalias}, %r: !llvm.ptr<1>) {
    %p1 = llvm.getelementptr %p[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p2 = llvm.getelementptr %p[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %q1 = llvm.getelementptr %q[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %q2 = llvm.getelementptr %q[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %r1 = llvm.getelementptr %r[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %r2 = llvm.getelementptr %r[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %x0 = thread.load %p : <1> -> vector<32xf32>
    %x1 = thread.load %p1 : <1> -> vector<32xf32>
    %x2 = thread.load %p2 : <1> -> vector<32xf32>
    %y0 = math.exp %x0 : vector<32xf32>
    %y1 = math.exp %x1 : vector<32xf32>
    %y2 = math.exp %x2 : vector<32xf32>
    thread.store %q, %y0 : <1>, vector<32xf32>
    thread.store %q1, %y1 : <1>, vector<32xf32>
    thread.store %q2, %y2 : <1>, vector<32xf32>
    thread.store %r, %y0 : <1>, vector<32xf32>
    thread.store %r1, %y1 : <1>, vector<32xf32>
    thread.store %r2, %y2 : <1>, vector<32xf32>
    return
  }

  // The first store may change what the later loads read.
  // CHECK-LABEL: func.func @may_overlap(
  // CHECK-COUNT-3: thread.load
  // CHECK-NOT: thread.load
  // CHECK: return
  func.func @may_overlap(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) {
    %p1 = llvm.getelementptr %p[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p2 = llvm.getelementptr %p[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %q1 = llvm.getelementptr %q[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %q2 = llvm.getelementptr %q[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %x0 = thread.load %p : <1> -> vector<32xf32>
    %x1 = thread.load %p1 : <1> -> vector<32xf32>
    %x2 = thread.load %p2 : <1> -> vector<32xf32>
    thread.store %q, %x0 : <1>, vector<32xf32>
    thread.store %q1, %x1 : <1>, vector<32xf32>
    thread.store %q2, %x2 : <1>, vector<32xf32>
    return
  }

  // Each term of a sum is computed when it is added, and the next one is loaded meanwhile.
  // CHECK-LABEL: func.func @sum(
  // CHECK-COUNT-2: thread.load
  // CHECK-NEXT: math.exp
  // CHECK: thread.load
  // CHECK-NEXT: math.exp
  // CHECK-NEXT: %[[S1:.*]] = arith.addf
  // CHECK: %[[X3:.*]] = thread.load
  // CHECK-NEXT: %[[Y2:.*]] = math.exp
  // CHECK-NEXT: %[[S2:.*]] = arith.addf %[[Y2]], %[[S1]]
  // CHECK-NEXT: %[[Y3:.*]] = math.exp %[[X3]]
  // CHECK-NEXT: arith.addf %[[Y3]], %[[S2]]
  func.func @sum(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) {
    %p1 = llvm.getelementptr %p[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p2 = llvm.getelementptr %p[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %p3 = llvm.getelementptr %p[96] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %x0 = thread.load %p : <1> -> vector<32xf32>
    %x1 = thread.load %p1 : <1> -> vector<32xf32>
    %x2 = thread.load %p2 : <1> -> vector<32xf32>
    %x3 = thread.load %p3 : <1> -> vector<32xf32>
    %y0 = math.exp %x0 : vector<32xf32>
    %y1 = math.exp %x1 : vector<32xf32>
    %y2 = math.exp %x2 : vector<32xf32>
    %y3 = math.exp %x3 : vector<32xf32>
    %s1 = arith.addf %y0, %y1 : vector<32xf32>
    %s2 = arith.addf %y2, %s1 : vector<32xf32>
    %s3 = arith.addf %y3, %s2 : vector<32xf32>
    thread.store %q, %s3 : <1>, vector<32xf32>
    return
  }
}
