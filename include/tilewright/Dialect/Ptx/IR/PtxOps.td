// PTX instructions that neither LLVM nor NVVM has. Each operation defines its assembly.

#ifndef TILEWRIGHT_DIALECT_PTX_IR_PTXOPS_TD
#define TILEWRIGHT_DIALECT_PTX_IR_PTXOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

def Ptx_Dialect : Dialect {
  let name = "ptx";
  let cppNamespace = "::tilewright::ptx";
  let summary = "Thread-level instructions with their PTX assembly";
  let description = [{
    Operands and results are scalars and vectors of a thread. `ptx-to-llvm` splits them into words of 16, 32 or 64 bits, which are the registers `$0`, `$1`, ... in the assembly: first those of the results, then those of the operands, in order.
  }];
}

def Ptx_AssemblyOpInterface : OpInterface<"AssemblyOpInterface"> {
  let description = [{An operation that lowers to inline assembly.}];
  let cppNamespace = "::tilewright::ptx";
  let methods = [
    InterfaceMethod<"The assembly text, with register numbers; see the dialect's description.", "std::string", "getAssembly">,
    InterfaceMethod<"Whether it must not be reordered with memory operations.", "bool", "touchesMemory", (ins), [{}],
                    [{ return !::mlir::isMemoryEffectFree($_op); }]>,
    InterfaceMethod<"The width of the widest registers of operands and results, in bits.", "int", "widestRegister", (ins), [{}],
                    [{ return 32; }]>,
    InterfaceMethod<[{The number of results, all words of 32 bits, each of which is in the same register as the operand of
                      the same number.}], "int", "tiedOperands", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<"Whether results and operands are passed as they are, all being words of 32 bits or integers.", "bool",
                    "keepsTypes", (ins), [{}], [{ return $_op.tiedOperands() > 0; }]>
  ];
}

def Ptx_IntrinsicOpInterface : OpInterface<"IntrinsicOpInterface"> {
  let description = [{An operation that lowers to an LLVM intrinsic for each element of its operands.}];
  let cppNamespace = "::tilewright::ptx";
  let methods = [InterfaceMethod<"The intrinsic's name.", "::llvm::StringRef", "getIntrinsic">];
}

class Ptx_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ptx_Dialect, mnemonic, [DeclareOpInterfaceMethods<Ptx_AssemblyOpInterface>] # traits>;

def Ptx_Value : AnyTypeOf<[AnySignlessInteger, AnyFloat, AnyVectorOfNonZeroRank], "a scalar or a vector">;

def Ptx_LoadOp : Ptx_Op<"load", [MemoryEffects<[MemRead]>, AllTypesMatch<["other", "result"]>]> {
  let summary = "Reads 1 to 16 bytes of global memory if `mask` is true, else returns `other`";
  let description = [{
    `cache` is PTX's cache operator ("ca", "cg", "cs", "cv", or empty), `evict` its eviction
    priority ("evict_first", "evict_last", or empty). The address must be a multiple of the size.
  }];
  let arguments = (ins Ptx_Value:$other, I1:$mask, LLVM_AnyPointer:$ptr,
    DefaultValuedAttr<StrAttr, "\"\"">:$cache, DefaultValuedAttr<StrAttr, "\"\"">:$evict, UnitAttr:$isVolatile);
  let results = (outs Ptx_Value:$result);
  let assemblyFormat = "$ptr `mask` $mask `other` $other attr-dict `:` type($ptr) `->` type($result)";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      Words words = wordsOf(getType());
      std::string text;
      for (int i = 0; i < words.count; ++i) {
        text += "mov.b" + words.registerBits() + " " + reg(i) + ", " + reg(words.count + i) + ";\n\t";
      }
      // Volatile loads support neither cache operators nor eviction priorities.
      std::string how = getIsVolatile() ? ".volatile.global" : ".global" + suffix(getCache()) + suffix(getEvict());
      return text + "@" + reg(2 * words.count) + " ld" + how + words.type() + " " + words.list(0) + ", [" +
             reg(2 * words.count + 1) + "];";
    }
  }];
}

def Ptx_StoreOp : Ptx_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes 1 to 16 bytes of global memory if `mask` is true";
  let description = [{See `ptx.load`; cache operators are "wb", "cg", "cs" and "wt".}];
  let arguments = (ins Ptx_Value:$value, I1:$mask, LLVM_AnyPointer:$ptr,
    DefaultValuedAttr<StrAttr, "\"\"">:$cache, DefaultValuedAttr<StrAttr, "\"\"">:$evict);
  let assemblyFormat = "$ptr `,` $value `mask` $mask attr-dict `:` type($ptr) `,` type($value)";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      Words words = wordsOf(getValue().getType());
      return "@" + reg(words.count) + " st.global" + suffix(getCache()) + suffix(getEvict()) + words.type() + " [" +
             reg(words.count + 1) + "], " + words.list(0) + ";";
    }
  }];
}

def Ptx_CachePolicyOp : Ptx_Op<"cache_policy", [Pure]> {
  let summary = "A policy for the L2 cache that gives all lines the priority `evict`";
  let description = [{`evict` is "evict_first", "evict_normal" or "evict_last".}];
  let arguments = (ins StrAttr:$evict);
  let results = (outs I64:$policy);
  let assemblyFormat = "$evict attr-dict";
  let extraClassDeclaration = [{ int widestRegister() { return 64; } }];
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      return "createpolicy.fractional.L2::" + getEvict().str() + ".b64 " + reg(0) + ", 1.0;";
    }
  }];
}

