#include "tilewright/Runtime/DataType.h"

namespace tilewright::runtime {

namespace {

constexpr uint8_t DLInt = 0, DLUInt = 1, DLFloat = 2, DLBfloat = 4, DLBool = 6, DLFloat8E4M3FN = 10,
                  DLFloat8E4M3FNUZ = 11, DLFloat8E5M2 = 12, DLFloat8E5M2FNUZ = 13, kNotInDLPack = 255;

struct Row {
  DataType type;
  std::string_view name;
  std::string_view longName;
  uint8_t bytes;
  uint8_t dlpackCode;
  char arrayKind;
};

// In the order of the enumeration.
constexpr Row rows[] = {
    {DataType::I1, "i1", "bool", 1, DLBool, 'b'},
    {DataType::I8, "i8", "int8", 1, DLInt, 'i'},
    {DataType::I16, "i16", "int16", 2, DLInt, 'i'},
    {DataType::I32, "i32", "int32", 4, DLInt, 'i'},
    {DataType::I64, "i64", "int64", 8, DLInt, 'i'},
    {DataType::U8, "u8", "uint8", 1, DLUInt, 'u'},
    {DataType::U16, "u16", "uint16", 2, DLUInt, 'u'},
    {DataType::U32, "u32", "uint32", 4, DLUInt, 'u'},
    {DataType::U64, "u64", "uint64", 8, DLUInt, 'u'},
    {DataType::FP8E4NV, "fp8e4nv", "float8_e4m3fn", 1, DLFloat8E4M3FN, 0},
    {DataType::FP8E5, "fp8e5", "float8_e5m2", 1, DLFloat8E5M2, 0},
    {DataType::FP8E4B8, "fp8e4b8", "float8_e4m3fnuz", 1, DLFloat8E4M3FNUZ, 0},
    {DataType::FP8E5B16, "fp8e5b16", "float8_e5m2fnuz", 1, DLFloat8E5M2FNUZ, 0},
    {DataType::FP8E4B15, "fp8e4b15", "float8e4b15", 1, kNotInDLPack, 0},
    {DataType::FP16, "fp16", "float16", 2, DLFloat, 'f'},
    {DataType::BF16, "bf16", "bfloat16", 2, DLBfloat, 0},
    {DataType::FP32, "fp32", "float32", 4, DLFloat, 'f'},
    {DataType::FP64, "fp64", "float64", 8, DLFloat, 'f'},
};

const Row &rowOf(DataType type) { return rows[static_cast<unsigned>(type)]; }

} // namespace

std::string_view nameOf(DataType type) { return rowOf(type).name; }

unsigned bytesOf(DataType type) { return rowOf(type).bytes; }

bool isInteger(DataType type) { return type <= DataType::U64; }

bool isSigned(DataType type) { return type >= DataType::I8 && type <= DataType::I64; }

std::optional<DataType> dataTypeFromName(std::string_view name) {
  // "torch.float32", "tl.float32": the last component names the type.
  if (size_t dot = name.rfind('.'); dot != std::string_view::npos) {
    name.remove_prefix(dot + 1);
  }
  if (name == "u1" || name == "int1") {
    return DataType::I1;
  }
  // The language's long names of 8-bit floats, such as "float8e5".
  std::string_view afterFloat8 = name.substr(0, 6) == "float8" ? name.substr(6) : std::string_view();
  for (const Row &row : rows) {
    bool isFloat8 = !afterFloat8.empty() && row.name.substr(0, 3) == "fp8" && row.name.substr(3) == afterFloat8;
    if (name == row.name || name == row.longName || isFloat8) {
      return row.type;
    }
  }
  return std::nullopt;
}

std::optional<DataType> dataTypeFromDLPack(unsigned code, unsigned bits) {
  for (const Row &row : rows) {
    if (row.dlpackCode == code && row.dlpackCode != kNotInDLPack && row.bytes * 8u == bits) {
      return row.type;
    }
  }
  return std::nullopt;
}

std::optional<DataType> dataTypeFromArrayKind(char kind, unsigned bytes) {
  for (const Row &row : rows) {
    if (row.arrayKind && row.arrayKind == kind && row.bytes == bytes) {
      return row.type;
    }
  }
  return std::nullopt;
}

} // namespace tilewright::runtime
