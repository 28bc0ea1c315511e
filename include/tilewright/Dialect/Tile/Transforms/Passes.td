// The passes on Tile IR, for all targets. Each description ends with the pass's contract: requires, establishes,
// destroys.

#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TileCombine : Pass<"tile-combine"> {
  let summary = "Simplify arithmetic on tiles, and compute uniform values once";
  let description = [{
    Algebraic simplifications of tiles, applied to a fixpoint together with the canonicalization of
    hints:

    ```mlir
    addf(dot(a, b, 0), c)                    ->  dot(a, b, c)
    exp(splat(x))                            ->  splat(exp(x))
    addi(broadcast(x), broadcast(y))         ->  broadcast(addi(x, y))
    addi(addi(x, splat(a)), splat(b))        ->  addi(x, splat(addi(a, b)))
    addptr(addptr(splat(p), x), splat(o))    ->  addptr(splat(addptr(p, o)), x)
    addptr(addptr(p, x : i64), y : i64)      ->  addptr(p, addi(x, y))
    select(m, load(p, m), other)             ->  load(p, m, other)
    ```

    No rewrite changes an address or an integer, even on overflow: 32-bit offsets are never added to
    each other, as each is sign-extended before it is added to a pointer. The first rewrite adds `c`
    to the sum of a dot earlier, which changes the rounding of floats.

    Requires: nothing. Should run after `canonicalize`, which moves constants to the right.
    Establishes: uniform operands of an address are in its scalar part.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def TilePad : Pass<"tile-pad", "::mlir::ModuleOp"> {
  let summary = "Round the sizes of tiles up to powers of two";
  let description = [{
    Tiles of Tile IR have any size; layouts, vectors and the lanes of a reduction are powers of two.
    Each type grows, and the operations that would notice are corrected:

    - accesses get a mask, so the padding is neither read nor written, and loads give zeros there;
    - reductions, and scans from the end, see the combiner's identity in the padding, or flags that
      say which elements exist;
    - products see zeros along the inner dimension;
    - a reshape after which elements would lie elsewhere, and a concatenation, gather them;
    - indices are zero, assertions true, and elements in no bin in the padding.

    The padding of all other tiles has any value. Divisions in it may divide by zero, as in elements
    that a mask leaves out.

    Requires: no tile with a layout and a size that is not a power of two.
    Establishes: every size of a tile is a power of two.
    Destroys: nothing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def TileKeepCalls : Pass<"tile-keep-calls", "::mlir::ModuleOp"> {
  let summary = "Keep calls of functions that are marked no_inline, if they can stay functions";
  let description = [{
    Replaces `func.call` by `tile.call` where the callee has `no_inline`, and removes `no_inline` from functions that
    can't stay functions, so that the inliner finds all other calls:

    - a combiner, or a function that a combiner calls, calls them: they are executed for single elements;
    - they take or return a tile of which a size is not a power of two, floats of 8 bits, or bytes that are passed by
      value.

    A function that accesses memory has a barrier before and after each call, so that analyses of memory need not look
    into functions: the barriers order its accesses with all others.

    Requires: no recursion.
    Establishes: each `func.call` may be inlined; functions that `tile.call` calls are `no_inline`.
    Destroys: nothing.
  }];
  let options = [Option<"keep", "keep", "bool", "true", "whether any call may stay one">];
}

def TileScalarizeAdvance : Pass<"tile-scalarize-advance"> {
  let summary = "Carry scalars in loops instead of tiles that advance uniformly";
  let description = [{
    A loop-carried tile of pointers or integers to which every iteration adds a scalar becomes its
    initial value plus a loop-carried scalar:

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

    Address tiles then need not live across iterations, and their contiguity outside of the loop is
    known inside. Pointers advance by 64-bit offsets, as before, and integers in their own type. The
    pass handles `scf.for`, and `scf.while` that forwards the tile from one region to the other. It
    visits inner loops first, so that it also finds a tile that only an inner loop advances.
    `canonicalize` removes loop-carried values that never change.

    If both branches of an `scf.if`, or both values of an `arith.select` with a scalar condition,
    are the same tile plus scalars, the result becomes that tile plus the scalar that the branch
    yields. So a loop that advances a tile conditionally carries a scalar, too.

    Requires: nothing. Should run after `tile-combine`, which turns uniform offsets into splats.
    Establishes: no loop carries and no branch yields a tile that advances by a scalar.
    Destroys: hints on the operation that advanced the tile.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PASSES
