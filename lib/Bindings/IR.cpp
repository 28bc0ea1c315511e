// Generic construction of IR from Python. Operations are created by name, operands and attributes, so that a new
// operation needs no binding.

#include "Bindings.h"

#include "tilewright/Dialect/Tile/IR/Tile.h"
#include "tilewright/Dialect/Tile/IR/TileEncoding.h"
#include "tilewright/Pipeline/TargetKind.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"

namespace py = pybind11;
using namespace mlir;

namespace tilewright::bindings {

/// All contexts share one registry, so that dialects and extensions are registered only once.
static const DialectRegistry &getRegistry() {
  static const DialectRegistry *registry = [] {
    auto *made = new DialectRegistry();
    for (const TargetKind *kind : targetKinds()) {
      kind->registerDialects(*made);
    }
    return made;
  }();
  return *registry;
}

PyContext::PyContext() : context(std::make_unique<MLIRContext>(getRegistry(), MLIRContext::Threading::DISABLED)) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect, tile::TileDialect>();
}

namespace {

/// Regions and blocks are not value types in MLIR; operations are.
struct PyRegion {
  Region *region;
};
struct PyBlock {
  Block *block;
};
struct PyInsertionPoint {
  OpBuilder::InsertPoint point;
};
struct PyBuilder {
  explicit PyBuilder(PyContext &context)
      : builder(context.context.get()), loc(UnknownLoc::get(context.context.get())) {}
  OpBuilder builder;
  Location loc;
};

template <typename T> std::string print(T &value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream);
  return text;
}

std::string printOperation(Operation *op, bool debugInfo, bool generic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (debugInfo) {
    flags.enableDebugInfo(true, false);
  }
  if (generic) {
    flags.printGenericOpForm();
  }
  op->print(stream, flags);
  return text;
}

//===----------------------------------------------------------------------===//
// Creating an operation
//===----------------------------------------------------------------------===//

/// Infers the result types if Python gave none.
void inferTypes(OperationState &state) {
  MLIRContext *context = state.getContext();
  auto *interface = state.name.getInterface<InferTypeOpInterface>();
  if (!interface) {
    return;
  }
  DiagnosticCollector errors(*context);
  OperationName name = state.name;
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  llvm::SmallVector<std::byte> storage;
  OpaqueProperties properties(nullptr);
  if (int size = name.getOpPropertyByteSize()) {
    storage.resize(size);
    properties = OpaqueProperties(storage.data());
    name.initOpProperties(properties, nullptr);
    if (failed(name.setOpPropertiesFromAttribute(name, properties, attributes,
                                                 [&] { return emitError(state.location); }))) {
      errors.raise("wrong attributes");
    }
  }
  bool failedToInfer = failed(interface->inferReturnTypes(context, state.location, state.operands, attributes,
                                                          properties, state.regions, state.types));
  if (!storage.empty()) {
    name.destroyOpProperties(properties);
  }
  if (failedToInfer) {
    errors.raise("cannot infer the result types");
  }
}

Operation *create(PyBuilder &self, const std::string &name, const std::vector<Value> &operands,
                  const std::optional<std::vector<Type>> &types, const py::dict &attributes, unsigned regions) {
  OperationState state(self.loc, name);
  if (!state.name.isRegistered()) {
    throw py::value_error("unknown operation '" + name + "'");
  }
  state.addOperands(operands);
  for (auto [key, value] : attributes) {
    state.addAttribute(key.cast<std::string>(), value.cast<Attribute>());
  }
  for (unsigned i = 0; i < regions; ++i) {
    state.addRegion();
  }
  if (types) {
    state.addTypes(*types);
  } else {
    inferTypes(state);
  }
  return self.builder.create(state);
}

/// The inferred type as Python gets it; raises the error if there is none.
Type inferred(DiagnosticCollector &errors, FailureOr<RankedTensorType> type) {
  if (failed(type)) {
    errors.raise("cannot infer the result type");
  }
  return *type;
}

Type broadcastType(PyBuilder &self, Type type, const std::vector<int64_t> &shape, std::optional<Attribute> encoding) {
  DiagnosticCollector errors(*type.getContext());
  return inferred(
      errors, tile::inferBroadcastType(self.loc, cast<RankedTensorType>(type), shape, encoding.value_or(Attribute())));
}

Type reshapeType(PyBuilder &self, Type type, const std::vector<int64_t> &shape) {
  DiagnosticCollector errors(*type.getContext());
  return inferred(errors, tile::inferReshapeType(self.loc, cast<RankedTensorType>(type), shape));
}

