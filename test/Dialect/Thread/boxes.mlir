// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: func @barriers
// CHECK-SAME: %[[MASK:.*]]: i1, %[[BYTES:.*]]: i32, %[[PARITY:.*]]: i32
func.func @barriers(%mask: i1, %bytes: i32, %parity: i32) {
  // CHECK: %[[BARRIER:.*]] = thread.shared_memory
  // CHECK: thread.transaction_barrier_init %[[BARRIER]] arrivals 1 mask %[[MASK]] : <3>
  // CHECK: thread.transaction_barrier_init %[[BARRIER]] arrivals 128 : <3>
  // CHECK: thread.transaction_barrier_fence
  // CHECK: thread.transaction_barrier_arrive %[[BARRIER]] mask %[[MASK]] : <3>
  // CHECK: thread.transaction_barrier_expect %[[BARRIER]], %[[BYTES]] mask %[[MASK]] : <3>
  // CHECK: thread.transaction_barrier_wait %[[BARRIER]] parity %[[PARITY]] : <3>
  // CHECK: thread.transaction_barrier_end %[[BARRIER]] : <3>
  %barrier = thread.shared_memory
  thread.transaction_barrier_init %barrier arrivals 1 mask %mask : <3>
  thread.transaction_barrier_init %barrier arrivals 128 : <3>
  thread.transaction_barrier_fence
  thread.transaction_barrier_arrive %barrier mask %mask : <3>
  thread.transaction_barrier_expect %barrier, %bytes mask %mask : <3>
  thread.transaction_barrier_wait %barrier parity %parity : <3>
  thread.transaction_barrier_end %barrier : <3>
  return
}

// CHECK-LABEL: func @copies
// CHECK-SAME: %[[MAP:.*]]: !llvm.ptr {thread.tensor_map}, %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[MASK:.*]]: i1
func.func @copies(%map: !llvm.ptr {thread.tensor_map}, %x: i32, %y: i32, %mask: i1, %barrier: !llvm.ptr<3>) {
  // CHECK: %[[BOX:.*]] = thread.shared_memory
  // CHECK: thread.prefetch_tensor_map %[[MAP]] mask %[[MASK]]
  // CHECK: thread.box_copy %[[BOX]], %[[MAP]][%[[X]], %[[Y]]] completes %{{.*}} mask %[[MASK]] : <3>, <3>
  // CHECK: thread.box_copy %[[BOX]], %[[MAP]][%[[X]]] completes %{{.*}} : <3>, <3>
  // CHECK: thread.async_fence
  // CHECK: thread.box_store %[[MAP]][%[[X]], %[[Y]]], %[[BOX]] mask %[[MASK]] : <3>
  // CHECK: thread.box_store %[[MAP]][%[[X]]], %[[BOX]] mask %[[MASK]] evict_first if %[[MASK]] : <3>
  // CHECK: thread.box_store %[[MAP]][%[[X]]], %[[BOX]] evict_first if %[[MASK]] : <3>
  // CHECK: thread.box_store %[[MAP]][%[[X]]], %[[BOX]] reduce <xor> mask %[[MASK]] : <3>
  // CHECK: thread.box_store_commit
  // CHECK: thread.box_store_wait 1 read
  // CHECK: thread.box_store_wait 0{{$}}
  %box = thread.shared_memory
  thread.prefetch_tensor_map %map mask %mask
  thread.box_copy %box, %map[%x, %y] completes %barrier mask %mask : <3>, <3>
  thread.box_copy %box, %map[%x] completes %barrier : <3>, <3>
  thread.async_fence
  thread.box_store %map[%x, %y], %box mask %mask : <3>
  thread.box_store %map[%x], %box mask %mask evict_first if %mask : <3>
  thread.box_store %map[%x], %box evict_first if %mask : <3>
  thread.box_store %map[%x], %box reduce <xor> mask %mask : <3>
  thread.box_store_commit
  thread.box_store_wait 1 read
  thread.box_store_wait 0
  return
}
