// Every diagnostic of the dialect.
// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -o /dev/null

func.func @f() {
  // expected-error @below {{end must be greater than start, found 4 to 4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.make_range 4 to 4 : tensor<1xi32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{inferred type(s) 'tensor<8xi32>' are incompatible with return type(s) of operation 'tensor<4xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.make_range 0 to 8 : tensor<4xi32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint}}
  %0 = tile.program_id 3 : i32
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{must keep the rank, found 'tensor<4xf32>' to 'tensor<2x4xf32>'}}
  %0 = tile.broadcast %x : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{cannot broadcast dimension 0 of size 4 to size 8; only size 1 can be broadcast}}
  %0 = tile.broadcast %x : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{axis 2 is out of range: 'tensor<4xf32>' takes a new dimension at 0 to 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x 2 : tensor<4xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<1x4xf32>' are incompatible with return type(s) of operation 'tensor<4x1xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x 0 : tensor<4xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32, "rows">) {
  // expected-error @below {{the layout of 'tensor<4xf32, "rows">' determines none for the result, of shape 1x4}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x 0 : tensor<4xf32, "rows"> -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{cannot reshape the 4 elements of 'tensor<4xf32>' into the 8 of 'tensor<8xf32>'}}
  %0 = tile.reshape %x : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @below {{order names 1 dimensions, but 'tensor<4x2xf32>' has 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.trans %x [1] : tensor<4x2xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @below {{order must name each of the 2 dimensions once; dimension 1 is repeated}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.trans %x [1, 1] : tensor<4x2xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @below {{order must name each of the 2 dimensions once; dimension 2 does not exist}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.trans %x [2, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{only a tile whose last dimension has size 2 can be split, found 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0:2 = tile.split %x : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.cat %x, %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{needs a dimension to join along, found 'tensor<f32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.cat %x, %x : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{needs a source and indices of the same rank, found 'tensor<4xf32>' and 'tensor<4x1xi32>'}}
  %0 = tile.gather %x[%i] 0 : tensor<4xf32>, tensor<4x1xi32> -> tensor<4x1xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{axis 1 is out of range: 'tensor<4xf32>' has 1 dimensions}}
  %0 = tile.gather %x[%i] 1 : tensor<4xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{source 'tensor<4x2xf32>' and indices 'tensor<4x1xi32>' differ in dimension 1, which is not the axis}}
  %0 = tile.gather %x[%i] 0 : tensor<4x2xf32>, tensor<4x1xi32> -> tensor<4x1xf32>
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>, %i: i32) {
  // expected-error @below {{offset must have the shape of the pointers, 'tensor<4x!tile.ptr<f32>>', found 'i32'}}
  %0 = tile.addptr %p, %i : tensor<4x!tile.ptr<f32>>, i32
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<8xi1>) {
  // expected-error @below {{mask must have the shape of the pointers, 'tensor<4x!tile.ptr<f32>>', found 'tensor<8xi1>'}}
  %0 = tile.load %p mask %m : tensor<4x!tile.ptr<f32>>, mask tensor<8xi1> -> tensor<4xf32>
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @below {{has `other`, the value where the mask is false, but no mask}}
  %0 = "tile.load"(%p, %x) {operandSegmentSizes = array<i32: 1, 0, 1>} : (!tile.ptr<f32>, f32) -> f32
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>, %m: i1, %x: f16) {
  // expected-error @below {{other value must be 'f32', the pointee type of '!tile.ptr<f32>', found 'f16'}}
  %0 = tile.load %p mask %m other %x : !tile.ptr<f32>, mask i1, other f16 -> f32
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>) {
  // expected-error @below {{inferred type(s) 'f32' are incompatible with return type(s) of operation 'f16'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.load %p : !tile.ptr<f32> -> f16
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>, %x: tensor<8xf32>) {
  // expected-error @below {{value must have the shape of the pointers, 'tensor<4x!tile.ptr<f32>>', found 'tensor<8xf32>'}}
  tile.store %p, %x : tensor<4x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// -----

func.func @f(%p: tensor<4x!tile.ptr<f32>>, %x: tensor<4xf16>) {
  // expected-error @below {{value must be 'tensor<4xf32>', the pointee type of 'tensor<4x!tile.ptr<f32>>', found 'tensor<4xf16>'}}
  tile.store %p, %x : tensor<4x!tile.ptr<f32>>, tensor<4xf16>
  return
}

// -----

func.func @f(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @below {{fadd combines floats, found 'i32'}}
  %0 = tile.atomic_rmw #tile.rmw<fadd> %p, %x : !tile.ptr<i32>, i32
  return
}

// -----

func.func @f(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @below {{max combines integers, found 'f32'}}
  %0 = tile.atomic_rmw #tile.rmw<max> %p, %x : !tile.ptr<f32>, f32
  return
}

// -----

func.func @f(%p: !tile.ptr<i32>, %x: i64) {
  // expected-error @below {{value must be 'i32', the pointee type of '!tile.ptr<i32>', found 'i64'}}
  %0 = tile.atomic_cas %p, %x, %x : !tile.ptr<i32>, i64
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @below {{takes tiles of rank 2 or 3, found 'tensor<4xf32>', 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %0 = tile.dot %a, %a, %a : tensor<4xf32> * tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %c: tensor<4x4xf32>) {
  // expected-error @below {{takes MxK times KxN into MxN, found 'tensor<4x8xf32>' times 'tensor<4x8xf32>' into 'tensor<4x4xf32>'}}
  %0 = tile.dot %a, %a, %c : tensor<4x8xf32> * tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x4xi8>, %c: tensor<4x4xf32>) {
  // expected-error @below {{operands must be all floats or all integers, found 'tensor<4x4xi8>' times 'tensor<4x4xi8>' into 'tensor<4x4xf32>'}}
  %0 = tile.dot %a, %a, %c : tensor<4x4xi8> * tensor<4x4xi8> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{axis 1 is out of range: 'tensor<4xf32>' has 1 dimensions}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.reduce(%x) 1 {
  ^bb0(%l: f32, %r: f32):
    tile.yield %l : f32
  } : (tensor<4xf32>) -> f32
  return
}

// -----

func.func @f() {
  // expected-error @below {{expected 1 or more operands, but found 0}}
  tile.reduce() 0 {
  ^bb0:
    tile.yield
  } : () -> ()
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{combiner must take 'f32', 'f32', two of each operand's element type, found 'f32'}}
  %0 = tile.reduce(%x) 0 {
  ^bb0(%l: f32):
    tile.yield %l : f32
  } : (tensor<4xf32>) -> f32
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: i32) {
  // expected-error @below {{combiner must yield 'f32', one of each operand's element type, found 'i32'}}
  %0 = tile.scan(%x) 0 {
  ^bb0(%l: f32, %r: f32):
    tile.yield %i : i32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error @below {{contiguity of 'tensor<4xi32>' must have 1 positive integer, found array<i32: 4, 4>}}
  %0 = tile.hint %x contiguity [4, 4] : tensor<4xi32>
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{divisibility of 'i32' must have 1 positive integer, found array<i32: 0>}}
  %0 = tile.hint %x divisibility [0] : i32
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{operand #0 must be}}
  %0 = tile.hint %x constancy [1, 4] : tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{tile.divisibility must be on an argument of a function; use tile.hint for other values}}
  %0 = arith.addi %x, %x {tile.divisibility = 4 : i32} : i32
  return
}

// -----

// expected-error @below {{"tile.divisibility" applies to integers and pointers, found on 'tensor<4xf32>'}}
func.func @f(%x: tensor<4xf32> {tile.divisibility = array<i32: 4>}) {
  return
}

// -----

// expected-error @below {{"tile.contiguity" of 'tensor<4xi32>' must be an array<i32> of 1 positive integers, found array<i32: 4, 4>}}
func.func @f(%x: tensor<4xi32> {tile.contiguity = array<i32: 4, 4>}) {
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{tile.kernel must be on a function without results}}
  tile.barrier {tile.kernel}
  return
}

// -----

// expected-error @below {{"tile.divisibility" of a scalar must be a positive i32, found array<i32: 16>}}
func.func @f(%p: !tile.ptr<f32> {tile.divisibility = array<i32: 16>}) {
  return
}

// -----

// expected-error @below {{tile.noalias applies to pointers, found on 'f32'}}
func.func @f(%x: f32 {tile.noalias}) {
  return
}

// -----

// expected-error @below {{tile.slot must be an i32 that is not negative, found -1 : i32}}
func.func @f(%x: f32 {tile.slot = -1 : i32}) {
  return
}

// -----

// expected-error @below {{tile.kernel must be on a function without results}}
func.func @f(%x: f32) -> f32 attributes {tile.kernel} {
  return %x : f32
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{combiner must end in tile.yield, found llvm.unreachable}}
  %0 = tile.reduce(%x) 0 {
  ^bb0(%l: f32, %r: f32):
    llvm.unreachable
  } : (tensor<4xf32>) -> f32
  return
}

// -----

func.func @f(%p: tensor<4x8x!tile.ptr<f32>>) {
  // expected-error @below {{contiguity must have a power of two for each dimension of 'tensor<4x8x!tile.ptr<f32>>', found array<i64: 8>}}
  %0 = tile.load %p contiguity [8] width [1, 4] : tensor<4x8x!tile.ptr<f32>> -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>) {
  // expected-error @below {{width must have a power of two for each dimension of 'tensor<8x!tile.ptr<f32>>', found array<i64: 3>}}
  tile.store %p, %x width [3] : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

// -----

func.func @f(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @below {{width must have a power of two for each dimension of '!tile.ptr<i32>', found array<i64: 1>}}
  %0 = tile.atomic_rmw #tile.rmw<add> %p, %x width [1] : !tile.ptr<i32>, i32
  return
}

// -----

func.func @f(%p: !tile.ptr<f32, 3>) {
  // expected-error @below {{must keep the address space, found '!tile.ptr<f32, 3>' to '!tile.ptr<i32>'}}
  %0 = tile.ptr_cast %p : !tile.ptr<f32, 3> -> !tile.ptr<i32>
  return
}

// -----

func.func @f(%p: !tile.ptr<f32, 3>) {
  %c = arith.constant 1 : i32
  // expected-error @below {{failed to verify that all of {ptr, result} have same type}}
  %0 = "tile.addptr"(%p, %c) : (!tile.ptr<f32, 3>, i32) -> !tile.ptr<f32>
  return
}

// -----

// expected-error @below {{the alignment must be a power of two of at least 8, and the size a multiple of it, found 96 bytes aligned to 64}}
func.func @f(%b: !tile.bytes<96, 64>) {
  return
}

// -----

func.func @f(%b: !tile.bytes<128, 64>) {
  // expected-error @below {{cannot read 8 bytes at offset 4 of 128: the offset must be a multiple of 8, and all must be inside}}
  %0 = tile.read_bytes %b[4] : <128, 64> -> i64
  return
}

// -----

func.func @f(%b: !tile.bytes<128, 64>) {
  // expected-error @below {{cannot read 8 bytes at offset 128 of 128}}
  %0 = tile.read_bytes %b[128] : <128, 64> -> !tile.ptr<f32>
  return
}

// -----

func.func @f(%x: tensor<4xi8>) {
  // expected-error @below {{executes a power of two of elements at a time, found 3}}
  %0 = tile.inline_asm "", "=r,r" pack 3 pure (%x) : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @f(%x: tensor<4xi1>) {
  // expected-error @below {{does not pack elements of type i1}}
  %0 = tile.inline_asm "", "=b,b" pack 2 pure (%x) : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%x: tensor<4xi32>, %y: i32) {
  // expected-error @below {{has values of different shapes: 'tensor<4xi32>' and 'i32'}}
  %0 = tile.inline_asm "", "=r,r,r" pack 1 pure (%x, %y) : (tensor<4xi32>, i32) -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{must have a result}}
  tile.inline_asm "", "r" pack 1 (%x) : (i32) -> ()
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{needs a format for each operand, and a text before and after each, found 1 formats and 1 texts for 1 operands}}
  tile.print ["x"] ["d"] (%x : i32)
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{cannot print 'i32' by the format 'f'}}
  tile.print ["", ""] ["f"] (%x : i32)
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error @below {{cannot print 'f32' by the format '%n'}}
  tile.print ["", ""] ["%n"] (%x : f32)
  return
}

// -----

func.func @f(%x: i32, %y: tensor<4xi32>) {
  // expected-error @below {{has operands of different shapes: 'i32' and 'tensor<4xi32>'}}
  tile.print ["", "", ""] ["d", "d"] (%x, %y : i32, tensor<4xi32>)
  return
}

// -----

func.func @f(%mask: i1) {
  // expected-error @below {{has a mask, but no operands}}
  tile.print ["here"] [] mask %mask : i1
  return
}

// -----

func.func @f(%p: !tile.ptr<i64>, %x: i32) {
  // expected-error @below {{expected value must be 'i64', the pointee type of '!tile.ptr<i64>', found 'i32'}}
  %0 = tile.atomic_poll %p, %x : !tile.ptr<i64>, i32
  return
}

// -----

func.func @f(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @below {{must be acquire or relaxed, found release}}
  %0 = tile.atomic_poll %p, %x {sem = #tile.sem<release>} : !tile.ptr<i32>, i32
  return
}

// -----

func.func @f(%x: i32, %mask: i1) {
  // expected-error @below {{is pure, and needs no mask}}
  %0 = tile.inline_asm "a", "=r,r" pack 1 pure (%x) mask %mask : i1 : (i32) -> i32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{must have a library}}
  %0 = tile.call_library "g" of [] pure (%x) : (i32) -> i32
  return
}

// -----

func.func @f(%x: tensor<4xi32>, %y: i32) {
  // expected-error @below {{has values of different shapes: 'tensor<4xi32>' and 'i32'}}
  %0 = tile.call_library "g" of ["a.bc"] pure (%x, %y) : (tensor<4xi32>, i32) -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: i32, %mask: i1) {
  // expected-error @below {{is pure, and needs no mask}}
  %0 = tile.call_library "g" of ["a.bc"] pure (%x) mask %mask : i1 : (i32) -> i32
  return
}

// -----

func.func @calls_nothing(%x: f32) {
  // expected-error @+1 {{calls 'callee', which is no function of the module}}
  tile.call @callee(%x) : (f32) -> ()
  return
}

// -----

func.func @calls_with_another_type(%x: f32) {
  // expected-error @+1 {{has other types than the function 'callee'}}
  tile.call @callee(%x) : (f32) -> ()
  return
}

func.func private @callee(%x: i32)
