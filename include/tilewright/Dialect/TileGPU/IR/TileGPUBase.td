// The tilegpu dialect, its layout attribute and its type for buffers in shared memory.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUBASE_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def TileGPU_Dialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::tilewright::tilegpu";
  let summary = "Tiles with layouts in registers and in shared memory";
  let description = [{
    The level between Tile IR and thread-level code. The type of a tile carries a layout:
    `tensor<128x64xf16, #tilegpu.layout<...>>`. Operations of the tile dialect remain; this dialect
    adds the operations that move a tile: from one layout to another, to shared memory and back,
    asynchronously from global to shared memory, and barriers.

    Attributes of the module give the target architecture, `tilegpu.target` ("sm_90a"), `tilegpu.num_warps`,
    `tilegpu.default_num_stages` and, once memory is allocated, `tilegpu.shared_bytes`.

    `tilegpu.default_num_stages` is the number of pipeline stages of a loop for which the user requests none;
    `tile.num_stages` on a loop is the user's request. What `plan-pipeline` makes of it is in `tilegpu.schedule` on each
    operation of the loop.

    `tilegpu.partition` on an operation is the warp group that executes it; without it, this is group 0, the warps of
    `tilegpu.num_warps`. `specialize-warps` adds warps, whose number is in `tilegpu.producer_warps`. If groups
    of warps exchange registers, each thread has `tilegpu.registers` when the kernel starts.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::tilewright::tile::TileDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();

    static constexpr llvm::StringLiteral kTargetAttr = "tilegpu.target";
    static constexpr llvm::StringLiteral kNumWarpsAttr = "tilegpu.num_warps";
    static constexpr llvm::StringLiteral kProducerWarpsAttr = "tilegpu.producer_warps";
    /// The registers of each thread when the kernel starts, if warp groups exchange them later.
    static constexpr llvm::StringLiteral kRegistersAttr = "tilegpu.registers";
    /// On a module, a unit: `shorten-lifetimes` has ordered operations so that a tile's elements are computed in turn.
    static constexpr llvm::StringLiteral kShortLifetimesAttr = "tilegpu.short_lifetimes";
    /// On a loop: the user's request that warp groups share its work.
    static constexpr llvm::StringLiteral kWarpSpecializeAttr = "tile.warp_specialize";
    static constexpr llvm::StringLiteral kDefaultNumStagesAttr = "tilegpu.default_num_stages";
    static constexpr llvm::StringLiteral kSharedBytesAttr = "tilegpu.shared_bytes";
    /// A ScheduleAttr on each operation of a loop that is to be pipelined.
    static constexpr llvm::StringLiteral kScheduleAttr = "tilegpu.schedule";
    /// On a loop with a schedule: the number of slots whose data operations in flight still read.
    static constexpr llvm::StringLiteral kKeptSlotsAttr = "tilegpu.kept_slots";
    /// The warp group that executes an operation, if it is not 0.
    static constexpr llvm::StringLiteral kPartitionAttr = "tilegpu.partition";
    /// On a comparison of tiles, an array<i64>: for each dimension, the length of aligned runs of equal results.
    static constexpr llvm::StringLiteral kConstancyAttr = "tilegpu.constancy";
    /// On a kernel's function after `tilegpu-to-thread`: for each argument, its index in the launch, or -1 - h for hidden slot
    /// h.
    static constexpr llvm::StringLiteral kSlotsAttr = "tilegpu.slots";
    /// On a kernel's function: a TensorMapAttr for each tensor map that the launcher makes. The maps are the function's
    /// last arguments, with the attribute `thread.tensor_map`, and have no entry in `kSlotsAttr`.
    static constexpr llvm::StringLiteral kTensorMapsAttr = "tilegpu.tensor_maps";
    /// Beside it, an array<i64>: the steps that the maps refer to (Runtime/LaunchConditions.h).
    static constexpr llvm::StringLiteral kTensorMapStepsAttr = "tilegpu.tensor_map_steps";
  }];
}

def TileGPU_LayoutAttr : AttrDef<TileGPU_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "The mapping from threads or offsets to the elements of a tile";
  let description = [{
    A linear map over GF(2) (see Layout/LinearLayout.h): from (register, lane, warp, block) to
    coordinates for a tile in registers, from (offset) to coordinates for one in shared memory. Each
    input lists the coordinates of its bits, lowest first. The shape of the tile comes last.

    ```mlir
    #tilegpu.layout<register = [[0, 1], [1, 0]], lane = [[0, 2], [2, 0]], warp = [], block = [] : 4x4>
    #tilegpu.layout<offset = [[0, 1], [0, 2], [1, 0], [2, 2]] : 4x4>
    ```
  }];
  let parameters = (ins AttrParameter<"::tilewright::layout::LinearLayout", "the map",
    "const ::tilewright::layout::LinearLayout &">:$map);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether this is a layout in shared memory, which maps from (offset).
    bool isShared() const;
    /// The number of elements that each thread holds.
    int64_t registers() const;
  }];
}

