// Predicated atomics on global memory, with the memory order and scope that LLVM's code generator omits.

#ifndef TILEWRIGHT_DIALECT_PTX_IR_PTXATOMICS_TD
#define TILEWRIGHT_DIALECT_PTX_IR_PTXATOMICS_TD

include "tilewright/Dialect/Ptx/IR/PtxOps.td"

class Ptx_AtomicBase<string mnemonic, list<Trait> traits>
    : Ptx_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>] # traits> {
  let results = (outs Ptx_Value:$result);
  let extraClassDeclaration = [{
    int widestRegister();
    /// The text before the operation's name, "@$3 atom.acq_rel.gpu.global". `mask` is the register of the predicate.
    std::string begin(int mask);
  }];
  string definitions = [{
    int $cppClass::widestRegister() { return isWide(getType()) ? 64 : 32; }
    std::string $cppClass::begin(int mask) {
      return "@" + reg(mask) + " atom" + suffix(getSem()) + suffix(getScope()) + ".global";
    }
  }];
}

def Ptx_AtomicOp : Ptx_AtomicBase<"atomic", [AllTypesMatch<["value", "result"]>]> {
  let summary = "Combines memory with `value` where `mask` is true; the result is the old value, else zero";
  let description = [{
    `kind` is a tile::RMWKind ("add", "fadd", "umax", ...), `sem` and `scope` are PTX's names. Only "fadd" supports
    vectors, of which each element is combined separately; see `hardware::atomicAdds`.
  }];
  let arguments = (ins Ptx_Value:$value, I1:$mask, LLVM_AnyPointer:$ptr, StrAttr:$kind, StrAttr:$sem, StrAttr:$scope);
  let assemblyFormat = "$kind $sem $scope $ptr `,` $value `mask` $mask attr-dict `:` type($ptr) `,` type($value)";
  let extraClassDefinition = definitions # [{
    std::string $cppClass::getAssembly() {
      Words words = wordsOf(getType(), widestRegister());
      return zeros(words) + begin(2 * words.count) + atomicName(getKind(), getType()) + " " + words.list(0) + ", [" +
             reg(2 * words.count + 1) + "], " + words.list(words.count) + ";";
    }
  }];
}

def Ptx_CompareExchangeOp : Ptx_AtomicBase<"compare_exchange", [AllTypesMatch<["cmp", "value", "result"]>]> {
  let summary = "Writes `value` where memory has the bits of `cmp` and `mask` is true; see `ptx.atomic`";
  let arguments = (ins Ptx_Value:$cmp, Ptx_Value:$value, I1:$mask, LLVM_AnyPointer:$ptr, StrAttr:$sem, StrAttr:$scope);
  let assemblyFormat = "$sem $scope $ptr `,` $cmp `,` $value `mask` $mask attr-dict `:` type($ptr) `,` type($value)";
  let extraClassDefinition = definitions # [{
    std::string $cppClass::getAssembly() {
      Words words = wordsOf(getType(), widestRegister());
      return zeros(words) + begin(3) + ".cas" + words.type() + " " + reg(0) + ", [" + reg(4) + "], " + reg(1) + ", " +
             reg(2) + ";";
    }
  }];
}

#endif // TILEWRIGHT_DIALECT_PTX_IR_PTXATOMICS_TD
