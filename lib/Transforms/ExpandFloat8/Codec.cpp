#include "Codec.h"

#include "tilewright/Dialect/Thread/IR/Thread.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;

namespace {
/// An 8-bit float has a sign, an exponent and a mantissa: its value is 1.mantissa * 2^(exponent - bias).
struct Format {
  int mantissaBits, bias;
  double largest;
  int64_t nan;       ///< without the sign bit
  bool unsignedZero; ///< the bits of -0 are the NaN
};
} // namespace

static constexpr int kSingleMantissaBits = 23, kSingleBias = 127;

static Format formatOf(Type type) {
  if (isa<Float8E5M2Type>(type)) {
    return {2, 15, 57344, 0x7f, false};
  }
  if (isa<Float8E4M3FNType>(type)) {
    return {3, 7, 448, 0x7f, false};
  }
  return isa<Float8E5M2FNUZType>(type) ? Format{2, 16, 57344, 0x80, true} : Format{3, 8, 240, 0x80, true};
}

/// The target's conversion instruction; null if there is none.
static const hardware::PairConversion *pairConversionOf(Type format, const hardware::GpuInfo *info) {
  std::optional<hardware::ElementType> type = thread::pairElementOf(format);
  if (info && type) {
    for (const hardware::PairConversion *row : info->pairConversions) {
      if (row->narrow == *type) {
        return row;
      }
    }
  }
  return nullptr;
}

bool tilewright::isFloat8(Type type) {
  return isa<Float8E5M2Type, Float8E4M3FNType, Float8E5M2FNUZType, Float8E4M3FNUZType>(getElementTypeOrSelf(type));
}

Float8Codec::Float8Codec(ImplicitLocOpBuilder &builder, Type format, const hardware::GpuInfo *info)
    : b(builder), format(getElementTypeOrSelf(format)), instruction(pairConversionOf(this->format, info)) {}

static Value widen(ImplicitLocOpBuilder &b, Value x, Type type) {
  return x.getType() == type ? x : arith::ExtFOp::create(b, type, x).getResult();
}

Value Float8Codec::decode(Value bits, Type element) {
  MathBuilder m(b, bits.getType());
  Type half = m.shaped(b.getF16Type());
  Value x;
  bool isUpperByte = isa<Float8E5M2Type>(format); // of an f16
  bool extendsToHalf = instruction && instruction->wide == hardware::ElementType::F16;
  if (instruction && (extendsToHalf || !(isUpperByte && element.isF16()))) {
    x = decodeInPairs(bits);
  } else if (isUpperByte) {
    Value word = m.shl(arith::ExtUIOp::create(b, m.shaped(b.getI16Type()), bits), 8);
    x = arith::BitcastOp::create(b, half, word);
  } else {
    x = decodeToSingle(m, bits);
  }
  if (element.isBF16() || (element.isF16() && x.getType() != half)) {
    return arith::TruncFOp::create(b, m.shaped(element), widen(b, x, m.f32()));
  }
  return widen(b, x, m.shaped(element));
}

/// The exponent and mantissa, moved to those of an f32, give the value up to a power of two, which is exact for
/// denormals too.
Value Float8Codec::decodeToSingle(MathBuilder &m, Value bits) {
  Format f = formatOf(format);
  Value word = arith::ExtUIOp::create(b, m.i32(), bits), code = m.iand(word, m.i(0x7f));
  Value size = m.asFloat(m.shl(code, kSingleMantissaBits - f.mantissaBits));
  size = m.mul(size, m.f(std::ldexp(1.0, kSingleBias - f.bias)));
  Value sign = m.shl(m.iand(word, m.i(0x80)), 24);
  Value x = m.asFloat(m.ior(m.bits(size), sign));
  Value isNaN = m.compare(arith::CmpIPredicate::eq, f.unsignedZero ? word : code, m.i(f.nan));
  return m.select(isNaN, m.f(std::nan("")), x);
}

/// Rounds f64 to f32 to odd, so that rounding the result once more is the same as rounding the f64 once: truncates, and
/// sets the last bit if the result is inexact.
static Value roundToOdd(MathBuilder &m, Value x) {
  Value nearest = m.narrow(x), back = m.widen(nearest), bits = m.bits(nearest);
  Value tooLarge = m.less(m.abs(x), m.abs(back));
  Value cut = m.select(tooLarge, m.isub(bits, m.i(1)), bits);
  Value differs = m.compare(arith::CmpFPredicate::ONE, back, x);
  return m.asFloat(m.select(differs, m.ior(cut, m.i(1)), cut));
}

