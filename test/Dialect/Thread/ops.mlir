// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// CHECK-LABEL: func @indices
func.func @indices() -> (i32, i32, i32, i32, i32) {
  // CHECK: thread.id
  // CHECK-NEXT: thread.lane
  // CHECK-NEXT: thread.warp
  // CHECK-NEXT: thread.program_id 2
  // CHECK-NEXT: thread.num_programs 0
  %id = thread.id
  %lane = thread.lane
  %warp = thread.warp
  %program = thread.program_id 2
  %programs = thread.num_programs 0
  return %id, %lane, %warp, %program, %programs : i32, i32, i32, i32, i32
}

// CHECK-LABEL: func @memory
func.func @memory(%p: !llvm.ptr<1>, %mask: i1, %x: vector<4xf32>, %n: i32) {
  // CHECK: thread.load %{{.*}} : <1> -> vector<4xf32>
  // CHECK: thread.load %{{.*}} mask %{{.*}} other %{{.*}} volatile {cache = #tile.cache<cg>, evict = #tile.evict<first>} : <1>, other vector<4xf32> -> vector<4xf32>
  // CHECK: thread.store %{{.*}}, %{{.*}} mask %{{.*}} {evict = #tile.evict<last>} : <1>, vector<4xf32>
  // CHECK: thread.atomic_rmw <fadd> <relaxed> <gpu> %{{.*}}, %{{.*}} mask %{{.*}} : <1>, vector<4xf32>
  // CHECK: thread.compare_exchange <acq_rel> <sys> %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : <1>, i32
  // CHECK: thread.fence <cta>
  // CHECK: thread.barrier
  %a = thread.load %p : <1> -> vector<4xf32>
  %b = thread.load %p mask %mask other %x volatile {cache = #tile.cache<cg>, evict = #tile.evict<first>} : <1>, other vector<4xf32> -> vector<4xf32>
  thread.store %p, %b mask %mask {evict = #tile.evict<last>} : <1>, vector<4xf32>
  %c = thread.atomic_rmw <fadd> <relaxed> <gpu> %p, %x mask %mask : <1>, vector<4xf32>
  %d = thread.compare_exchange <acq_rel> <sys> %p, %n, %n mask %mask : <1>, i32
  thread.fence <cta>
  thread.barrier
  return
}

// CHECK-LABEL: func @copies
func.func @copies(%from: !llvm.ptr<1>, %n: i32) {
  // CHECK: %[[TO:.*]] = thread.shared_memory
  // CHECK: thread.async_copy %[[TO]], %{{.*}} size 16 bytes %{{.*}} bypass_l1 : <3>, <1>
  // CHECK: thread.async_copy %[[TO]], %{{.*}} size 4 : <3>, <1>
  // CHECK: thread.async_commit
  // CHECK: thread.async_wait 1
  %to = thread.shared_memory
  thread.async_copy %to, %from size 16 bytes %n bypass_l1 : <3>, <1>
  thread.async_copy %to, %from size 4 : <3>, <1>
  thread.async_commit
  thread.async_wait 1
  return
}

// CHECK-LABEL: func @warps
func.func @warps(%x: f32, %n: i32, %pair: vector<2xf16>, %shared: !llvm.ptr<3>) -> f32 {
  // CHECK: thread.shuffle <xor> %{{.*}}, %{{.*}} : f32
  // CHECK: thread.shuffle <index> %{{.*}}, %{{.*}} : i32
  // CHECK: thread.reduce <add> %{{.*}}
  // CHECK: thread.round_to_tf32 %{{.*}}
  // CHECK: thread.load_matrix "m8n8.x2.trans.b16" %{{.*}} : <3> -> i32, i32
  // CHECK: thread.store_matrix "m8n8.x2.b16" %{{.*}}, %{{.*}}, %{{.*}} : <3>, i32, i32
  // CHECK: %[[SUM:.*]]:4 = thread.mma "m16n8k8.f16.f16.f32" %{{.*}}, %{{.*}} by %{{.*}} into %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<2xf16>, vector<2xf16> by vector<2xf16> into f32, f32, f32, f32
  // CHECK: return %[[SUM]]#3
  %a = thread.shuffle <xor> %x, %n : f32
  %b = thread.shuffle <index> %n, %n : i32
  %c = thread.reduce <add> %n
  %d = thread.round_to_tf32 %x
  %e:2 = thread.load_matrix "m8n8.x2.trans.b16" %shared : <3> -> i32, i32
  thread.store_matrix "m8n8.x2.b16" %shared, %e#0, %e#1 : <3>, i32, i32
  %f:4 = thread.mma "m16n8k8.f16.f16.f32" %pair, %pair by %pair into %x, %x, %x, %x : vector<2xf16>, vector<2xf16> by vector<2xf16> into f32, f32, f32, f32
  return %f#3 : f32
}

// CHECK-LABEL: func @approximations
func.func @approximations(%x: vector<4xf32>, %bytes: vector<2xi8>, %y: f32) {
  // CHECK: thread.reciprocal %{{.*}} : vector<4xf32>
  // CHECK: thread.reciprocal %{{.*}} : f32
  // CHECK: thread.extend_pairs %{{.*}} from f8E5M2 : vector<2xi8> -> vector<2xf16>
  // CHECK: thread.truncate_pairs %{{.*}}, %{{.*}} to f8E4M3FN -> vector<2xi8>
  %a = thread.reciprocal %x : vector<4xf32>
  %b = thread.reciprocal %y : f32
  %c = thread.extend_pairs %bytes from f8E5M2 : vector<2xi8> -> vector<2xf16>
  %d = thread.truncate_pairs %y, %y to f8E4M3FN -> vector<2xi8>
  return
}

// CHECK-LABEL: func @messages
func.func @messages(%n: i32, %x: f64) {
  // CHECK: thread.print "hello"
  // CHECK: thread.print "%d: %g" %{{.*}}, %{{.*}} : i32, f64
  // CHECK: thread.fail "too small"
  thread.print "hello"
  thread.print "%d: %g" %n, %x : i32, f64
  thread.fail "too small"
  return
}

// CHECK-LABEL: func @groups
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: !llvm.ptr<3>, %[[C:.*]]: f32, %[[IF:.*]]: i1
func.func @groups(%a: i32, %b: !llvm.ptr<3>, %c: f32, %if: i1) {
  // CHECK: thread.group_mma "m64k16.f16.f16.f32" columns 8 %[[A]], %[[A]], %[[A]], %[[A]] at 0 by %[[B]] at 2048 in <swizzle = 128, leading = 4096, stride = 1024, transposed = true> into %[[C]], %[[C]], %[[C]], %[[C]] from_zero : i32, i32, i32, i32 by <3> into f32, f32, f32, f32
  // CHECK: thread.group_mma "m64k16.f16.f16.f32" columns 8 %[[B]] at 64 in <swizzle = 64, leading = 0, stride = 512, transposed = false> by %[[B]] at 0 in <swizzle = 32, leading = 0, stride = 256, transposed = false> into %[[C]], %[[C]], %[[C]], %[[C]] if %[[IF]] : !llvm.ptr<3> by <3> into f32, f32, f32, f32
  %0:4 = thread.group_mma "m64k16.f16.f16.f32" columns 8 %a, %a, %a, %a at 0 by %b at 2048 in <swizzle = 128, leading = 4096, stride = 1024, transposed = true> into %c, %c, %c, %c from_zero : i32, i32, i32, i32 by <3> into f32, f32, f32, f32
  %1:4 = thread.group_mma "m64k16.f16.f16.f32" columns 8 %b at 64 in <swizzle = 64, leading = 0, stride = 512, transposed = false> by %b at 0 in <swizzle = 32, leading = 0, stride = 256, transposed = false> into %c, %c, %c, %c if %if : !llvm.ptr<3> by <3> into f32, f32, f32, f32
  return
}

// CHECK-LABEL: func @partitions
func.func @partitions(%number: i32, %x: i32) {
  // CHECK: thread.set_registers 24
  // CHECK: thread.set_registers more 240
  // CHECK: thread.barrier of 256
  // CHECK: thread.named_barrier_wait %{{.*}} of 288{{$}}
  // CHECK: thread.named_barrier_wait %{{.*}} of 288 anywhere{{$}}
  // CHECK: thread.named_barrier_wait %{{.*}} of 256 after %{{.*}}, %{{.*}}
  // CHECK: thread.named_barrier_arrive %{{.*}} of 256
  thread.set_registers 24
  thread.set_registers more 240
  thread.barrier of 256
  thread.named_barrier_wait %number of 288
  thread.named_barrier_wait %number of 288 anywhere
  thread.named_barrier_wait %number of 256 after %x, %x
  thread.named_barrier_arrive %number of 256
  return
}