/// The index of the first operand whose elements have the type of the first result's; none if there is no such operand.
std::optional<unsigned> operandLikeResult(Operation &op) {
  Type element = tile::getElementType(op.getResult(0).getType());
  for (OpOperand &operand : op.getOpOperands()) {
    if (tile::getElementType(operand.get().getType()) == element) {
      return operand.getOperandNumber();
    }
  }
  return std::nullopt;
}

/// Whether a sum, difference or product of signed constants wraps. As part of an address, it does not (WidenConstants).
bool wrapsAsSigned(Operation &op) {
  APInt lhs, rhs;
  if (op.hasAttr("tile.unsigned") || op.getNumOperands() != 2 || !matchPattern(op.getOperand(0), m_ConstantInt(&lhs)) ||
      !matchPattern(op.getOperand(1), m_ConstantInt(&rhs))) {
    return false;
  }
  bool wraps = false;
  if (isa<arith::AddIOp>(op)) {
    (void)lhs.sadd_ov(rhs, wraps);
  } else if (isa<arith::SubIOp>(op)) {
    (void)lhs.ssub_ov(rhs, wraps);
  } else if (isa<arith::MulIOp>(op)) {
    (void)lhs.smul_ov(rhs, wraps);
  }
  return wraps;
}

/// Replaces an operation on constants by the scalar integer constant that it folds to, and returns the constant and its
/// value as a signed integer; none if the operation does not fold to one, or wraps.
std::optional<std::pair<Value, int64_t>> foldToInteger(PyBuilder &self, Operation &op) {
  auto isConstant = [](Value operand) { return matchPattern(operand, m_Constant()); };
  SmallVector<Value> folded;
  APInt value;
  if (op.getNumResults() != 1 || !isa<IntegerType>(op.getResult(0).getType()) ||
      !llvm::all_of(op.getOperands(), isConstant) || wrapsAsSigned(op) || failed(self.builder.tryFold(&op, folded)) ||
      folded.size() != 1 || !matchPattern(folded.front(), m_ConstantInt(&value))) {
    return std::nullopt;
  }
  op.erase();
  return std::pair(folded.front(), value.getSExtValue());
}

constexpr auto kReference = py::return_value_policy::reference;

//===----------------------------------------------------------------------===//
// The classes
//===----------------------------------------------------------------------===//

void bindTypeMakers(py::class_<PyContext> &context) {
  context
      .def("type",
           [](PyContext &self, const std::string &text) {
             DiagnosticCollector errors(*self.context);
             Type type = parseType(text, self.context.get());
             return type ? type : (errors.raise("malformed type"), Type());
           })
      .def("attr",
           [](PyContext &self, const std::string &text) {
             DiagnosticCollector errors(*self.context);
             Attribute attr = parseAttribute(text, self.context.get());
             return attr ? attr : (errors.raise("malformed attribute"), Attribute());
           })
      .def(
          "tensor_type",
          [](PyContext &self, const std::vector<int64_t> &shape, Type element, std::optional<Attribute> encoding) {
            DiagnosticCollector errors(*self.context);
            Type type = RankedTensorType::getChecked([&] { return emitError(UnknownLoc::get(self.context.get())); },
                                                     shape, element, encoding.value_or(Attribute()));
            return type ? type : (errors.raise("malformed type"), Type());
          },
          py::arg("shape"), py::arg("element"), py::arg("encoding") = py::none())
      .def(
          "ptr_type",
          [](PyContext &, Type pointee, unsigned addressSpace) -> Type {
            return tile::PtrType::get(pointee, addressSpace);
          },
          py::arg("pointee"), py::arg("address_space") = 0)
      .def("function_type",
           [](PyContext &self, const std::vector<Type> &inputs, const std::vector<Type> &results) -> Type {
             return FunctionType::get(self.context.get(), inputs, results);
           });
}

/// The predicate of arith.cmpi or arith.cmpf with the name that the operation prints, such as "slt".
Attribute makePredicate(PyContext &context, const std::string &operation, const std::string &name) {
  if (operation == arith::CmpFOp::getOperationName()) {
    if (std::optional<arith::CmpFPredicate> found = arith::symbolizeCmpFPredicate(name)) {
      return arith::CmpFPredicateAttr::get(context.context.get(), *found);
    }
  } else if (operation == arith::CmpIOp::getOperationName()) {
    if (std::optional<arith::CmpIPredicate> found = arith::symbolizeCmpIPredicate(name)) {
      return arith::CmpIPredicateAttr::get(context.context.get(), *found);
    }
  }
  throw py::value_error("'" + operation + "' has no predicate '" + name + "'");
}

