// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @other_type(%p: !llvm.ptr<1>, %mask: i1, %x: f32) {
  // expected-error @+1 {{the result is 'i32', and the value of masked-out elements is 'f32'}}
  %y = thread.load %p mask %mask other %x : <1>, other f32 -> i32
  return
}

// -----

func.func @other_without_mask(%p: !llvm.ptr<1>, %x: f32) {
  // expected-error @+1 {{a load without a mask has no value for masked-out elements}}
  %y = thread.load %p other %x : <1>, other f32 -> f32
  return
}

// -----

func.func @shared_load(%p: !llvm.ptr<3>) {
  // expected-error @+1 {{LLVM pointer in address space 1}}
  %y = thread.load %p : <3> -> f32
  return
}

// -----

func.func @vector_atomic(%p: !llvm.ptr<1>, %x: vector<2xi32>, %mask: i1) {
  // expected-error @+1 {{only fadd takes several elements}}
  %y = thread.atomic_rmw <add> <relaxed> <gpu> %p, %x mask %mask : <1>, vector<2xi32>
  return
}

// -----

func.func @copy_size(%to: !llvm.ptr<3>, %from: !llvm.ptr<1>) {
  // expected-error @+1 {{no GPU copies 4 bytes in this way}}
  thread.async_copy %to, %from size 4 bypass_l1 : <3>, <1>
  return
}

// -----

func.func @reduce_kind(%n: i32) {
  // expected-error @+1 {{does not combine by mul}}
  %y = thread.reduce <mul> %n
  return
}

// -----

func.func @axis() {
  // expected-error @+1 {{attribute 'axis' failed to satisfy constraint}}
  %y = thread.program_id 3
  return
}

// -----

func.func @mma_name(%x: f32) {
  // expected-error @+1 {{there is no instruction m1n1k1}}
  %y = thread.mma "m1n1k1" %x by %x into %x : f32 by f32 into f32
  return
}

// -----

func.func @mma_count(%pair: vector<2xf16>, %x: f32) {
  // expected-error @+1 {{m16n8k8.f16.f16.f32 takes 2 x 'vector<2xf16>' as A}}
  %y:4 = thread.mma "m16n8k8.f16.f16.f32" %pair by %pair into %x, %x, %x, %x : vector<2xf16> by vector<2xf16> into f32, f32, f32, f32
  return
}

// -----

func.func @mma_type(%pair: vector<2xf16>, %x: f64) {
  // expected-error @+1 {{m16n8k8.f16.f16.f32 takes 4 x 'f32' as C}}
  %y:4 = thread.mma "m16n8k8.f16.f16.f32" %pair, %pair by %pair into %x, %x, %x, %x : vector<2xf16>, vector<2xf16> by vector<2xf16> into f64, f64, f64, f64
  return
}

// -----

func.func @matrix_name(%p: !llvm.ptr<3>) {
  // expected-error @+1 {{there is no instruction m8n8.x3.b16}}
  %y = thread.load_matrix "m8n8.x3.b16" %p : <3> -> i32
  return
}

// -----

func.func @matrix_words(%p: !llvm.ptr<3>, %n: i32) {
  // expected-error @+1 {{m8n8.x2.b16 moves 2 words of each lane, not 1}}
  thread.store_matrix "m8n8.x2.b16" %p, %n : <3>, i32
  return
}

// -----

func.func @format_of_pair(%x: f32) {
  // expected-error @+1 {{no GPU converts pairs of 'f8E4M3'}}
  %y = thread.truncate_pairs %x, %x to f8E4M3 -> vector<2xi8>
  return
}

// -----

func.func @number_of_pairs(%x: vector<4xi8>) {
  // expected-error @+1 {{converts between 2 wide and 4 narrow numbers}}
  %y = thread.extend_pairs %x from f8E5M2 : vector<4xi8> -> vector<2xf16>
  return
}

// -----

func.func @number_of_bytes(%x: f32) {
  // expected-error @+1 {{converts between 2 wide and 4 narrow numbers}}
  %y = thread.truncate_pairs %x, %x to f8E5M2 -> vector<4xi8>
  return
}

// -----

func.func @no_coordinates(%map: !llvm.ptr, %p: !llvm.ptr<3>) {
  // expected-error @+1 {{a box has from 1 to 5 coordinates, not 0}}
  thread.box_copy %p, %map[] completes %p : <3>, <3>
  return
}

// -----

func.func @reduction(%map: !llvm.ptr, %p: !llvm.ptr<3>, %x: i32) {
  // expected-error @+1 {{does not reduce by max}}
  thread.box_store %map[%x], %p reduce <max> : <3>
  return
}

// -----

func.func @six_coordinates(%map: !llvm.ptr, %p: !llvm.ptr<3>, %x: i32) {
  // expected-error @+1 {{a box has from 1 to 5 coordinates, not 6}}
  thread.box_store %map[%x, %x, %x, %x, %x, %x], %p : <3>
  return
}

// -----

// expected-error @+1 {{thread.tensor_map is a unit attribute of an argument of type !llvm.ptr, found unit on '!llvm.ptr<1>'}}
func.func @map_in_global_memory(%map: !llvm.ptr<1> {thread.tensor_map}) {
  return
}

// -----

// expected-error @+1 {{unknown attribute "thread.map" of an argument}}
func.func @unknown_attribute(%map: !llvm.ptr {thread.map}) {
  return
}

// -----

func.func @no_arrivals(%p: !llvm.ptr<3>) {
  // expected-error @+1 {{32-bit signless integer attribute whose value is positive}}
  thread.transaction_barrier_init %p arrivals 0 : <3>
  return
}

// -----

func.func @too_many_arrivals(%p: !llvm.ptr<3>) {
  // expected-error @+1 {{whose maximum value is 1048575}}
  thread.transaction_barrier_init %p arrivals 1048576 : <3>
  return
}

// -----

func.func @no_registers() {
  // expected-error @+1 {{'count' failed to satisfy constraint}}
  thread.set_registers more 0
  return
}

// -----

func.func @barrier_without_threads() {
  // expected-error @+1 {{'threads' failed to satisfy constraint}}
  thread.barrier of 0
  return
}

// -----

func.func @named_barrier_without_threads(%number: i32) {
  // expected-error @+1 {{'threads' failed to satisfy constraint}}
  thread.named_barrier_wait %number of 0
  return
}
