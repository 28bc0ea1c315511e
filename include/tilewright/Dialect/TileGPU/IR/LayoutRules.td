// How an operation relates the layouts of its operands and results; see LayoutRules.h.

#ifndef TILEWRIGHT_DIALECT_TILEGPU_IR_LAYOUTRULES_TD
#define TILEWRIGHT_DIALECT_TILEGPU_IR_LAYOUTRULES_TD

include "mlir/IR/OpBase.td"

def TileGPU_LayoutRuleOpInterface : OpInterface<"LayoutRuleOpInterface"> {
  let description = [{
    How an operation relates the layouts of its operands and results. The models of the tile dialect's and of this
    dialect's operations are in LayoutRules.cpp. Elementwise operations and constants need no model: the functions in
    LayoutRules.h know their rules from their traits.

    An operation that moves no elements between threads has one *label*, the layout of its results, from which
    `operandLayout` derives the layouts of its operands.
  }];
  let cppNamespace = "::tilewright::tilegpu";
  let methods = [
    InterfaceMethod<"The layout of the results if `operand` has the layout `map`; none if it is not determined.",
                    "::std::optional<::tilewright::layout::LinearLayout>", "resultLayout",
                    (ins "::mlir::OpOperand &":$operand, "const ::tilewright::layout::LinearLayout &":$map), [{}],
                    [{ return ::std::nullopt; }]>,
    InterfaceMethod<"The layout that `operand` needs for results with the layout `map`; none if it is not determined.",
                    "::std::optional<::tilewright::layout::LinearLayout>", "operandLayout",
                    (ins "::mlir::OpOperand &":$operand, "const ::tilewright::layout::LinearLayout &":$map), [{}],
                    [{ return ::std::nullopt; }]>,
    InterfaceMethod<"Whether all tiles of the operation have the same layout.", "bool", "keepsLayout", (ins), [{}],
                    [{ return false; }]>,
    InterfaceMethod<"Whether any layout may be the label.", "bool", "worksInAnyLayout", (ins), [{}],
                    [{ return true; }]>,
    InterfaceMethod<"Whether `operand` may have any layout, whatever the label.", "bool", "takesAnyLayout",
                    (ins "::mlir::OpOperand &":$operand), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether all tile operands must have the same layout, even if the rules above do not imply it.",
                    "bool", "needsEqualOperands", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether the label is the layout of the operands, because that of the results does not determine it.",
                    "bool", "isLabeledByOperand", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether elements move between threads, which is too expensive to be repeated.", "bool",
                    "movesElements", (ins), [{}], [{ return false; }]>
  ];
}

#endif