void bindAttributeMakers(py::class_<PyContext> &context) {
  context
      .def("int_attr",
           [](PyContext &, Type type, const py::int_ &value) -> Attribute {
             // Converted through text, so that values of any width and sign are supported.
             unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
             std::string text = py::str(value);
             llvm::APInt wide(256, text, 10);
             return IntegerAttr::get(type, wide.trunc(width));
           })
      .def("float_attr",
           [](PyContext &, Type type, double value) -> Attribute {
             return FloatAttr::get(cast<FloatType>(type), value);
           })
      .def("splat_attr",
           [](PyContext &, Type type, Attribute value) -> Attribute {
             return SplatElementsAttr::get(cast<ShapedType>(type), value);
           })
      .def("string_attr",
           [](PyContext &self, const std::string &text) -> Attribute {
             return StringAttr::get(self.context.get(), text);
           })
      .def("predicate_attr", &makePredicate, py::arg("operation"), py::arg("name"))
      .def("unit_attr", [](PyContext &self) -> Attribute { return UnitAttr::get(self.context.get()); })
      .def("bool_attr",
           [](PyContext &self, bool value) -> Attribute { return BoolAttr::get(self.context.get(), value); })
      .def("type_attr", [](PyContext &, Type type) -> Attribute { return TypeAttr::get(type); })
      .def("symbol_attr",
           [](PyContext &self, const std::string &name) -> Attribute {
             return FlatSymbolRefAttr::get(self.context.get(), name);
           })
      .def("i32_array_attr",
           [](PyContext &self, const std::vector<int32_t> &values) -> Attribute {
             return DenseI32ArrayAttr::get(self.context.get(), values);
           })
      .def("bool_array_attr",
           [](PyContext &self, const std::vector<bool> &values) -> Attribute {
             llvm::SmallVector<bool> copy(values.begin(), values.end());
             return DenseBoolArrayAttr::get(self.context.get(), copy);
           })
      .def("array_attr",
           [](PyContext &self, const std::vector<Attribute> &values) -> Attribute {
             return ArrayAttr::get(self.context.get(), values);
           })
      .def("dict_attr", [](PyContext &self, const py::dict &values) -> Attribute {
        NamedAttrList list;
        for (auto [key, value] : values) {
          list.set(key.cast<std::string>(), value.cast<Attribute>());
        }
        return list.getDictionary(self.context.get());
      });
}

void bindLocationMakers(py::class_<PyContext> &context) {
  context.def("unknown_loc", [](PyContext &self) -> Location { return UnknownLoc::get(self.context.get()); })
      .def("file_loc",
           [](PyContext &self, const std::string &file, unsigned line, unsigned column) -> Location {
             return FileLineColLoc::get(self.context.get(), file, line, column);
           })
      .def("call_loc",
           [](PyContext &, Location callee, Location caller) -> Location { return CallSiteLoc::get(callee, caller); });
}

void bindContext(py::module_ &module) {
  py::class_<PyContext> context(module, "Context",
                                "The context of one compilation, which owns its types and attributes.");
  context.def(py::init<>());
  bindTypeMakers(context);
  bindAttributeMakers(context);
  bindLocationMakers(context);
}

void bindTypes(py::module_ &module) {
  py::class_<Type>(module, "Type")
      .def("__str__", [](Type &self) { return print(self); })
      .def("__repr__", [](Type &self) { return print(self); })
      .def(
          "__eq__", [](Type &self, Type &other) { return self == other; }, py::is_operator())
      .def("__hash__", [](Type &self) { return size_t(hash_value(self)); })
      .def_property_readonly("is_tile", [](Type &self) { return isa<RankedTensorType>(self); })
      .def_property_readonly("shape", [](Type &self) { return py::tuple(py::cast(tile::getShape(self).vec())); })
      .def_property_readonly("element", [](Type &self) { return tile::getElementType(self); })
      .def_property_readonly("encoding", [](Type &self) -> std::optional<Attribute> {
        auto tile = dyn_cast<RankedTensorType>(self);
        return tile && tile.getEncoding() ? std::optional(tile.getEncoding()) : std::nullopt;
      });
  py::class_<Attribute>(module, "Attribute")
      .def("__str__", [](Attribute &self) { return print(self); })
      .def("__repr__", [](Attribute &self) { return print(self); })
      .def(
          "__eq__", [](Attribute &self, Attribute &other) { return self == other; }, py::is_operator())
      .def("__hash__", [](Attribute &self) { return size_t(hash_value(self)); });
  py::class_<Location>(module, "Location").def("__str__", [](Location &self) { return print(self); });
}

