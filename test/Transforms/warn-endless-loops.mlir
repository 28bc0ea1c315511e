// RUN: tilewright-opt %s --warn-endless-loops --verify-diagnostics -o /dev/null

func.func @condition(%p: !tile.ptr<i32>, %zero: i32) {
  scf.while : () -> () {
    // expected-warning @below {{need not read memory again}}
    %x = tile.load %p : !tile.ptr<i32> -> i32
    %waits = arith.cmpi eq, %x, %zero : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  return
}

// The value goes around through both regions.
func.func @carried(%p: !tile.ptr<i32>, %zero: i32) -> i32 {
  %r:2 = scf.while (%x = %zero, %same = %zero) : (i32, i32) -> (i32, i32) {
    %waits = arith.cmpi eq, %x, %same : i32
    scf.condition(%waits) %same, %x : i32, i32
  } do {
  ^bb0(%same: i32, %x: i32):
    // expected-warning @below {{need not read memory again}}
    %y = tile.load %p : !tile.ptr<i32> -> i32
    scf.yield %y, %same : i32, i32
  }
  return %r#0 : i32
}

// A store to another array does not change what is loaded, but one to memory that may be the same does.
func.func @stores(%p: !tile.ptr<i32> {tile.noalias}, %q: !tile.ptr<i32> {tile.noalias}, %zero: i32) {
  scf.while : () -> () {
    // expected-warning @below {{need not read memory again}}
    %x = tile.load %p : !tile.ptr<i32> -> i32
    %waits = arith.cmpi eq, %x, %zero : i32
    scf.condition(%waits)
  } do {
    tile.store %q, %zero : !tile.ptr<i32>, i32
    scf.yield
  }
  scf.while : () -> () {
    %x = tile.load %p : !tile.ptr<i32> -> i32
    %waits = arith.cmpi eq, %x, %zero : i32
    scf.condition(%waits)
  } do {
    tile.store %p, %zero : !tile.ptr<i32>, i32
    scf.yield
  }
  return
}

// A counter ends the loop; a volatile load reads memory; an atomic and a barrier order it.
func.func @ends(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>, %zero: i32, %n: i32) {
  %count = scf.while (%i = %zero) : (i32) -> i32 {
    %x = tile.load %p : !tile.ptr<i32> -> i32
    %goes = arith.cmpi slt, %i, %x : i32
    scf.condition(%goes) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %n : i32
    scf.yield %next : i32
  }
  scf.while : () -> () {
    %x = tile.load %p volatile : !tile.ptr<i32> -> i32
    %waits = arith.cmpi eq, %x, %zero : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  scf.while : () -> () {
    %x = tile.load %p : !tile.ptr<i32> -> i32
    %waits = arith.cmpi eq, %x, %zero : i32
    scf.condition(%waits)
  } do {
    tile.barrier
    scf.yield
  }
  scf.while : () -> () {
    %x = tile.load %p : !tile.ptr<i32> -> i32
    %waits = arith.cmpi eq, %x, %zero : i32
    scf.condition(%waits)
  } do {
    %old = tile.atomic_rmw <add> %q, %n : !tile.ptr<i32>, i32
    scf.yield
  }
  return
}

// Without a load, the loop is not one that waits for memory.
func.func @without_loads(%n: i32, %zero: i32) {
  scf.while : () -> () {
    %waits = arith.cmpi eq, %n, %zero : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  return
}
