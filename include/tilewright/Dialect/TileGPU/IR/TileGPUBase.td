// The tilegpu dialect itself, its layout attribute and its type of buffers in shared memory.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUBASE_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_TILEGPUBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def TileGPU_Dialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::tilewright::tilegpu";
  let summary = "Where tiles lie: in which thread's registers, or where in shared memory";
  let description = [{
    Between Tile IR and the code of one thread. Tiles are those of Tile IR, and their
    type now carries a layout: `tensor<128x64xf16, #tilegpu.layout<...>>`. Operations on
    tiles stay what they were; this dialect adds what moves a tile: from one layout to
    another, into shared memory and back, asynchronously from global to shared memory,
    and the barriers between.

    A module says for whom it is compiled: `tilegpu.target` ("sm_90a"), `tilegpu.num_warps`,
    and, once memory is allocated, `tilegpu.shared_bytes`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::tilewright::tile::TileDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();

    static constexpr llvm::StringLiteral kTargetAttr = "tilegpu.target";
    static constexpr llvm::StringLiteral kNumWarpsAttr = "tilegpu.num_warps";
    static constexpr llvm::StringLiteral kNumStagesAttr = "tilegpu.num_stages";
    static constexpr llvm::StringLiteral kSharedBytesAttr = "tilegpu.shared_bytes";
    /// On the operations of a loop that is pipelined (which has kNumStagesAttr): 0 for those that start loads ahead.
    static constexpr llvm::StringLiteral kStageAttr = "tilegpu.stage";
    /// On a kernel's function once its arguments are those of the code: which argument of the launch each one is.
    static constexpr llvm::StringLiteral kSlotsAttr = "tilegpu.slots";
  }];
}

def TileGPU_LayoutAttr : AttrDef<TileGPU_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "Which element of a tile lies where";
  let description = [{
    A linear map over GF(2), see Layout/LinearLayout.h: from (register, lane, warp, block)
    to coordinates for a tile in registers, from (offset) for one in shared memory. Each
    input lists the coordinates of its bits, lowest first; the end tells the tile's shape.

    ```mlir
    #tilegpu.layout<register = [[0, 1], [1, 0]], lane = [[0, 2], [2, 0]], warp = [], block = [] : 4x4>
    #tilegpu.layout<offset = [[0, 1], [0, 2], [1, 0], [2, 2]] : 4x4>
    ```
  }];
  let parameters = (ins AttrParameter<"::tilewright::layout::LinearLayout", "the map",
    "const ::tilewright::layout::LinearLayout &">:$map);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether it maps from (offset): shared memory.
    bool isShared() const;
    /// Elements that each thread holds.
    int64_t registers() const;
  }];
}

def TileGPU_BufferType : TypeDef<TileGPU_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A tile in shared memory, or several of them, its slots";
  let description = [{
    ```mlir
    !tilegpu.buffer<128x64xf16, #shared>
    !tilegpu.buffer<128x64xf16, #shared, 3>
    ```
    Elements of type i1 take a byte, pointers eight.
  }];
  let parameters = (ins "int64_t":$slots, ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
    "::tilewright::tilegpu::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    /// Room for one tile of this type, whose layout is replaced.
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tile, "::tilewright::tilegpu::LayoutAttr":$layout,
                                    CArg<"int64_t", "1">:$slots), [{
      return $_get(tile.getContext(), slots, tile.getShape(), tile.getElementType(), layout);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Of one tile.
    int64_t getNumElements() const;
    int64_t getElementBytes() const;
    int64_t getSlotBytes() const { return getNumElements() * getElementBytes(); }
    int64_t getBytes() const { return getSlots() * getSlotBytes(); }
    /// The type of one of the slots.
    BufferType getSlot() const;
  }];
}

#endif