void bindValues(py::module_ &module) {
  py::class_<Value>(module, "Value")
      .def("__str__", [](Value &self) { return print(self); })
      .def(
          "__eq__", [](Value &self, Value &other) { return self == other; }, py::is_operator())
      .def("__hash__", [](Value &self) { return size_t(hash_value(self)); })
      .def_property_readonly("type", &Value::getType)
      .def_property_readonly(
          "owner", [](Value &self) { return self.getDefiningOp(); }, kReference)
      .def("set_type", [](Value &self, Type type) { self.setType(type); })
      .def(
          "shares_block", [](Value &self, Value &other) { return self.getParentBlock() == other.getParentBlock(); },
          "Whether both values are defined in the same block.")
      .def("replace_all_uses_with", [](Value &self, Value &other) { self.replaceAllUsesWith(other); });
  py::class_<PyBlock>(module, "Block")
      .def_property_readonly("args",
                             [](PyBlock &self) {
                               auto args = self.block->getArguments();
                               return std::vector<Value>(args.begin(), args.end());
                             })
      .def("arg", [](PyBlock &self, unsigned index) -> Value { return self.block->getArgument(index); })
      .def("add_arg",
           [](PyBlock &self, Type type, Location loc) -> Value { return self.block->addArgument(type, loc); })
      .def("erase_arg", [](PyBlock &self, unsigned index) { self.block->eraseArgument(index); })
      .def_property_readonly("empty", [](PyBlock &self) { return self.block->empty(); })
      .def_property_readonly(
          "terminator",
          [](PyBlock &self) { return self.block->mightHaveTerminator() ? self.block->getTerminator() : nullptr; },
          kReference)
      .def_property_readonly(
          "parent", [](PyBlock &self) { return self.block->getParentOp(); }, kReference)
      .def("erase", [](PyBlock &self) { self.block->erase(); })
      // Moves all operations of another block to the end of this one.
      .def("splice", [](PyBlock &self, PyBlock &other) {
        self.block->getOperations().splice(self.block->end(), other.block->getOperations());
      });
  py::class_<PyRegion>(module, "Region")
      .def("add_block",
           [](PyRegion &self, const std::vector<Type> &types, Location loc) {
             Block &block = self.region->emplaceBlock();
             for (Type type : types) {
               block.addArgument(type, loc);
             }
             return PyBlock{&block};
           })
      .def_property_readonly("empty", [](PyRegion &self) { return self.region->empty(); })
      .def_property_readonly("block", [](PyRegion &self) { return PyBlock{&self.region->front()}; });
}

