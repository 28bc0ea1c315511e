// The passes that decide where tiles lie and how they move. They run in the order of lib/Pipeline/Cuda.cpp.
// A description ends with the pass's contract: requires, establishes, destroys.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES
#define TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayouts : Pass<"assign-layouts", "mlir::ModuleOp"> {
  let summary = "Give every tile a layout";
  let description = [{
    Notes on the module for whom it is compiled, and gives every tile the same kind of
    layout: threads side by side along the last dimension, one element each as far as the
    tile reaches, then more registers. It is no good layout, but a consistent one; what
    follows improves it where it matters.

    ```mlir
    %x = tile.load %p : tensor<4x64x!tile.ptr<f32>> -> tensor<4x64xf32>
    // becomes, with one warp
    #layout = #tilegpu.layout<register = [[0, 32], [1, 0], [2, 0]], lane = [[0, 1], ..., [0, 16]], warp = [], block = [] : 4x64>
    %x = tile.load %p : tensor<4x64x!tile.ptr<f32>, #layout> -> tensor<4x64xf32, #layout>
    ```

    Operations that relate layouts of different shapes (expand_dims, reduce, ...) get the layout that
    their rule gives, and a `tilegpu.convert_layout` to or from the default one.

    Requires: control flow is scf; one function.
    Establishes: module attributes; every tile has a layout, consistent under `verifyLayouts`.
    Destroys: nothing.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "for whom: a name of the hardware table">,
    Option<"numWarps", "num-warps", "int", "4", "warps of a program">,
    Option<"numStages", "num-stages", "int", "3", "depth to which loops are pipelined">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

#endif // TILEWRIGHT_DIALECT_TILEGPU_TRANSFORMS_PASSES
