// The passes from Tile IR to Tile IR, for every target.
// A description ends with the pass's contract: requires, establishes, destroys.

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TileCombine : Pass<"tile-combine"> {
  let summary = "Do work once for a tile that would be done for each element";
  let description = [{
    Algebra over whole tiles, to a fixed point together with the dialect's own
    canonical forms:

    ```mlir
    addf(dot(a, b, 0), c)                    ->  dot(a, b, c)
    exp(splat(x))                            ->  splat(exp(x))
    addi(broadcast(x), broadcast(y))         ->  broadcast(addi(x, y))
    addi(addi(x, splat(a)), splat(b))        ->  addi(x, splat(addi(a, b)))
    addptr(addptr(splat(p), x), splat(o))    ->  addptr(splat(addptr(p, o)), x)
    addptr(addptr(p, x : i64), y : i64)      ->  addptr(p, addi(x, y))
    select(m, load(p, m), other)             ->  load(p, m, other)
    ```

    No rewrite changes an address or an integer, whatever overflows: offsets of 32
    bits are never added to each other, since a pointer takes each of them
    sign-extended. The first adds `c` to a dot's sum earlier, so floats are
    rounded in another order.

    Requires: nothing; after `canonicalize` constants are where it looks for them.
    Establishes: uniform operands of an address are in its scalar part.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def TileScalarizeAdvance : Pass<"tile-scalarize-advance"> {
  let summary = "Carry a scalar around a loop instead of a tile that moves as one";
  let description = [{
    A loop-carried tile of pointers or integers to which every iteration adds one
    scalar is its first value plus a running scalar:

    ```mlir
    %r = scf.for ... iter_args(%p = %init) -> tensor<64x!tile.ptr<f32>> {
      %x = tile.load %p
      %next = tile.addptr %p, splat(%step)
      scf.yield %next
    }
    // becomes
    %n = scf.for ... iter_args(%o = 0) -> i64 {
      %p = tile.addptr %init, splat(%o)
      %x = tile.load %p
      %o_next = arith.addi %o, extsi(%step)
      scf.yield %o_next
    }
    %r = tile.addptr %init, splat(%n)
    ```

    Address tiles need not live across iterations then, and what is known of
    their contiguity outside of the loop is in sight inside. Pointers advance by
    64-bit offsets, as they did; integers in their own type. Loops are `scf.for`,
    and `scf.while` that hands the tile from one region to the other; inner loops
    come first, so that a tile that only an inner loop advances is found too.
    Loop-carried values that never change are dropped by `canonicalize`.

    A tile that both ways of an `scf.if`, or of an `arith.select` with a scalar
    condition, make of one tile by adding scalars becomes that tile plus the
    scalar that the branch yields. So a loop that advances a tile under a
    condition carries a scalar, too.

    Requires: nothing; after `tile-combine` uniform offsets are splats.
    Establishes: no loop carries, and no branch yields, a tile that advances by a scalar.
    Destroys: hints on the operation that advanced the tile.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES
