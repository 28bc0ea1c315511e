#include "tilewright/Dialect/TileGPU/IR/TensorMaps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::tilegpu {

//===----------------------------------------------------------------------===//
// From attributes to the runtime's description
//===----------------------------------------------------------------------===//

/// The sign of integers does not matter to a copy.
static std::optional<runtime::DataType> dataTypeOf(Type type) {
  using runtime::DataType;
  using Result = std::optional<DataType>;
  return llvm::TypeSwitch<Type, Result>(type)
      .Case([](Float8E4M3FNType) { return DataType::FP8E4NV; })
      .Case([](Float8E5M2Type) { return DataType::FP8E5; })
      .Case([](Float8E4M3FNUZType) { return DataType::FP8E4B8; })
      .Case([](Float8E5M2FNUZType) { return DataType::FP8E5B16; })
      .Case([](Float16Type) { return DataType::FP16; })
      .Case([](BFloat16Type) { return DataType::BF16; })
      .Case([](Float32Type) { return DataType::FP32; })
      .Case([](Float64Type) { return DataType::FP64; })
      .Case([](IntegerType integer) -> Result {
        switch (integer.getWidth()) {
        case 1:
          return DataType::I1;
        case 8:
          return DataType::I8;
        case 16:
          return DataType::I16;
        case 32:
          return DataType::I32;
        case 64:
          return DataType::I64;
        default:
          return std::nullopt;
        }
      })
      .Default([](Type) { return std::nullopt; });
}

/// Requires a valid attribute.
static runtime::TensorMapParameter describe(TensorMapAttr attr) {
  runtime::TensorMapParameter map;
  map.type = *dataTypeOf(attr.getElementType());
  map.rank = static_cast<unsigned>(attr.getExtents().size());
  map.slot = attr.getSlot();
  map.offset = attr.getOffset();
  map.swizzle = static_cast<runtime::BoxSwizzle>(attr.getSwizzle());
  map.fill = attr.getNanFill() ? runtime::BoxFill::NaN : runtime::BoxFill::Zeros;
  for (unsigned i = 0; i < map.rank; ++i) {
    map.extents[i] = attr.getExtents()[i];
    map.strides[i] = i == 0 ? 0 : attr.getStrides()[i - 1];
    map.box[i] = static_cast<uint32_t>(attr.getBox()[i]);
  }
  return map;
}

static std::optional<runtime::LaunchConditions> stepsOf(Operation *kernel) {
  auto words = kernel->getAttrOfType<DenseI64ArrayAttr>(TileGPUDialect::kTensorMapStepsAttr);
  return words ? runtime::LaunchConditions::decode(words.asArrayRef().data(), words.size()) : std::nullopt;
}

runtime::TensorMapParameters tensorMapsOf(Operation *kernel) {
  auto attrs = kernel->getAttrOfType<ArrayAttr>(TileGPUDialect::kTensorMapsAttr);
  if (!attrs) {
    return {};
  }
  std::vector<runtime::TensorMapParameter> maps;
  for (TensorMapAttr attr : attrs.getAsRange<TensorMapAttr>()) {
    maps.push_back(describe(attr));
  }
  return {*stepsOf(kernel), std::move(maps)};
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type elementType, int64_t,
                                    ArrayRef<int64_t> extents, ArrayRef<int64_t> strides, ArrayRef<int64_t> box,
                                    int64_t swizzle, int64_t, bool) {
  if (!dataTypeOf(elementType)) {
    return emitError() << "a tensor map can't have elements of type " << elementType;
  }
  size_t rank = extents.size();
  if (rank < 1 || rank > runtime::TensorMap::kMaxRank || box.size() != rank || strides.size() != rank - 1) {
    return emitError() << "a tensor map has from 1 to 5 dimensions, each with an extent and the box's extent, and a "
                          "stride of each but the first; found "
                       << rank << " extents, " << box.size() << " extents of the box and " << strides.size()
                       << " strides";
  }
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128) {
    return emitError() << "a swizzle is one of 0, 32, 64 and 128 bytes, not " << swizzle;
  }
  // `verifyTensorMaps` checks the rest by the runtime's description, in which a box's extents have 32 bits.
  bool fits = llvm::all_of(box, [](int64_t extent) { return extent > 0 && llvm::isUInt<32>(extent); });
  return fits ? success() : LogicalResult(emitError() << "the extents of a box must be positive, and below 2^32");
}

/// The maps are the last arguments, and slots describe the others.
static LogicalResult verifyArguments(Operation *kernel, size_t maps) {
  auto function = dyn_cast<FunctionOpInterface>(kernel);
  if (!function || function.getNumArguments() < maps) {
    return kernel->emitOpError("has ") << maps << " tensor maps, but fewer arguments";
  }
  auto slots = kernel->getAttrOfType<DenseI32ArrayAttr>(TileGPUDialect::kSlotsAttr);
  if (slots && static_cast<size_t>(slots.size()) + maps != function.getNumArguments()) {
    return kernel->emitOpError("has ") << function.getNumArguments() << " arguments, but " << slots.size()
                                       << " slots and " << maps << " tensor maps";
  }
  return success();
}

LogicalResult verifyTensorMaps(Operation *kernel) {
  auto attrs = kernel->getAttrOfType<ArrayAttr>(TileGPUDialect::kTensorMapsAttr);
  if (!attrs || attrs.empty() || !llvm::all_of(attrs, llvm::IsaPred<TensorMapAttr>)) {
    return kernel->emitOpError("needs #tilegpu.tensor_map attributes in ") << TileGPUDialect::kTensorMapsAttr;
  }
  if (!stepsOf(kernel)) {
    return kernel->emitOpError("needs the steps of its tensor maps in ") << TileGPUDialect::kTensorMapStepsAttr;
  }
  if (auto problem = tensorMapsOf(kernel).problem()) {
    return kernel->emitOpError() << *problem;
  }
  return verifyArguments(kernel, attrs.size());
}

} // namespace tilewright::tilegpu
