// tanh and erf: an odd polynomial near zero, one minus an exponential elsewhere.

#include "Expansions.h"

using namespace mlir;
using namespace tilewright;

namespace {
// (tanh(x) - x) / x^3 in x^2.
// On [0, 0.36], error 2^-28.4.
constexpr double kTanh[] = {-0.333332986, 0.133319363, -0.0537847169, 0.0207986254, -0.00589796668};

// (erf(x) - 2 x / sqrt(pi)) / x^3 in x^2.
// On [0, 0.81], error 2^-30.9.
constexpr double kErf[] = {-0.376126349, 0.112837031, -0.0268595889, 0.00520120049, -0.000814254105, 8.36368999e-05};

// log(1 - erf(x)) / x.
// On [0.9, 4], error 2^-30.1.
constexpr double kErfTail[] = {-1.12863708,    -0.635198057,   -0.106158964,   0.0236944444,
                               -0.00361025869, 0.000314830831, -1.04296951e-05};

constexpr double kTwoByRootPiHigh = 1.128379225730896;
constexpr double kTwoByRootPiLow = -5.8635382771399236e-08;
} // namespace

/// tanh(x) = 1 - 2 / (exp(2 x) + 1), which is inaccurate only near zero, where the polynomial is used.
Value tilewright::expandTanh(MathBuilder &m, Operands x) {
  Value size = m.abs(x[0]);
  Value bounded = m.atMost(size, m.f(9.25)); // 1 - tanh(9.25) is below half an ulp
  Value e = expOfModerate(m, m.add(bounded, bounded));
  Value far = m.sub(m.f(1.0), m.div(m.f(2.0), m.add(e, m.f(1.0))));
  Value z = m.mul(size, size);
  Value near = m.fma(m.mul(size, z), m.polynomial(z, kTanh), size);
  return m.copysign(m.select(m.less(size, m.f(0.6)), near, far), x[0]);
}

Value tilewright::expandErf(MathBuilder &m, Operands x) {
  Value size = m.abs(x[0]);
  Value bounded = m.atMost(size, m.f(4.0)); // 1 - erf(4) is below half an ulp
  Value tail = expOfModerate(m, m.mul(bounded, m.polynomial(bounded, kErfTail)));
  Value far = m.sub(m.f(1.0), tail);
  Value z = m.mul(size, size);
  Value cubic = m.mul(m.mul(size, z), m.polynomial(z, kErf));
  Value near = m.fma(size, m.f(kTwoByRootPiHigh), m.fma(size, m.f(kTwoByRootPiLow), cubic));
  return m.copysign(m.select(m.less(size, m.f(0.9)), near, far), x[0]);
}
