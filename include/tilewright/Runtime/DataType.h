// The element and scalar types that a kernel's argument can have, with the
// names that the language gives them.

#ifndef TILEWRIGHT_RUNTIME_DATATYPE_H
#define TILEWRIGHT_RUNTIME_DATATYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::runtime {

enum class DataType : uint8_t { I1, I8, I16, I32, I64, U8, U16, U32, U64, FP8E4NV, FP8E5, FP16, BF16, FP32, FP64 };

/// Triton's short name: "fp32", "i64", "fp8e4nv".
std::string_view nameOf(DataType type);
/// Bytes in memory; a bool takes one.
unsigned bytesOf(DataType type);
bool isInteger(DataType type);
bool isSigned(DataType type);

/// The type of a name as it is spelt by Triton ("fp16", "u1"), by PyTorch or NumPy ("float16", "torch.float16").
std::optional<DataType> dataTypeFromName(std::string_view name);
/// The type of DLPack's (code, bits) with one lane.
std::optional<DataType> dataTypeFromDLPack(unsigned code, unsigned bits);
/// The type of the array interface's kind ('f', 'i', 'u', 'b') and size in bytes.
std::optional<DataType> dataTypeFromArrayKind(char kind, unsigned bytes);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DATATYPE_H
