// tilegpu-to-thread: a failed assertion ends the launch and names the user's line.
// RUN: tilewright-opt %s --tilegpu-to-thread --canonicalize | FileCheck %s
// RUN: tilewright-opt %s --tilegpu-to-thread --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=PLACES

#line = #tilegpu.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 64>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // CHECK-LABEL: func.func @check
  // CHECK: %[[HOLDS:.*]] = vector.reduction <and>, %{{.*}} : vector<2xi1> into i1
  // CHECK: %[[FAILS:.*]] = arith.xori %[[HOLDS]], %true
  // CHECK: scf.if %[[FAILS]]
  // CHECK: thread.fail "x is positive"
  func.func @check(%x: tensor<64xi1, #line>, %y: i1) {
    tile.assert %x, "x is positive" : tensor<64xi1, #line> loc("kernel.py":17:3)
    // CHECK: scf.if
    // PLACES: thread.fail "y" loc(callsite("called.py":3:5 at "kernel.py":18:3))
    tile.assert %y, "y" : i1 loc(callsite("called.py":3:5 at "kernel.py":18:3))
    return
  }

  // The first thread that fails reports its program.
  // CHECK-LABEL: func.func @report
  // CHECK-SAME: %{{.*}}: i1, %[[MAILBOX:.*]]: !llvm.ptr<1>
  // CHECK: scf.if
  // CHECK-DAG: %[[Y:.*]] = thread.num_programs 1
  // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[MAILBOX]][1]
  // CHECK: thread.compare_exchange <acq_rel> <sys> %[[SECOND]], %c0_i64
  // CHECK: thread.compare_exchange <acq_rel> <sys> %[[MAILBOX]], %c0_i64
  // CHECK: thread.fail "out of bounds"
  func.func @report(%y: i1, %mailbox: !tile.ptr<i64>) {
    tile.assert %y, "out of bounds" report 3 to %mailbox : i1, !tile.ptr<i64>
    return
  }
}