void bindOperations(py::module_ &module) {
  py::class_<Operation, std::unique_ptr<Operation, py::nodelete>>(module, "Operation")
      .def("__str__", [](Operation &self) { return printOperation(&self, false, false); })
      .def_property_readonly("name", [](Operation &self) { return self.getName().getStringRef().str(); })
      .def_property_readonly("result", [](Operation &self) -> Value { return self.getResult(0); })
      .def_property_readonly("results",
                             [](Operation &self) {
                               auto results = self.getResults();
                               return std::vector<Value>(results.begin(), results.end());
                             })
      .def_property_readonly("operand_like_result", &operandLikeResult)
      .def_property_readonly(
          "operands", [](Operation &self) { return std::vector<Value>(self.operand_begin(), self.operand_end()); })
      .def("region", [](Operation &self, unsigned index) { return PyRegion{&self.getRegion(index)}; })
      .def_property_readonly("block", [](Operation &self) { return PyBlock{self.getBlock()}; })
      .def("set_attr", [](Operation &self, const std::string &name, Attribute value) { self.setAttr(name, value); })
      .def("get_attr",
           [](Operation &self, const std::string &name) -> std::optional<Attribute> {
             Attribute attr = self.getAttr(name);
             return attr ? std::optional(attr) : std::nullopt;
           })
      .def("set_arg_attr", [](Operation &self, unsigned index, const std::string &name,
                              Attribute value) { cast<func::FuncOp>(&self).setArgAttr(index, name, value); })
      .def("set_operands", [](Operation &self, const std::vector<Value> &values) { self.setOperands(values); })
      .def("erase", [](Operation &self) { self.erase(); });
  // NOLINTNEXTLINE(bugprone-unused-raii): the module keeps the class
  py::class_<PyInsertionPoint>(module, "InsertionPoint");
  py::class_<PyBuilder>(module, "Builder", "Creates operations at an insertion point, each with the location `loc`.")
      .def(py::init<PyContext &>(), py::keep_alive<1, 2>())
      // By value: a location that Python keeps must not change when the builder's does.
      .def_property(
          "loc", [](PyBuilder &self) -> Location { return self.loc; },
          [](PyBuilder &self, Location loc) { self.loc = loc; })
      .def_property(
          "insertion_point", [](PyBuilder &self) { return PyInsertionPoint{self.builder.saveInsertionPoint()}; },
          [](PyBuilder &self, PyInsertionPoint point) { self.builder.restoreInsertionPoint(point.point); })
      .def("set_to_start", [](PyBuilder &self, PyBlock block) { self.builder.setInsertionPointToStart(block.block); })
      .def("set_to_end", [](PyBuilder &self, PyBlock block) { self.builder.setInsertionPointToEnd(block.block); })
      .def("set_before", [](PyBuilder &self, Operation &op) { self.builder.setInsertionPoint(&op); })
      .def("set_after", [](PyBuilder &self, Operation &op) { self.builder.setInsertionPointAfter(&op); })
      .def("broadcast_type", &broadcastType, py::arg("type"), py::arg("shape"), py::arg("encoding") = py::none())
      .def("reshape_type", &reshapeType, py::arg("type"), py::arg("shape"))
      .def("fold_to_integer", &foldToInteger)
      .def("create", &create, py::arg("name"), py::arg("operands") = std::vector<Value>(),
           py::arg("types") = py::none(), py::arg("attrs") = py::dict(), py::arg("regions") = 0, kReference);
}

/// The printed form omits terminators without operands, and the locations of block arguments. The parser gives these
/// its own location; replace it by that of the enclosing operation.
void locateUnprinted(ModuleOp module, StringRef text) {
  auto isText = [&](Location loc) {
    auto position = dyn_cast<FileLineColLoc>(loc);
    return position && position.getFilename() == text;
  };
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getParentOp() && op->hasTrait<OpTrait::IsTerminator>() && isText(op->getLoc())) {
      op->setLoc(op->getParentOp()->getLoc());
    }
    for (Region &region : op->getRegions()) {
      for (BlockArgument arg : region.getArguments()) {
        if (isText(arg.getLoc())) {
          arg.setLoc(op->getLoc());
        }
      }
    }
  });
}

PyModule parseModule(PyContext &context, const std::string &text) {
  constexpr llvm::StringLiteral kName = "-";
  DiagnosticCollector errors(*context.context);
  auto parsed = parseSourceString<ModuleOp>(text, context.context.get(), kName);
  if (!parsed) {
    errors.raise("malformed IR");
  }
  locateUnprinted(*parsed, kName);
  return PyModule{std::move(parsed)};
}

void bindModule(py::module_ &module) {
  py::class_<PyModule>(module, "Module")
      .def(py::init([](PyContext &, Location loc) { return PyModule{ModuleOp::create(loc)}; }), py::keep_alive<1, 2>())
      .def_static("parse", &parseModule, py::keep_alive<0, 1>())
      .def_property_readonly("body", [](PyModule &self) { return PyBlock{self.module->getBody()}; })
      .def_property_readonly(
          "op", [](PyModule &self) { return self.module->getOperation(); }, kReference)
      .def("verify",
           [](PyModule &self) {
             DiagnosticCollector errors(*self.module->getContext());
             if (failed(verify(*self.module)) || failed(tile::verifyCombiners(*self.module))) {
               errors.raise("malformed module");
             }
           })
      .def("__str__", [](PyModule &self) { return printOperation(*self.module, false, false); })
      .def(
          "print",
          [](PyModule &self, bool debugInfo, bool generic) { return printOperation(*self.module, debugInfo, generic); },
          py::arg("debug_info") = false, py::arg("generic") = false);
}

} // namespace

void bindIR(py::module_ &module) {
  bindTypes(module);
  bindContext(module);
  bindValues(module);
  bindOperations(module);
  bindModule(module);
}

} // namespace tilewright::bindings
