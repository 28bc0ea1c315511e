// How an operation is emitted for the CPU; see Emission.h.

#ifndef TILEWRIGHT_CONVERSION_TILETOVECTOR_EMISSION_TD
#define TILEWRIGHT_CONVERSION_TILETOVECTOR_EMISSION_TD

include "mlir/IR/OpBase.td"

def EmissionOpInterface : OpInterface<"EmissionOpInterface"> {
  let description = [{
    How an operation is emitted for the CPU. The models are in lib/Conversion/TileToVector, each beside the code that it
    calls. Elementwise operations need no model: see the functions in Emission.h.
  }];
  let cppNamespace = "::tilewright::cpu";
  let methods = [
    InterfaceMethod<"Where the operation is computed.", "::tilewright::cpu::Placement", "getPlacement", (ins), [{}],
                    [{ return Placement::Materialized; }]>,
    InterfaceMethod<"How the operation reads a tile operand.", "::tilewright::cpu::OperandUse", "getOperandUse",
                    (ins "::mlir::OpOperand &":$operand), [{}], [{ return OperandUse::AtPoints; }]>,
    InterfaceMethod<"The axis along which a sink reduces its operands; -1 for other sinks.", "int", "getReducedAxis",
                    (ins), [{}], [{ return -1; }]>,
    InterfaceMethod<"Emits the value of a result at a point of a nest. For free and lazy operations.", "::mlir::Value",
                    "evaluate", (ins "::tilewright::cpu::Emitter &":$emitter, "::mlir::OpResult":$result,
                                     "const ::tilewright::cpu::Point &":$point), [{}],
                    [{ return detail::evaluateElementwise(emitter, result, point); }]>,
    InterfaceMethod<"Emits the results for operands that are scalars and vectors of elements. For elementwise "
                    "operations, with the width of the widest operand.", "::llvm::SmallVector<::mlir::Value>", "apply",
                    (ins "::tilewright::cpu::Emitter &":$emitter, "::llvm::SmallVector<::mlir::Value>":$operands,
                         "int64_t":$width), [{}],
                    [{ return detail::applyToLanes(emitter, $_op, operands, width); }]>,
    InterfaceMethod<"Emits the operation at a point of its nest. For sinks.", "void", "emitAt",
                    (ins "::tilewright::cpu::Emitter &":$emitter, "const ::tilewright::cpu::Point &":$point), [{}],
                    [{ llvm_unreachable("not a sink"); }]>,
    InterfaceMethod<"Emits the operation. For materialized operations, which include all on scalars.",
                    "::llvm::LogicalResult", "emit", (ins "::tilewright::cpu::Emitter &":$emitter), [{}],
                    [{ return detail::emitScalar(emitter, $_op); }]>
  ];
}

#endif
