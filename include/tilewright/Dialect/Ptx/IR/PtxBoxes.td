// Copies of boxes by the tensor memory accelerator, and mbarriers. NVVM has these instructions, but its predicated ones
// lack the clobber of memory, without which LLVM's machine passes move loads across them.

#ifndef TILEWRIGHT_DIALECT_PTX_IR_PTXBOXES_TD
#define TILEWRIGHT_DIALECT_PTX_IR_PTXBOXES_TD

// Included by PtxOps.td, which defines Ptx_Op.

class Ptx_BoxOp<string mnemonic> : Ptx_Op<mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def Ptx_Shared : LLVM_PointerInAddressSpace<3>;

def Ptx_MbarrierInitOp : Ptx_BoxOp<"mbarrier_init"> {
  let summary = "Initializes an mbarrier for `count` arrivals if `mask` is true";
  let arguments = (ins Ptx_Shared:$barrier, I32Attr:$count, I1:$mask);
  let assemblyFormat = "$barrier `count` $count `mask` $mask attr-dict `:` type($barrier)";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      return "@" + reg(1) + " mbarrier.init.shared::cta.b64 [" + reg(0) + "], " + std::to_string(getCount()) + ";";
    }
  }];
}

def Ptx_MbarrierInvalOp : Ptx_BoxOp<"mbarrier_inval"> {
  let summary = "Invalidates an mbarrier if `mask` is true";
  let arguments = (ins Ptx_Shared:$barrier, I1:$mask);
  let assemblyFormat = "$barrier `mask` $mask attr-dict `:` type($barrier)";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      return "@" + reg(1) + " mbarrier.inval.shared::cta.b64 [" + reg(0) + "];";
    }
  }];
}

def Ptx_MbarrierArriveOp : Ptx_BoxOp<"mbarrier_arrive"> {
  let summary = "Arrives at an mbarrier if `mask` is true";
  let arguments = (ins Ptx_Shared:$barrier, I1:$mask);
  let assemblyFormat = "$barrier `mask` $mask attr-dict `:` type($barrier)";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      return "@" + reg(1) + " mbarrier.arrive.shared::cta.b64 _, [" + reg(0) + "];";
    }
  }];
}

def Ptx_MbarrierArriveExpectTxOp : Ptx_BoxOp<"mbarrier_arrive_expect_tx"> {
  let summary = "Arrives at an mbarrier that expects `bytes` more bytes, if `mask` is true";
  let arguments = (ins Ptx_Shared:$barrier, I32:$bytes, I1:$mask);
  let assemblyFormat = "$barrier `,` $bytes `mask` $mask attr-dict `:` type($barrier)";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      return "@" + reg(2) + " mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + reg(0) + "], " + reg(1) + ";";
    }
  }];
}

def Ptx_MbarrierWaitOp : Ptx_BoxOp<"mbarrier_wait"> {
  let summary = "Waits until an mbarrier's phase with this parity has completed";
  let description = [{
    The loop is part of the assembly: LLVM would otherwise see a loop around what is in flight, and might copy the
    registers of a wgmma.
  }];
  let arguments = (ins Ptx_Shared:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `,` $parity attr-dict `:` type($barrier)";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      return "{\n\t.reg .pred complete;\n\twait:\n\tmbarrier.try_wait.parity.shared::cta.b64 complete, [" + reg(0) +
             "], " + reg(1) + ";\n\t@!complete bra wait;\n\t}";
    }
  }];
}

def Ptx_PrefetchTensorMapOp : Ptx_BoxOp<"prefetch_tensormap"> {
  let summary = "Prefetches a tensor map if `mask` is true";
  let arguments = (ins LLVM_PointerInAddressSpace<0>:$map, I1:$mask);
  let assemblyFormat = "$map `mask` $mask attr-dict";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() { return "@" + reg(1) + " prefetch.tensormap [" + reg(0) + "];"; }
  }];
}

def Ptx_BulkTensorLoadOp : Ptx_BoxOp<"bulk_tensor_load"> {
  let summary = "Copies a box from global to shared memory if `mask` is true, and counts its bytes at `barrier`";
  let arguments = (ins Ptx_Shared:$to, LLVM_PointerInAddressSpace<0>:$map, Variadic<I32>:$coordinates,
    Ptx_Shared:$barrier, I1:$mask);
  let assemblyFormat = [{
    $to `,` $map `[` $coordinates `]` `completes` $barrier `mask` $mask attr-dict `:` type($to) `,` type($barrier)
  }];
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      int rank = static_cast<int>(getCoordinates().size());
      return "@" + reg(rank + 3) + " cp.async.bulk.tensor." + std::to_string(rank) +
             "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [" + reg(0) + "], [" + reg(1) + ", " +
             regs(2, rank) + "], [" + reg(rank + 2) + "];";
    }
  }];
}

def Ptx_BulkTensorStoreOp
    : Ptx_Op<"bulk_tensor_store", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copies a box from shared to global memory if `mask` is true, by the cache policy if there is one";
  let description = [{
    With `reduce`, the elements are combined with those of global memory; `reduction` is PTX's name ("add", ...).
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<0>:$map, Variadic<I32>:$coordinates, Ptx_Shared:$from, I1:$mask,
    Optional<I64>:$policy, OptionalAttr<StrAttr>:$reduction);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `,` $from (`reduce` $reduction^)? `mask` $mask (`policy` $policy^)? attr-dict `:`
    type($from)
  }];
  let extraClassDeclaration = [{ int widestRegister() { return 64; } }];
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      int rank = static_cast<int>(getCoordinates().size());
      return "@" + reg(rank + 2) + (getReduction() ? " cp.reduce.async" : " cp.async") + ".bulk.tensor." +
             std::to_string(rank) + "d.global.shared::cta" + (getReduction() ? "." + getReduction()->str() : "") +
             ".tile.bulk_group" + (getPolicy() ? ".L2::cache_hint [" : " [") + reg(0) + ", " + regs(1, rank) + "], [" + reg(rank + 1) + "]" + (getPolicy() ? ", " + reg(rank + 3) : "") + ";";
    }
  }];
}

def Ptx_BulkCommitOp : Ptx_BoxOp<"bulk_commit"> {
  let summary = "Makes a group of the thread's bulk copies from shared memory";
  let assemblyFormat = "attr-dict";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() { return "cp.async.bulk.commit_group;"; }
  }];
}

def Ptx_BulkWaitOp : Ptx_BoxOp<"bulk_wait"> {
  let summary = "Waits until at most `pending` groups of bulk copies have not completed, or not read shared memory";
  let arguments = (ins I32Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
  let extraClassDefinition = [{
    std::string $cppClass::getAssembly() {
      return std::string("cp.async.bulk.wait_group") + (getRead() ? ".read " : " ") + std::to_string(getPending()) + ";";
    }
  }];
}

#endif // TILEWRIGHT_DIALECT_PTX_IR_PTXBOXES_TD
