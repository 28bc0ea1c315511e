// tanh and erf in double precision; see Sigmoidal.cpp.

#include "Expansions.h"

using namespace mlir;
using namespace tilewright;

namespace {
// (tanh(x) - x) / x^3 in x^2.
// On [0.0, 0.36], error 2^-55.0.
constexpr double kTanhDouble[] = {-0.33333333333333326,   0.13333333333330197,    -0.053968253964757622,
                                  0.02186948838378093,    -0.0088632321135414735, 0.0035920831663434575,
                                  -0.001455464802800745,  0.0005880541548418729,  -0.0002322510406793851,
                                  8.1547378065253647e-05, -1.833596211003942e-05};

// (erf(x) - 2 x / sqrt(pi)) / x^3 in x^2.
// On [0.0, 1.0], error 2^-55.3.
constexpr double kErfDouble[] = {-0.37612638903183754,    0.11283791670955125,     -0.026866170645131082,
                                 0.0052239776254384687,   -0.00085483270230246957, 0.00012055332952700439,
                                 -1.4925649082364785e-05, 1.6462076794793434e-06,  -1.6365085592632062e-07,
                                 1.4796618901290416e-08,  -1.219035624032117e-09,  8.8006800904602032e-11,
                                 -4.374621450325064e-12};

// log(1 - erf(x)) / x in (x - kMiddle) / kHalf, which takes [1, 5.93] to [-1, 1].
// On [-1.0, 1.0], error 2^-54.6.
constexpr double kErfTailDouble[] = {
    -3.9998002781178923,     -2.2755158068805033,     -0.075523584705751129,   0.030602278845275683,
    -0.012181578538244083,   0.0046599866628396205,   -0.0016732296879033326,  0.00054284233392523792,
    -0.00014559000057833151, 2.2037280298583961e-05,  7.8143118140813335e-06,  -1.004640880189123e-05,
    6.5689079975314149e-06,  -3.401897109675665e-06,  1.5090030366139709e-06,  -5.821642935735245e-07,
    1.8123098605147794e-07,  -2.3589387128420427e-08, -1.4078959826980448e-08, 5.682584619182178e-09,
    -4.3498082740845664e-09, 9.2108875638235813e-09,  -5.2363377492891233e-09, 4.9878561608591625e-11,
    4.53986602293734e-10};
constexpr double kMiddle = 3.465, kHalf = 2.465;

constexpr double kTwoByRootPiHigh = 1.1283791670955126;
constexpr double kTwoByRootPiLow = 1.533545961316588e-17;
} // namespace

Value tilewright::expandTanhDouble(MathBuilder &m, Operands x) {
  Value size = m.abs(x[0]);
  Value bounded = m.atMost(size, m.d(19.1)); // 1 - tanh(19.1) is below half an ulp
  Value e = expOfModerateDouble(m, m.add(bounded, bounded));
  Value far = m.sub(m.d(1.0), m.div(m.d(2.0), m.add(e, m.d(1.0))));
  Value z = m.mul(size, size);
  Value near = m.fma(m.mul(size, z), m.polynomial(z, kTanhDouble), size);
  return m.copysign(m.select(m.less(size, m.d(0.6)), near, far), x[0]);
}

Value tilewright::expandErfDouble(MathBuilder &m, Operands x) {
  Value size = m.abs(x[0]);
  Value bounded = m.atMost(size, m.d(5.93)); // 1 - erf(5.93) is below half an ulp
  Value t = m.fma(bounded, m.d(1 / kHalf), m.d(-kMiddle / kHalf));
  Value tail = expOfModerateDouble(m, m.mul(bounded, m.polynomial(t, kErfTailDouble)));
  Value far = m.sub(m.d(1.0), tail);
  Value z = m.mul(size, size);
  Value cubic = m.mul(m.mul(size, z), m.polynomial(z, kErfDouble));
  Value near = m.fma(size, m.d(kTwoByRootPiHigh), m.fma(size, m.d(kTwoByRootPiLow), cubic));
  return m.copysign(m.select(m.less(size, m.d(1.0)), near, far), x[0]);
}
