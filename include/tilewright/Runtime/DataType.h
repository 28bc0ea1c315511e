// The element and scalar types of kernel arguments, with their names in the language.

#ifndef TILEWRIGHT_RUNTIME_DATATYPE_H
#define TILEWRIGHT_RUNTIME_DATATYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::runtime {

enum class DataType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  FP8E4NV,
  FP8E5,
  FP8E4B8,
  FP8E5B16,
  FP8E4B15,
  FP16,
  BF16,
  FP32,
  FP64
};

/// Triton's short name: "fp32", "i64", "fp8e4nv".
std::string_view nameOf(DataType type);
/// The size in memory; a bool takes one byte.
unsigned bytesOf(DataType type);
bool isInteger(DataType type);
bool isSigned(DataType type);

/// The type with this name in Triton ("fp16", "u1"), or in PyTorch or NumPy ("float16", "torch.float16").
std::optional<DataType> dataTypeFromName(std::string_view name);
/// The type with DLPack's (code, bits) and one lane.
std::optional<DataType> dataTypeFromDLPack(unsigned code, unsigned bits);
/// The type with the array interface's kind ('f', 'i', 'u', 'b') and size in bytes.
std::optional<DataType> dataTypeFromArrayKind(char kind, unsigned bytes);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DATATYPE_H
