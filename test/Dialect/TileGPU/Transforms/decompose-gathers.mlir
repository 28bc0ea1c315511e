// RUN: tilewright-opt %s --decompose-gathers | FileCheck %s

#line = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0]], block = [] : 64>
#far = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [] : 64>
#deep = #tilegpu.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[0]], block = [] : 128>

module attributes {tilegpu.num_warps = 2 : i32, tilegpu.target = "sm_90a"} {
  // The gather is left alone: tilegpu-to-thread emits shuffles for it.
  // CHECK-LABEL: @inside
  // CHECK-NEXT: tile.gather
  func.func @inside(%x: tensor<64xf32, #line>, %i: tensor<64xi32, #line>) -> tensor<64xf32, #line> {
    %0 = tile.gather %x[%i] 0 : tensor<64xf32, #line>, tensor<64xi32, #line> -> tensor<64xf32, #line>
    return %0 : tensor<64xf32, #line>
  }

  // CHECK-LABEL: @between
  // CHECK-SAME: (%[[X:.*]]: tensor<64xf32, #{{.*}}>, %[[I:.*]]: tensor<64xi16, #{{.*}}>)
  // CHECK-NEXT: %[[B:.*]] = tilegpu.local_alloc : <64xf32, #{{.*}}>
  // CHECK-NEXT: tilegpu.local_store %[[X]], %[[B]]
  // CHECK-NEXT: tilegpu.local_gather %[[B]][%[[I]]] 0 : <64xf32, #{{.*}}>, tensor<64xi16, #{{.*}}> -> tensor<64xf32, #{{.*}}>
  func.func @between(%x: tensor<64xf32, #far>, %i: tensor<64xi16, #far>) -> tensor<64xf32, #far> {
    %0 = tile.gather %x[%i] 0 : tensor<64xf32, #far>, tensor<64xi16, #far> -> tensor<64xf32, #far>
    return %0 : tensor<64xf32, #far>
  }

  // Four shuffles per element cost more than a load.
  // CHECK-LABEL: @deep
  // CHECK: tilegpu.local_gather
  func.func @deep(%x: tensor<128xf32, #deep>, %i: tensor<64xi32, #line>) -> tensor<64xf32, #line> {
    %0 = tile.gather %x[%i] 0 : tensor<128xf32, #deep>, tensor<64xi32, #line> -> tensor<64xf32, #line>
    return %0 : tensor<64xf32, #line>
  }
}
