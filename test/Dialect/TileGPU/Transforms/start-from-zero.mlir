// RUN: tilewright-opt %s --start-from-zero | FileCheck %s

#shared = #tilegpu.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]] : 64x64>
#acc = #tilegpu.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = [] : 64x64>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: @product
  // CHECK-SAME: (%[[FIRST:.*]]: i32, %[[END:.*]]: i32,
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
  // CHECK: %[[POISON:.*]] = ub.poison
  // CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[FIRST]], %[[END]]
  // CHECK: %[[R:.*]]:2 = scf.if %[[ANY]]
  // CHECK-NEXT: %[[S:.*]]:2 = scf.for %[[K:.*]] = %[[FIRST]] to %[[END]] {{.*}} iter_args(%[[A:.*]] = %[[POISON]], %{{.*}} = %{{.*}})
  // CHECK: %[[CONTINUES:.*]] = arith.cmpi ne, %[[K]], %[[FIRST]]
  // CHECK-NEXT: tilegpu.group_mma {{.*}} async {{.*}}, %[[A]] if %[[CONTINUES]] :
  // CHECK: }
  // CHECK-NEXT: %[[W:.*]] = tilegpu.group_mma_wait %[[S]]#0 pending 0 read
  // CHECK-NEXT: scf.yield %[[W]], %[[S]]#1
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %[[Z:.*]] = tilegpu.group_mma_wait %[[ZERO]] pending 0
  // CHECK-NEXT: scf.yield %[[Z]], %{{.*}}
  // CHECK: return %[[R]]#0, %[[R]]#1
  func.func @product(%first: i32, %end: i32, %x: !tilegpu.buffer<64x64xf16, #shared>) -> (tensor<64x64xf32, #acc>, i32) {
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %r:2 = scf.for %k = %first to %end step %c1 iter_args(%a = %zero, %n = %first) -> (tensor<64x64xf32, #acc>, i32) : i32 {
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x, %a : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %w = tilegpu.group_mma_wait %d pending 1 read %x : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      %m = arith.addi %n, %k : i32
      scf.yield %w, %m : tensor<64x64xf32, #acc>, i32
    }
    %s = tilegpu.group_mma_wait %r#0 pending 0 read %x : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
    return %s, %r#1 : tensor<64x64xf32, #acc>, i32
  }

  // Indices that count without a sign.
  // CHECK-LABEL: @unsigned
  // CHECK: arith.cmpi ult
  // CHECK: scf.for unsigned
  // CHECK: tilegpu.group_mma {{.*}} if %
  func.func @unsigned(%first: i32, %end: i32, %x: !tilegpu.buffer<64x64xf16, #shared>) -> tensor<64x64xf32, #acc> {
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %r = scf.for unsigned %k = %first to %end step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x, %a : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %w = tilegpu.group_mma_wait %d pending 1 read %x : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      scf.yield %w : tensor<64x64xf32, #acc>
    }
    %s = tilegpu.group_mma_wait %r pending 0 read %x : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
    return %s : tensor<64x64xf32, #acc>
  }

  // CHECK-LABEL: @from_minus_zero
  // CHECK-NOT: ub.poison
  // CHECK-NOT: scf.if
  func.func @from_minus_zero(%first: i32, %end: i32, %x: !tilegpu.buffer<64x64xf16, #shared>) -> tensor<64x64xf32, #acc> {
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<-0.0> : tensor<64x64xf32, #acc>
    %r = scf.for %k = %first to %end step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x, %a : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %w = tilegpu.group_mma_wait %d pending 1 read %x : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      scf.yield %w : tensor<64x64xf32, #acc>
    }
    %s = tilegpu.group_mma_wait %r pending 0 read %x : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
    return %s : tensor<64x64xf32, #acc>
  }

  // The loop passes on what it began with in an iteration without a dot.
  // CHECK-LABEL: @read_elsewhere
  // CHECK-NOT: ub.poison
  func.func @read_elsewhere(%first: i32, %end: i32, %c: i1, %x: !tilegpu.buffer<64x64xf16, #shared>) -> tensor<64x64xf32, #acc> {
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %r = scf.for %k = %first to %end step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" async %x, %x, %a : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      %w = tilegpu.group_mma_wait %d pending 0 read %x : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
      %s = arith.select %c, %w, %a : tensor<64x64xf32, #acc>
      scf.yield %s : tensor<64x64xf32, #acc>
    }
    %s = tilegpu.group_mma_wait %r pending 0 read %x : !tilegpu.buffer<64x64xf16, #shared> : tensor<64x64xf32, #acc>
    return %s : tensor<64x64xf32, #acc>
  }

  // CHECK-LABEL: @waits_for_each
  // CHECK-NOT: ub.poison
  func.func @waits_for_each(%first: i32, %end: i32, %x: !tilegpu.buffer<64x64xf16, #shared>) -> tensor<64x64xf32, #acc> {
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    %r = scf.for %k = %first to %end step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %d = tilegpu.group_mma "m64k16.f16.f16.f32" %x, %x, %a : !tilegpu.buffer<64x64xf16, #shared> * !tilegpu.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      scf.yield %d : tensor<64x64xf32, #acc>
    }
    return %r : tensor<64x64xf32, #acc>
  }
}
