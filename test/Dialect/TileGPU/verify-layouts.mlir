// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --test-verify-layouts

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 32>
#back = #tilegpu.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = [] : 32>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  func.func @store(%p: tensor<32x!tile.ptr<f32>, #line>, %x: tensor<32xf32, #line>, %m: tensor<32xi1, #back>) {
    // expected-error @+1 {{operands of 'tile.store' have different layouts}}
    tile.store %p, %x mask %m : tensor<32x!tile.ptr<f32>, #line>, tensor<32xf32, #line>, mask tensor<32xi1, #back>
    return
  }
}

// -----

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 32>
#back = #tilegpu.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = [] : 32>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // The results are scalars, which all threads hold.
  func.func @reduce(%x: tensor<32xf32, #line>, %i: tensor<32xi8, #back>) {
    // expected-error @+1 {{operands of 'tile.reduce' have different layouts}}
    %s:2 = tile.reduce(%x, %i) 0 {
    ^bb0(%a: f32, %ai: i8, %b: f32, %bi: i8):
      tile.yield %a, %ai : f32, i8
    } : (tensor<32xf32, #line>, tensor<32xi8, #back>) -> (f32, i8)
    return
  }
}

// -----

#registers = #tilegpu.layout<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [], block = [] : 2x16>
#lanes = #tilegpu.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = [], block = [] : 2x16>
#result = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [], block = [] : 16>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  // Both layouts match those of the results except for the reduced axis.
  func.func @axis(%x: tensor<2x16xf32, #registers>, %i: tensor<2x16xi64, #lanes>) {
    // expected-error @+1 {{operands of 'tile.reduce' have different layouts}}
    %s:2 = tile.reduce(%x, %i) 0 {
    ^bb0(%a: f32, %ai: i64, %b: f32, %bi: i64):
      tile.yield %a, %ai : f32, i64
    } : (tensor<2x16xf32, #registers>, tensor<2x16xi64, #lanes>) -> (tensor<16xf32, #result>, tensor<16xi64, #result>)
    return
  }
}

// -----

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 32>
#back = #tilegpu.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = [] : 32>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  func.func @scan(%x: tensor<32xf32, #line>, %i: tensor<32xi8, #back>) {
    // expected-error @+1 {{operands of 'tile.scan' have different layouts}}
    %s:2 = tile.scan(%x, %i) 0 {
    ^bb0(%a: f32, %ai: i8, %b: f32, %bi: i8):
      tile.yield %a, %ai : f32, i8
    } : (tensor<32xf32, #line>, tensor<32xi8, #back>) -> (tensor<32xf32, #line>, tensor<32xi8, #back>)
    return
  }
}

// -----

#line = #tilegpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [] : 32>
#back = #tilegpu.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = [] : 32>
#shared = #tilegpu.layout<offset = [[1], [2], [4], [8], [16]] : 32>
module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {
  func.func @copy(%p: tensor<32x!tile.ptr<f32>, #line>, %m: tensor<32xi1, #back>, %to: !tilegpu.buffer<32xf32, #shared>) {
    // expected-error @+1 {{operands of 'tilegpu.async_copy' have different layouts}}
    %copy = tilegpu.async_copy %p, %to mask %m : tensor<32x!tile.ptr<f32>, #line> -> !tilegpu.buffer<32xf32, #shared>, mask tensor<32xi1, #back>
    return
  }
}
