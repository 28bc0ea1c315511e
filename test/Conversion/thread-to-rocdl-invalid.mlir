// RUN: tilewright-opt %s --thread-to-rocdl --split-input-file --verify-diagnostics

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 4 : i32} {
  func.func @assembly() {
    // expected-error@+1 {{inline assembly is not supported on AMD's GPUs yet}}
    thread.inline_asm "nop;", "" () : () -> ()
    return
  }
}

// -----

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 4 : i32} {
  func.func @some_threads() {
    // expected-error@+2 {{the target has no barrier of some of a program's threads}}
    // expected-error@+1 {{is not lowered to AMD's instructions}}
    thread.barrier of 128
    return
  }
}

// -----

module attributes {tilegpu.target = "gfx90a", tilegpu.num_warps = 4 : i32} {
  func.func @pairs(%p: !llvm.ptr<1>, %x: vector<2xbf16>, %mask: i1) {
    // expected-error@+2 {{the target has no atomic addition of 'vector<2xbf16>'}}
    // expected-error@+1 {{is not lowered to AMD's instructions}}
    %0 = thread.atomic_rmw <fadd> <relaxed> <gpu> %p, %x mask %mask : <1>, vector<2xbf16>
    return
  }
}

// -----

module attributes {tilegpu.target = "gfx942", tilegpu.num_warps = 4 : i32} {
  func.func @wait() {
    // expected-error@+1 {{is not lowered to AMD's instructions}}
    thread.async_wait 0
    return
  }
}
