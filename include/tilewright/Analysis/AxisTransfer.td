// How an operation transfers axis properties; see AxisInfo.h.

#ifndef TILEWRIGHT_ANALYSIS_AXISTRANSFER_TD
#define TILEWRIGHT_ANALYSIS_AXISTRANSFER_TD

include "mlir/IR/OpBase.td"

def AxisTransferOpInterface : OpInterface<"AxisTransferOpInterface"> {
  let description = [{
    The axis properties of an operation's results, given those of its operands. The models are in lib/Analysis, in a file
    for each dialect. Operations without a model follow the default: equal operands of a deterministic elementwise
    operation give equal results, the properties of a `SameValues` operation's operand hold for its result, and nothing is
    known about any other result.
  }];
  let cppNamespace = "::tilewright";
  let methods = [
    InterfaceMethod<"The properties of each result; none if nothing is known.", "::std::optional<::tilewright::AxisInfo>",
                    "transferAxisProperties", (ins "::llvm::ArrayRef<const ::tilewright::AxisInfo *>":$operands)>
  ];
}

#endif