def Ptx_Register : AnyTypeOf<[I32, F32], "a register of 32 bits">;

def Ptx_CopyRegistersOp : Ptx_Op<"copy_registers", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<Ptx_AssemblyOpInterface, ["keepsTypes"]>]> {
  let summary = "Copies registers";
  let description = [{
    Before wgmma changes accumulators that other code reads: ptxas 13.0 takes what is computed from a register before and
    after wgmma has changed it for common subexpressions.
  }];
  let arguments = (ins Variadic<Ptx_Register>:$values);
  let results = (outs Variadic<Ptx_Register>:$results);
  let assemblyFormat = "$values attr-dict `:` type($values) `->` type($results)";
  let extraClassDefinition = [{
    bool $cppClass::keepsTypes() { return true; }

    std::string $cppClass::getAssembly() {
      std::string text;
      int count = static_cast<int>(getNumResults());
      for (int i = 0; i < count; ++i) {
        text += (i > 0 ? "\n\t" : "") + ("mov.b32 " + reg(i) + ", " + reg(count + i) + ";");
      }
      return text;
    }
  }];
}

def Ptx_WgmmaOp : Ptx_Op<"wgmma", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Ptx_AssemblyOpInterface, ["tiedOperands"]>]> {
  let summary = "Starts to compute A * B + C by a warp group; C is not read with `fromZero`, or where `continues` is 0";
  let description = [{
    `shape` is "m64n128k16", `types` are those of the accumulators, A and B: ".f32.f16.f16". `a` is a matrix descriptor
    or the words of a fragment, `b` a descriptor. `immediates` is what the instruction takes behind them: the
    signs of A and B, and for 16-bit types whether those in shared memory are transposed.
  }];
  let arguments = (ins Variadic<Ptx_Register>:$c, Variadic<AnyTypeOf<[I32, I64]>>:$a, I64:$b, Optional<I32>:$continues,
    StrAttr:$shape, StrAttr:$types, UnitAttr:$fromZero, DenseI32ArrayAttr:$immediates);
  let results = (outs Variadic<Ptx_Register>:$results);
  let assemblyFormat = [{
    $shape $types $a `by` $b `into` $c $immediates (`from_zero` $fromZero^)? (`if` $continues^)? attr-dict
    `:` type($a) `into` type($c) `->` type($results)
  }];
  let extraClassDefinition = [{
    int $cppClass::tiedOperands() { return static_cast<int>(getNumResults()); }

    std::string $cppClass::getAssembly() {
      int count = tiedOperands(), a = static_cast<int>(getA().size());
      bool isDescriptor = getA().front().getType().isInteger(64);
      std::string accumulates = getFromZero() ? "0" : getContinues() ? reg(2 * count + a + 1) : "1";
      std::string text = "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " + accumulates + ", 0;\n\twgmma.mma_async.sync.aligned." +
                         getShape().str() + getTypes().str() + " " + regs(0, count) + ", " +
                         (isDescriptor ? reg(2 * count) : regs(2 * count, a)) + ", " + reg(2 * count + a) + ", p";
      for (int32_t immediate : getImmediates()) {
        text += ", " + std::to_string(immediate);
      }
      return text + ";\n\t}";
    }
  }];
}

def Ptx_WgmmaWaitOp : Ptx_Op<"wgmma_wait", [MemoryEffects<[MemRead, MemWrite]>, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Ptx_AssemblyOpInterface, ["tiedOperands"]>]> {
  let summary = "Waits until at most `pending` wgmma groups have not completed";
  let description = [{
    The accumulators in flight pass through it, so that nothing reads them before. What the instructions read from
    registers is `held`, so that nothing is written to these before.
  }];
  let arguments = (ins I32Attr:$pending, Variadic<Ptx_Register>:$values, Variadic<I32>:$held);
  let results = (outs Variadic<Ptx_Register>:$results);
  let assemblyFormat = [{
    $pending `of` $values (`holding` $held^ `:` type($held))? attr-dict `:` type($values) `->` type($results)
  }];
  let extraClassDefinition = [{
    int $cppClass::tiedOperands() { return static_cast<int>(getNumResults()); }

    std::string $cppClass::getAssembly() {
      return "wgmma.wait_group.sync.aligned " + std::to_string(getPending()) + ";";
    }
  }];
}

def Ptx_GridDependencyControlOp : Ptx_Op<"griddepcontrol", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for the grids that this one depends on, or permits those that depend on it to start";
  let description = [{
    `action` is "wait" or "launch_dependents". LLVM's intrinsics have no effect on memory, so that LLVM would move loads
    before the wait.
  }];
  let arguments = (ins StrAttr:$action);
  let assemblyFormat = "$action attr-dict";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() { return "griddepcontrol." + getAction().str() + ";"; }
  }];
}

include "tilewright/Dialect/Ptx/IR/PtxAtomics.td"
include "tilewright/Dialect/Ptx/IR/PtxBoxes.td"
include "tilewright/Dialect/Ptx/IR/PtxMath.td"

#endif
