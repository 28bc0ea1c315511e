// RUN: tilewright-opt %s --hoist-releases | FileCheck %s

// One thread waits for a lock, and shares what it finds through shared memory.
// CHECK-LABEL: func.func @lock(
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: thread.fence <gpu>
// CHECK: scf.while
// CHECK-NEXT: thread.compare_exchange <acquire> <gpu>
func.func @lock(%lock: !llvm.ptr<1>, %shared: !llvm.ptr<3>, %free: i32, %taken: i32) {
  %zero = arith.constant 0 : i32
  %thread = thread.id
  %first = arith.cmpi eq, %thread, %zero : i32
  scf.while : () -> () {
    %old = thread.compare_exchange <acq_rel> <gpu> %lock, %free, %taken mask %first : !llvm.ptr<1>, i32
    thread.barrier
    scf.if %first {
      llvm.store %old, %shared : i32, !llvm.ptr<3>
    }
    thread.barrier
    %all = llvm.load %shared : !llvm.ptr<3> -> i32
    %wait = arith.cmpi eq, %all, %taken : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  return
}

// CHECK-LABEL: func.func @exchange(
// CHECK: thread.fence <gpu>
// CHECK: scf.while
// CHECK-NEXT: thread.atomic_rmw <xchg> <relaxed> <gpu>
func.func @exchange(%lock: !llvm.ptr<1>, %taken: i32) {
  %zero = arith.constant 0 : i32
  %thread = thread.id
  %first = arith.cmpi eq, %thread, %zero : i32
  scf.while : () -> () {
    %old = thread.atomic_rmw <xchg> <release> <gpu> %lock, %taken mask %first : !llvm.ptr<1>, i32
    %wait = arith.cmpi eq, %old, %taken : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  return
}

// The loop writes to memory that the atomic releases.
// CHECK-LABEL: func.func @store(
// CHECK-NOT: thread.fence
// CHECK: thread.compare_exchange <acq_rel>
func.func @store(%lock: !llvm.ptr<1>, %p: !llvm.ptr<1>, %free: i32, %taken: i32) {
  %zero = arith.constant 0 : i32
  %thread = thread.id
  %first = arith.cmpi eq, %thread, %zero : i32
  scf.while : () -> () {
    %old = thread.compare_exchange <acq_rel> <gpu> %lock, %free, %taken mask %first : !llvm.ptr<1>, i32
    %wait = arith.cmpi eq, %old, %taken : i32
    scf.condition(%wait)
  } do {
    thread.store %p, %taken mask %first : !llvm.ptr<1>, i32
    scf.yield
  }
  return
}

// So does another atomic, or the same one at another address.
// CHECK-LABEL: func.func @two_atomics(
// CHECK-NOT: thread.fence
// CHECK: thread.atomic_rmw <add> <relaxed>
// CHECK: thread.compare_exchange <acq_rel>
func.func @two_atomics(%lock: !llvm.ptr<1>, %p: !llvm.ptr<1>, %free: i32, %taken: i32) {
  %zero = arith.constant 0 : i32
  %thread = thread.id
  %first = arith.cmpi eq, %thread, %zero : i32
  scf.while : () -> () {
    %count = thread.atomic_rmw <add> <relaxed> <gpu> %p, %taken mask %first : !llvm.ptr<1>, i32
    %old = thread.compare_exchange <acq_rel> <gpu> %lock, %free, %taken mask %first : !llvm.ptr<1>, i32
    %wait = arith.cmpi eq, %old, %taken : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  return
}

// CHECK-LABEL: func.func @addresses(
// CHECK-NOT: thread.fence
// CHECK: thread.atomic_rmw <xchg> <acq_rel>
func.func @addresses(%locks: !llvm.ptr<1>, %taken: i32) {
  %zero = arith.constant 0 : i32
  %thread = thread.id
  %first = arith.cmpi eq, %thread, %zero : i32
  %end = scf.while (%lock = %locks) : (!llvm.ptr<1>) -> !llvm.ptr<1> {
    %old = thread.atomic_rmw <xchg> <acq_rel> <gpu> %lock, %taken mask %first : !llvm.ptr<1>, i32
    %wait = arith.cmpi eq, %old, %taken : i32
    scf.condition(%wait) %lock : !llvm.ptr<1>
  } do {
  ^bb0(%lock: !llvm.ptr<1>):
    %next = llvm.getelementptr %lock[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    scf.yield %next : !llvm.ptr<1>
  }
  return
}

// What other threads wrote before the barrier is released by the atomic after it, not by a fence before it.
// CHECK-LABEL: func.func @barrier_in_loop(
// CHECK-NOT: thread.fence
// CHECK: thread.compare_exchange <acq_rel>
func.func @barrier_in_loop(%lock: !llvm.ptr<1>, %free: i32, %taken: i32) {
  %zero = arith.constant 0 : i32
  %thread = thread.id
  %first = arith.cmpi eq, %thread, %zero : i32
  scf.while : () -> () {
    thread.barrier
    %old = thread.compare_exchange <acq_rel> <gpu> %lock, %free, %taken mask %first : !llvm.ptr<1>, i32
    %wait = arith.cmpi eq, %old, %taken : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  return
}

// The releases that the atomic continues may have another scope.
// CHECK-LABEL: func.func @wider_scope(
// CHECK-NOT: thread.fence
// CHECK: thread.compare_exchange <acq_rel> <sys>
func.func @wider_scope(%lock: !llvm.ptr<1>, %free: i32, %taken: i32) {
  %zero = arith.constant 0 : i32
  %thread = thread.id
  %first = arith.cmpi eq, %thread, %zero : i32
  scf.while : () -> () {
    %old = thread.compare_exchange <acq_rel> <sys> %lock, %free, %taken mask %first : !llvm.ptr<1>, i32
    %wait = arith.cmpi eq, %old, %taken : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  return
}

// In the next iteration, a thread releases what another one has acquired in this one.
// CHECK-LABEL: func.func @several_threads(
// CHECK-NOT: thread.fence
// CHECK: thread.compare_exchange <acq_rel>
func.func @several_threads(%some: i1, %lock: !llvm.ptr<1>, %free: i32, %taken: i32) {
  scf.while : () -> () {
    %old = thread.compare_exchange <acq_rel> <gpu> %lock, %free, %taken mask %some : !llvm.ptr<1>, i32
    thread.barrier
    %wait = arith.cmpi eq, %old, %taken : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  return
}
