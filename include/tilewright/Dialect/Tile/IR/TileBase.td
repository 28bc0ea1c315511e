// The tile dialect, its pointer type and its attributes.

#ifndef TILEWRIGHT_DIALECT_TILE_IR_TILEBASE_TD
#define TILEWRIGHT_DIALECT_TILE_IR_TILEBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewright::tile";
  let summary = "Operations on tiles, independent of the target and of layouts";
  let description = [{
    A kernel is a `func.func` with the unit attribute `tile.kernel`. It operates on tiles, which are
    values of `tensor` type with static shape. Elementwise arithmetic uses upstream's `arith` and
    `math`, control flow uses `scf`. This dialect has only what MLIR lacks: pointers and memory
    accesses, dot, reduce, scan, shape operations, and the program's position in the grid.

    Facts that the launcher guarantees are attributes of the function's arguments:
    `tile.divisibility`, `tile.contiguity` and `tile.constancy`, one integer per dimension (an `i32`
    for scalars, an `array<i32>` for tiles). The user's assertions about values are `tile.hint`
    operations.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();

    /// Marks the function that is launched.
    static constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
    /// On a pointer argument: no other argument points to overlapping memory.
    static constexpr llvm::StringLiteral kNoAliasAttr = "tile.noalias";
    /// On a kernel's argument: its index among the launch's arguments.
    static constexpr llvm::StringLiteral kSlotAttr = "tile.slot";
    /// On an argument that a pass has added: its index among the hidden arguments, counted backwards from the launch's
    /// first argument, from 0.
    static constexpr llvm::StringLiteral kHiddenSlotAttr = "tile.hidden_slot";
    static constexpr llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
    static constexpr llvm::StringLiteral kContiguityAttr = "tile.contiguity";
    static constexpr llvm::StringLiteral kConstancyAttr = "tile.constancy";
    /// On the module, an array<i64>: the conditions under which a launch may use the code (Runtime/LaunchConditions.h).
    static constexpr llvm::StringLiteral kLaunchConditionsAttr = "tile.launch_conditions";
    /// On the module, an array<i64>: the slots of the arguments whose memory the kernel may write.
    static constexpr llvm::StringLiteral kWrittenSlotsAttr = "tile.written_slots";
    /// On a kernel: the message, file, line and column of each assertion, in the order of the numbers that its code
    /// reports.
    static constexpr llvm::StringLiteral kAssertsAttr = "tile.asserts";
    /// On a kernel whose programs execute several of the launch's: its hidden arguments are the launch's grid.
    static constexpr llvm::StringLiteral kPersistentAttr = "tile.persistent";
    /// On a loop: the number of pipeline stages that the user requests.
    static constexpr llvm::StringLiteral kNumStagesAttr = "tile.num_stages";
    /// On a loop: what does not depend on the iteration stays inside.
    static constexpr llvm::StringLiteral kDisableLICMAttr = "tile.disable_licm";
    /// On a division or a square root: rounds to nearest on every target.
    static constexpr llvm::StringLiteral kPreciseAttr = "tile.precise";
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Tile_PtrType : TypeDef<Tile_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "A typed pointer: `!tile.ptr<f32>`, or a tile of them";
  let description = [{
    `!tile.ptr<f32, 3>` points into the address space 3. Address space 0, which is not printed, is the memory of arrays
    that are passed to kernels. Operations keep the address space of their pointers. No target supports another one yet.
  }];
  let parameters = (ins "mlir::Type":$pointee, DefaultValuedParameter<"unsigned", "0">:$addressSpace);
  let assemblyFormat = "`<` $pointee (`,` $addressSpace^)? `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "mlir::Type":$pointee, CArg<"unsigned", "0">:$addressSpace), [{
    return $_get(pointee.getContext(), pointee, addressSpace);
  }]>];
}

def Tile_BytesType : TypeDef<Tile_Dialect, "Bytes"> {
  let mnemonic = "bytes";
  let summary = "Bytes that a kernel takes by value: `!tile.bytes<128, 64>` are 128 bytes, aligned to 64";
  let description = [{
    Such a value is an argument of a kernel, which nothing can change. Lowered, it is the address of the bytes: among
    the slots of the launch on the CPU, and in the memory of parameters on a GPU.
  }];
  let parameters = (ins "unsigned":$size, "unsigned":$alignment);
  let assemblyFormat = "`<` $size `,` $alignment `>`";
  let genVerifyDecl = 1;
}