def TileGPU_ScheduleAttr : AttrDef<TileGPU_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "When and by which warps an operation of a pipelined loop is executed";
  let description = [{
    In each iteration of the pipelined loop, an operation of stage s is executed for the iteration `last stage - s` ahead
    of that of the last stage. Within an iteration of the pipelined loop, operations are executed in the order of their
    clusters, and those of one cluster in their original order. `partition` is the warp group that executes the
    operation.

    ```mlir
    %x = tile.load %p {tilegpu.schedule = #tilegpu.schedule<stage = 0, cluster = 0, partition = 0>}
    %y = arith.addf %x, %x {tilegpu.schedule = #tilegpu.schedule<stage = 2, cluster = 1, partition = 0>}
    // is executed as
    scf.for %i {
      %x = load(i + 2)
      %y = add(i)
    }
    ```
  }];
  let parameters = (ins "int64_t":$stage, "int64_t":$cluster, "int64_t":$partition);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def TileGPU_TensorMapAttr : AttrDef<TileGPU_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "How a launch makes a tensor map from its arguments";
  let description = [{
    A tensor map describes an array in global memory, and the box of it that a copy moves (Runtime/TensorMap.h). The
    array's address is the argument in `slot`, and `offset`, if there is one, is the step of a number of bytes that is
    added to it. Extents, in elements, and strides, in bytes, are steps, too: the numbers of entries of
    `tilegpu.tensor_map_steps` (Runtime/TensorMapParameters.h). The innermost dimension is the first, and has no stride.
    `nanFill` says that a copy reads NaN outside of the array, and not zeros; `swizzle` is the span in bytes, or 0.

    ```mlir
    // x, rows, columns: 64 rows and 32 columns of x[rows, columns].
    func.func @kernel(%x: !tile.ptr<f16>, %rows: i32, %columns: i32, %map: !llvm.ptr {thread.tensor_map}) attributes {
        tilegpu.tensor_maps = [#tilegpu.tensor_map<f16, slot = 0, extents = [0, 1], strides = [3], box = [32, 64],
                                                   swizzle = 64>],
        tilegpu.tensor_map_steps = array<i64: 16385, 2, 0, ...>}
    ```
  }];
  let parameters = (ins "::mlir::Type":$elementType, "int64_t":$slot, ArrayRefParameter<"int64_t">:$extents,
    ArrayRefParameter<"int64_t">:$strides, ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle,
    DefaultValuedParameter<"int64_t", "-1">:$offset, DefaultValuedParameter<"bool", "false">:$nanFill);
  let assemblyFormat = [{
    `<` $elementType `,` `slot` `=` $slot `,` `extents` `=` custom<Integers>($extents) `,`
    `strides` `=` custom<Integers>($strides) `,` `box` `=` custom<Integers>($box) `,`
    struct($swizzle, $offset, $nanFill) `>`
  }];
  let genVerifyDecl = 1;
}

def TileGPU_TokenType : TypeDef<TileGPU_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "The completion of asynchronous operations";
  let description = [{
    An asynchronous operation yields a token, and `async_wait` consumes it: the operation has completed after the wait.
    The wait itself yields a token, which reads of the data take, so that they follow the wait. Tokens are carried by
    loops and yielded by branches like other values; threads hold nothing for them.
  }];
}

def TileGPU_BufferType : TypeDef<TileGPU_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A buffer in shared memory with slots for one or more tiles";
  let description = [{
    ```mlir
    !tilegpu.buffer<128x64xf16, #shared>
    !tilegpu.buffer<128x64xf16, #shared, 3>
    ```
    An element of type i1 takes one byte, a pointer eight.
  }];
  let parameters = (ins "int64_t":$slots, ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
    "::tilewright::tilegpu::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    /// A buffer for tiles of this shape and element type, in another layout.
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tile, "::tilewright::tilegpu::LayoutAttr":$layout,
                                    CArg<"int64_t", "1">:$slots), [{
      return $_get(tile.getContext(), slots, tile.getShape(), tile.getElementType(), layout);
    }]>
  ];
  let extraClassDeclaration = [{
    /// The number of elements of one slot.
    int64_t getNumElements() const;
    int64_t getElementBytes() const;
    int64_t getSlotBytes() const { return getNumElements() * getElementBytes(); }
    int64_t getBytes() const { return getSlots() * getSlotBytes(); }
    /// The type of one of the slots.
    BufferType getSlot() const;
  }];
}

#endif
