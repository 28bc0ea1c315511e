// RUN: tilewright-opt %s --decompose-reductions | FileCheck %s

#row = #tilegpu.layout<register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = [] : 256>
#lines = #tilegpu.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[0], [0]], block = [] : 256>
#short = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = [] : 128>
#rows = #tilegpu.layout<register = [[0, 1], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[1, 0], [2, 0]], block = [] : 8x64>
#row_of_rows = #tilegpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]], block = [] : 64>
#column_of_rows = #tilegpu.layout<register = [[4]], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = [] : 8>
#tall = #tilegpu.layout<register = [[0, 16], [4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [[1, 0], [2, 0]], block = [] : 32x32>
#row_of_tall = #tilegpu.layout<register = [[16]], lane = [[1], [2], [4], [8], [0]], warp = [[0], [0]], block = [] : 32>
#skewed = #tilegpu.layout<register = [[2, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[1, 0], [2, 0]], block = [] : 4x64>
#column_of_skewed = #tilegpu.layout<register = [[2]], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = [] : 4>

// CHECK-DAG: #[[SPLIT:.*]] = #tilegpu.layout<register = {{\[\[}}0, 32]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}1, 0], [2, 0]], block = [] : 4x64>
// CHECK-DAG: #[[ONE:.*]] = #tilegpu.layout<register = [], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]], block = [] : 4>
// CHECK-DAG: #[[ALL:.*]] = #tilegpu.layout<register = {{\[\[}}1], [2]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}0], [0]], block = [] : 4>
// CHECK-DAG: #[[IN_LANES:.*]] = #tilegpu.layout<register = {{\[\[}}2, 0], [0, 16]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = {{\[\[}}0, 0], [0, 0]], block = [] : 4x32>
// CHECK-DAG: #[[LINES:.*]] = #tilegpu.layout<register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = {{\[\[}}0], [0]], block = [] : 256>