Value Float8Codec::encode(Value x) {
  MathBuilder m(b, x.getType());
  bool isDouble = getElementTypeOrSelf(x.getType()).isF64();
  Value single = isDouble ? roundToOdd(m, x) : widen(b, x, m.f32());
  return instruction ? encodeInPairs(single) : encodeSingle(m, single);
}

Value Float8Codec::encodeSingle(MathBuilder &m, Value x) {
  Format f = formatOf(format);
  int dropped = kSingleMantissaBits - f.mantissaBits;
  Value size = m.atMost(m.abs(x), m.f(f.largest)), bits = m.bits(size);
  // Normal numbers: add half a unit in the last place, minus one bit if the last place is even.
  Value even = m.iand(m.lshr(bits, dropped), m.i(1));
  Value rounded = m.iadd(m.iadd(bits, m.i((int64_t(1) << (dropped - 1)) - 1)), even);
  Value normal = m.isub(m.lshr(rounded, dropped), m.i(int64_t(kSingleBias - f.bias) << f.mantissaBits));
  // Denormal numbers: adding a float whose last place is that of the result rounds to it.
  double smallestNormal = std::ldexp(1.0, 1 - f.bias), aligner = std::ldexp(smallestNormal, dropped);
  Value denormal = m.isub(m.bits(m.add(size, m.f(aligner))), m.bits(m.f(aligner)));
  Value code = m.select(m.less(size, m.f(smallestNormal)), denormal, normal);
  Value sign = m.iand(m.lshr(m.bits(x), 24), m.i(0x80));
  if (f.unsignedZero) {
    sign = m.select(m.compare(arith::CmpIPredicate::eq, code, m.i(0)), m.i(0), sign);
  }
  Value isNaN = m.compare(arith::CmpFPredicate::UNO, x, x);
  code = m.select(isNaN, m.i(f.nan), m.ior(code, sign));
  return arith::TruncIOp::create(b, m.shaped(b.getI8Type()), code);
}

//===----------------------------------------------------------------------===//
// Conversion instructions
//===----------------------------------------------------------------------===//

/// Applies `convert`, which converts up to `pairs` pairs of elements to a vector, to a scalar or the elements of a
/// vector. Elements at the end that do not fill a pair, or all pairs but one, are converted more than once.
static Value inPairs(ImplicitLocOpBuilder &b, Value value, int64_t pairs,
                     llvm::function_ref<Value(ArrayRef<Value>)> convert) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type) {
    return vector::ExtractOp::create(b, convert({value, value}), 0);
  }
  SmallVector<Value> results;
  for (int64_t i = 0, size = type.getNumElements(); i < size; i += 2 * pairs) {
    int64_t taken = size - i > 2 ? 2 * pairs : 2;
    SmallVector<Value> elements;
    for (int64_t k = i; k < i + taken; ++k) {
      elements.push_back(k < size ? vector::ExtractOp::create(b, value, k).getResult() : elements.back());
    }
    Value converted = convert(elements);
    for (int64_t k = 0; k < std::min(taken, size - i); ++k) {
      results.push_back(vector::ExtractOp::create(b, converted, k));
    }
  }
  return vector::FromElementsOp::create(b, type.clone(results.front().getType()), results);
}

Value Float8Codec::decodeInPairs(Value bits) {
  bool toHalf = instruction->wide == hardware::ElementType::F16;
  Type wide = toHalf ? b.getF16Type() : b.getF32Type();
  return inPairs(b, bits, instruction->pairs, [&](ArrayRef<Value> elements) -> Value {
    auto count = static_cast<int64_t>(elements.size());
    Value bytes = vector::FromElementsOp::create(b, VectorType::get(count, b.getI8Type()), elements);
    return thread::ExtendPairsOp::create(b, VectorType::get(count, wide), bytes, format);
  });
}

Value Float8Codec::encodeInPairs(Value x) {
  return inPairs(b, x, instruction->pairs, [&](ArrayRef<Value> elements) -> Value {
    auto bytes = VectorType::get(static_cast<int64_t>(elements.size()), b.getI8Type());
    return thread::TruncatePairsOp::create(b, bytes, elements, format);
  });
}
