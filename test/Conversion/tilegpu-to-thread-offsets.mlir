// tilegpu-to-thread: accesses with the mark of mark-small-offsets have an argument and an offset as operands.
// RUN: tilewright-opt %s --tilegpu-to-thread --split-input-file | FileCheck %s

#two = #tilegpu.layout<register = [[64]], lane = [[1], [2], [4], [8], [16], [32]], warp = [], block = [] : 128>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "gfx942"} {
  // The offsets in bytes of both registers are computed in 32 bits from the indices of each step to the address.
  // CHECK-LABEL: func.func @sum
  // CHECK-SAME: (%[[X:.*]]: !llvm.ptr<1>, %[[N:.*]]: i64
  // CHECK: %[[I:.*]] = vector.extract %[[INDICES:.*]][0] : i32 from vector<2xi32>
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
  // CHECK: %[[BYTES:.*]] = arith.muli %[[I]], %[[FOUR]]
  // CHECK: %[[M:.*]] = vector.extract %{{.*}}[0] : i64 from vector<2xi64>
  // CHECK: %[[LOW:.*]] = arith.trunci %[[M]] : i64 to i32
  // CHECK: %[[MORE:.*]] = arith.muli %[[LOW]]
  // CHECK: %[[O:.*]] = arith.addi %[[BYTES]], %[[MORE]]
  // CHECK: thread.load %[[X]] plus %[[O]] : <1> -> vector<1xf32>
  // CHECK: thread.load %[[X]] plus %{{.*}} : <1> -> vector<1xf32>
  // An access without the mark has an address.
  // CHECK: thread.store %{{.*}}, %{{.*}} : <1>, vector<1xf32>
  func.func @sum(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i64 {tile.slot = 1 : i32}) attributes {tile.kernel} {
    %i = tile.make_range 0 to 128 : tensor<128xi32, #two>
    %b = tile.splat %x : tensor<128x!tile.ptr<f32>, #two>
    %p = tile.addptr %b, %i : tensor<128x!tile.ptr<f32>, #two>, tensor<128xi32, #two>
    %ns = tile.splat %n : tensor<128xi64, #two>
    %q = tile.addptr %p, %ns : tensor<128x!tile.ptr<f32>, #two>, tensor<128xi64, #two>
    %v = tile.load %q {tile.small_offsets} : tensor<128x!tile.ptr<f32>, #two> -> tensor<128xf32, #two>
    tile.store %q, %v : tensor<128x!tile.ptr<f32>, #two>, tensor<128xf32, #two>
    return
  }

  // What all threads add to pointers with the mark moves the argument.
  // CHECK-LABEL: func.func @advanced
  // CHECK-SAME: (%[[X:.*]]: !llvm.ptr<1>, %[[N:.*]]: i64
  // CHECK: %[[I:.*]] = vector.extract %{{.*}}[0] : i32 from vector<2xi32>
  // CHECK: %[[MOVED:.*]] = llvm.getelementptr %[[X]][%[[N]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  // CHECK: %[[O:.*]] = arith.muli
  // CHECK: thread.load %[[MOVED]] plus %[[O]] : <1> -> vector<1xf32>
  // CHECK-NOT: tile.small_offsets
  func.func @advanced(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %n: i64 {tile.slot = 1 : i32}) attributes {tile.kernel} {
    %i = tile.make_range 0 to 128 : tensor<128xi32, #two>
    %b = tile.splat %x : tensor<128x!tile.ptr<f32>, #two>
    %p = tile.addptr %b, %i {tile.small_offsets} : tensor<128x!tile.ptr<f32>, #two>, tensor<128xi32, #two>
    %ns = tile.splat %n : tensor<128xi64, #two>
    %q = tile.addptr %p, %ns : tensor<128x!tile.ptr<f32>, #two>, tensor<128xi64, #two>
    %v = tile.load %q {tile.small_offsets} : tensor<128x!tile.ptr<f32>, #two> -> tensor<128xf32, #two>
    tile.store %q, %v : tensor<128x!tile.ptr<f32>, #two>, tensor<128xf32, #two>
    return
  }

  // What a loop carries is the address, from which the argument is subtracted. A mark on pointers of two arguments,
  // which no pass makes, is dropped.
  // CHECK-LABEL: func.func @carried
  // CHECK-SAME: (%[[X:.*]]: !llvm.ptr<1>, %[[Y:.*]]: !llvm.ptr<1>, %[[N:.*]]: i32
  // CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %[[X]], %{{.*}} = %{{.*}})
  // CHECK: %[[TO:.*]] = llvm.ptrtoint %[[AT]] : !llvm.ptr<1> to i64
  // CHECK: %[[FROM:.*]] = llvm.ptrtoint %[[X]] : !llvm.ptr<1> to i64
  // CHECK: %[[DISTANCE:.*]] = arith.subi %[[TO]], %[[FROM]] : i64
  // CHECK: %[[O:.*]] = arith.trunci %[[DISTANCE]] : i64 to i32
  // CHECK: thread.load %[[X]] plus %[[O]]
  // CHECK: thread.load %{{[^ ]*}} : <1> -> vector<1xf32>
  func.func @carried(%x: !tile.ptr<f32> {tile.slot = 0 : i32}, %y: !tile.ptr<f32> {tile.slot = 1 : i32},
                     %n: i32 {tile.slot = 2 : i32}, %c: i1 {tile.slot = 3 : i32}) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<128xf32, #two>
    %r:2 = scf.for %i = %zero to %n step %one iter_args(%at = %x, %sum = %none)
        -> (!tile.ptr<f32>, tensor<128xf32, #two>) : i32 {
      %b = tile.splat %at : tensor<128x!tile.ptr<f32>, #two>
      %v = tile.load %b {tile.small_offsets} : tensor<128x!tile.ptr<f32>, #two> -> tensor<128xf32, #two>
      %s = arith.addf %sum, %v : tensor<128xf32, #two>
      %next = tile.addptr %at, %i : !tile.ptr<f32>, i32
      scf.yield %next, %s : !tile.ptr<f32>, tensor<128xf32, #two>
    }
    %either = arith.select %c, %x, %y : !tile.ptr<f32>
    %e = tile.splat %either : tensor<128x!tile.ptr<f32>, #two>
    %w = tile.load %e {tile.small_offsets} : tensor<128x!tile.ptr<f32>, #two> -> tensor<128xf32, #two>
    %t = arith.addf %r#1, %w : tensor<128xf32, #two>
    %o = tile.splat %y : tensor<128x!tile.ptr<f32>, #two>
    tile.store %o, %t : tensor<128x!tile.ptr<f32>, #two>, tensor<128xf32, #two>
    return
  }
}