module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  // All threads get the four partial results.
  // CHECK-LABEL: @row
  // CHECK-SAME: %[[X:.*]]: tensor<256xf32
  func.func @row(%x: tensor<256xf32, #row>) -> f32 {
    // CHECK: tile.reshape %[[X]] {{.*}} -> tensor<2x4x32xf32
    // CHECK: tile.trans %{{.*}} [1, 0, 2]
    // CHECK: %[[R:.*]] = tile.reshape {{.*}} -> tensor<4x64xf32, #[[SPLIT]]>
    // CHECK: %[[P:.*]] = tile.reduce(%[[R]]) 1
    // CHECK: arith.addf
    // CHECK: -> tensor<4xf32, #[[ONE]]>
    // CHECK: %[[G:.*]] = tilegpu.convert_layout %[[P]] : tensor<4xf32, #[[ONE]]> -> tensor<4xf32, #[[ALL]]>
    // CHECK: %[[S:.*]] = tile.reduce(%[[G]]) 0
    // CHECK: -> f32
    // CHECK: return %[[S]]
    %s = tile.reduce(%x) 0 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<256xf32, #row>) -> f32
    return %s : f32
  }

  // CHECK-LABEL: @insideWarps
  func.func @insideWarps(%x: tensor<8x64xf32, #rows>) -> tensor<8xf32, #column_of_rows> {
    // CHECK-NEXT: tile.reduce(%{{.*}}) 1
    // CHECK-NOT: convert_layout
    %s = tile.reduce(%x) 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<8x64xf32, #rows>) -> tensor<8xf32, #column_of_rows>
    // CHECK: return
    return %s : tensor<8xf32, #column_of_rows>
  }

  // Both operands, such as a value and its index, get the same layouts; the results keep their layouts.
  // CHECK-LABEL: @several
  func.func @several(%x: tensor<8x64xf32, #rows>, %i: tensor<8x64xi32, #rows>)
      -> (tensor<64xf32, #row_of_rows>, tensor<64xi32, #row_of_rows>) {
    // CHECK: %[[P:.*]]:2 = tile.reduce(%{{.*}}, %{{.*}}) 1
    // CHECK: -> (tensor<4x64xf32, #{{.*}}>, tensor<4x64xi32, #{{.*}}>)
    // CHECK: %[[GX:.*]] = tilegpu.convert_layout %[[P]]#0
    // CHECK: %[[GI:.*]] = tilegpu.convert_layout %[[P]]#1
    // CHECK: %[[S:.*]]:2 = tile.reduce(%[[GX]], %[[GI]]) 0
    // CHECK: return %[[S]]#0, %[[S]]#1
    %s:2 = tile.reduce(%x, %i) 0 {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %p = arith.cmpf ogt, %a, %b : f32
      %v = arith.select %p, %a, %b : f32
      %w = arith.select %p, %ai, %bi : i32
      tile.yield %v, %w : f32, i32
    } : (tensor<8x64xf32, #rows>, tensor<8x64xi32, #rows>) -> (tensor<64xf32, #row_of_rows>, tensor<64xi32, #row_of_rows>)
    return %s#0, %s#1 : tensor<64xf32, #row_of_rows>, tensor<64xi32, #row_of_rows>
  }

  // Four times two doubles are too many for registers: lanes that would hold replicas hold some of them.
  // CHECK-LABEL: @inLanes
  func.func @inLanes(%x: tensor<32x32xf64, #tall>) -> tensor<32xf64, #row_of_tall> {
    // CHECK: tilegpu.convert_layout %{{.*}} -> tensor<4x32xf64, #[[IN_LANES]]>
    %s = tile.reduce(%x) 0 {
    ^bb0(%a: f64, %b: f64):
      %c = arith.addf %a, %b : f64
      tile.yield %c : f64
    } : (tensor<32x32xf64, #tall>) -> tensor<32xf64, #row_of_tall>
    return %s : tensor<32xf64, #row_of_tall>
  }

  // Register 1 maps to rows and columns at once, so that no step combines adjacent elements of a row.
  // CHECK-LABEL: @skewed
  func.func @skewed(%x: tensor<4x64xf32, #skewed>) -> tensor<4xf32, #column_of_skewed> {
    // CHECK: %[[C:.*]] = tilegpu.convert_layout %{{.*}} : tensor<4x64xf32, #{{.*}}> -> tensor<4x64xf32, #[[PLAIN:.*]]>
    // CHECK: %[[S:.*]] = tile.reduce(%[[C]]) 1
    // CHECK: tilegpu.convert_layout %[[S]]
    %s = tile.reduce(%x) 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<4x64xf32, #skewed>) -> tensor<4xf32, #column_of_skewed>
    return %s : tensor<4xf32, #column_of_skewed>
  }

  // Each warp scans a part of the row, and every thread the last elements of the parts.
  // CHECK-LABEL: @scan
  func.func @scan(%x: tensor<256xf32, #row>) -> tensor<256xf32, #row> {
    // CHECK: tile.reshape %{{.*}} -> tensor<4x64xf32
    // CHECK: %[[I:.*]] = tile.scan(%{{.*}}) 1 reverse
    // CHECK: -> tensor<4x64xf32
    // CHECK: %[[BITS:.*]] = arith.bitcast %[[I]]
    // CHECK: arith.select %{{.*}}, %[[BITS]]
    // CHECK: tile.reduce({{.*}}) 1
    // CHECK: arith.ori
    // CHECK: %[[T:.*]] = tilegpu.convert_layout %{{.*}} : tensor<4xf32, #[[ONE]]> -> tensor<4xf32, #[[ALL]]>
    // CHECK: tile.scan(%[[T]]) 0 reverse
    // CHECK: %[[C:.*]] = tile.map(%{{.*}}, %[[I]]) 1
    // CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[I]], %[[C]]
    // CHECK: tile.reshape %[[S]]
    %s = tile.scan(%x) 0 reverse {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<256xf32, #row>) -> tensor<256xf32, #row>
    return %s : tensor<256xf32, #row>
  }

  // Lines are so short that every warp scans the whole line.
  // CHECK-LABEL: @shortScan
  func.func @shortScan(%x: tensor<128xf32, #short>) -> tensor<128xf32, #short> {
    // CHECK: %[[C:.*]] = tilegpu.convert_layout
    // CHECK-NEXT: %[[S:.*]] = tile.scan(%[[C]]) 0
    // CHECK: tilegpu.convert_layout %[[S]]
    %s = tile.scan(%x) 0 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<128xf32, #short>) -> tensor<128xf32, #short>
    return %s : tensor<128xf32, #short>
  }

  // Both operands get the layout that the wider one needs: the combiner needs them in one layout.
  // CHECK-LABEL: @widths
  func.func @widths(%x: tensor<32x32xf64, #tall>, %i: tensor<32x32xi8, #tall>) -> (tensor<32xf64, #row_of_tall>, tensor<32xi8, #row_of_tall>) {
    // CHECK-DAG: %[[X:.*]] = tilegpu.convert_layout %{{.*}} -> tensor<4x32xf64, #[[IN_LANES]]>
    // CHECK-DAG: %[[I:.*]] = tilegpu.convert_layout %{{.*}} -> tensor<4x32xi8, #[[IN_LANES]]>
    // CHECK: tile.reduce(%[[X]], %[[I]]) 0
    %s:2 = tile.reduce(%x, %i) 0 {
    ^bb0(%a: f64, %ai: i8, %b: f64, %bi: i8):
      %c = arith.addf %a, %b : f64
      %ci = arith.addi %ai, %bi : i8
      tile.yield %c, %ci : f64, i8
    } : (tensor<32x32xf64, #tall>, tensor<32x32xi8, #tall>) -> (tensor<32xf64, #row_of_tall>, tensor<32xi8, #row_of_tall>)
    return %s#0, %s#1 : tensor<32xf64, #row_of_tall>, tensor<32xi8, #row_of_tall>
  }

  // The second operand of a scan has another layout than the first.
  // CHECK-LABEL: @scanOfTwo
  func.func @scanOfTwo(%x: tensor<256xf32, #lines>, %i: tensor<256xi32, #row>) -> tensor<256xf32, #lines> {
    // CHECK: tile.scan(%{{.*}}, %{{.*}}) 1
    // CHECK: (tensor<4x64xf32, #[[P:.*]]>, tensor<4x64xi32, #[[P]]>)
    // CHECK: tile.map({{.*}}) 1
    %s:2 = tile.scan(%x, %i) 0 {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %c = arith.addf %a, %b : f32
      %ci = arith.addi %ai, %bi : i32
      tile.yield %c, %ci : f32, i32
    } : (tensor<256xf32, #lines>, tensor<256xi32, #row>) -> (tensor<256xf32, #lines>, tensor<256xi32, #row>)
    return %s#0 : tensor<256xf32, #lines>
  }
}