def Tile_Element : AnyTypeOf<[AnySignlessInteger, AnyFloat, Tile_PtrType], "an integer, float or pointer">;
def Tile_Tile : StaticShapeTensorOf<[Tile_Element]>;
def Tile_IntTile : StaticShapeTensorOf<[AnySignlessInteger]>;
def Tile_ScalarOrTile : AnyTypeOf<[Tile_Element, Tile_Tile], "a scalar or a tile">;
def Tile_PtrLike : AnyTypeOf<[Tile_PtrType, StaticShapeTensorOf<[Tile_PtrType]>], "a pointer or a tile of pointers">;
def Tile_BoolLike : AnyTypeOf<[I1, StaticShapeTensorOf<[I1]>], "an i1 or a tile of i1">;
def Tile_IntLike : AnyTypeOf<[AnySignlessInteger, Tile_IntTile], "an integer or a tile of integers">;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Tile_I32Enum<string name, string summary, list<I32EnumCase> cases> : I32Enum<name, summary, cases> {
  let cppNamespace = "::tilewright::tile";
}

class Tile_Enum<EnumInfo info, string mnemonic> : EnumAttr<Tile_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_CacheKind : Tile_I32Enum<"CacheModifier", "the cache modifier of a memory access", [
  I32EnumCase<"None", 0, "none">, I32EnumCase<"CA", 1, "ca">, I32EnumCase<"CG", 2, "cg">,
  I32EnumCase<"WB", 3, "wb">, I32EnumCase<"CS", 4, "cs">, I32EnumCase<"WT", 5, "wt">,
  I32EnumCase<"CV", 6, "cv">]>;
def Tile_Cache : Tile_Enum<Tile_CacheKind, "cache">;

def Tile_EvictKind : Tile_I32Enum<"EvictionPolicy", "the eviction priority of a cache line", [
  I32EnumCase<"Normal", 0, "normal">, I32EnumCase<"First", 1, "first">, I32EnumCase<"Last", 2, "last">]>;
def Tile_Evict : Tile_Enum<Tile_EvictKind, "evict">;

def Tile_RMWKind : Tile_I32Enum<"RMWKind", "the operation of an atomic read-modify-write", [
  I32EnumCase<"And", 0, "and">, I32EnumCase<"Or", 1, "or">, I32EnumCase<"Xor", 2, "xor">,
  I32EnumCase<"Add", 3, "add">, I32EnumCase<"FAdd", 4, "fadd">,
  I32EnumCase<"Max", 5, "max">, I32EnumCase<"Min", 6, "min">,
  I32EnumCase<"UMax", 7, "umax">, I32EnumCase<"UMin", 8, "umin">, I32EnumCase<"Xchg", 9, "xchg">]>;
def Tile_RMW : Tile_Enum<Tile_RMWKind, "rmw">;

def Tile_SemKind : Tile_I32Enum<"MemSemantic", "memory order of an atomic", [
  I32EnumCase<"Relaxed", 0, "relaxed">, I32EnumCase<"Acquire", 1, "acquire">,
  I32EnumCase<"Release", 2, "release">, I32EnumCase<"AcqRel", 3, "acq_rel">]>;
def Tile_Sem : Tile_Enum<Tile_SemKind, "sem">;

def Tile_ScopeKind : Tile_I32Enum<"SyncScope", "the synchronization scope of an atomic", [
  I32EnumCase<"CTA", 0, "cta">, I32EnumCase<"GPU", 1, "gpu">, I32EnumCase<"System", 2, "sys">]>;
def Tile_Scope : Tile_Enum<Tile_ScopeKind, "scope">;

def Tile_PrecisionKind : Tile_I32Enum<"InputPrecision", "how a dot may round float32 operands", [
  I32EnumCase<"TF32", 0, "tf32">, I32EnumCase<"TF32x3", 1, "tf32x3">, I32EnumCase<"IEEE", 2, "ieee">]>;
def Tile_Precision : Tile_Enum<Tile_PrecisionKind, "precision">;

#endif
