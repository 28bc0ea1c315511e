// What atomics of the tile dialect are in LLVM and in the tables of instructions.

#ifndef TILEWRIGHT_CONVERSION_ATOMICS_H
#define TILEWRIGHT_CONVERSION_ATOMICS_H

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Hardware/Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"

#include <optional>

namespace tilewright {

inline mlir::LLVM::AtomicBinOp atomicBinOpOf(tile::RMWKind kind) {
  using mlir::LLVM::AtomicBinOp;
  switch (kind) {
  case tile::RMWKind::And:
    return AtomicBinOp::_and;
  case tile::RMWKind::Or:
    return AtomicBinOp::_or;
  case tile::RMWKind::Xor:
    return AtomicBinOp::_xor;
  case tile::RMWKind::Add:
    return AtomicBinOp::add;
  case tile::RMWKind::FAdd:
    return AtomicBinOp::fadd;
  case tile::RMWKind::Max:
    return AtomicBinOp::max;
  case tile::RMWKind::Min:
    return AtomicBinOp::min;
  case tile::RMWKind::UMax:
    return AtomicBinOp::umax;
  case tile::RMWKind::UMin:
    return AtomicBinOp::umin;
  case tile::RMWKind::Xchg:
    return AtomicBinOp::xchg;
  }
  llvm_unreachable("unknown kind of atomic");
}

inline mlir::LLVM::AtomicOrdering atomicOrderingOf(tile::MemSemantic sem) {
  using mlir::LLVM::AtomicOrdering;
  switch (sem) {
  case tile::MemSemantic::Relaxed:
    return AtomicOrdering::monotonic;
  case tile::MemSemantic::Acquire:
    return AtomicOrdering::acquire;
  case tile::MemSemantic::Release:
    return AtomicOrdering::release;
  case tile::MemSemantic::AcqRel:
    return AtomicOrdering::acq_rel;
  }
  llvm_unreachable("unknown order of an atomic");
}

/// The element type of an `AtomicAdd` row; none if no row has it.
inline std::optional<hardware::ElementType> atomicElementOf(mlir::Type type) {
  return llvm::TypeSwitch<mlir::Type, std::optional<hardware::ElementType>>(type)
      .Case<mlir::Float16Type>([](mlir::Type) { return hardware::ElementType::F16; })
      .Case<mlir::BFloat16Type>([](mlir::Type) { return hardware::ElementType::BF16; })
      .Case<mlir::Float32Type>([](mlir::Type) { return hardware::ElementType::F32; })
      .Case<mlir::Float64Type>([](mlir::Type) { return hardware::ElementType::F64; })
      .Default(std::nullopt);
}

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_ATOMICS_H
