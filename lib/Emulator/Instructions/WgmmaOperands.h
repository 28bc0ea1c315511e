// Reads the operands of a wgmma from shared memory and registers.

#ifndef TILEWRIGHT_EMULATOR_INSTRUCTIONS_WGMMAOPERANDS_H
#define TILEWRIGHT_EMULATOR_INSTRUCTIONS_WGMMAOPERANDS_H

#include "MmaFragments.h"
#include "SharedMatrix.h"

#include "tilewright/Emulator/Wgmma.h"

namespace tilewright::emulator {

/// Rows of A, or columns of B: the bits of their elements along K.
struct WgmmaTile {
  uint32_t bits[kMostM][kMostK];
};

/// The part of one warp in a wgmma: 16 rows of A and of the accumulators, and all of B.
class WgmmaPart {
public:
  /// `shape` has the sizes of the part of A.
  WgmmaPart(const WarpCall &call, const MmaShape &shape) : call(call), shape(shape), in(call.in[0]) {}

  int n() const { return static_cast<int>(in[wgmma::kN]); }
  bool is(wgmma::Form form) const { return (in[wgmma::kForm] & form) != 0; }
  /// Whether the accumulators are added to the product.
  bool accumulates() const { return in[wgmma::kScaleD] & 1; }

  WgmmaTile readA() const;
  /// The eight columns from `column` on.
  WgmmaTile readB(int column) const;

  SharedMatrix matrixA() const { return {in[wgmma::kA], is(wgmma::kTransposedA), elementBytes()}; }
  SharedMatrix matrixB() const { return {in[wgmma::kB], is(wgmma::kTransposedB), elementBytes()}; }
  /// The warp's first row of A.
  int firstRow() const { return static_cast<int>(call.warp->index % 4) * shape.m; }

private:
  int elementBytes() const { return 4 / shape.perWord; }
  WgmmaTile readRegisters() const;
  void readShared(const SharedMatrix &matrix, int first, int count, WgmmaTile &tile) const;
  bool readChunk(uint64_t address, unsigned char (&bytes)[SharedMatrix::kChunkBytes]) const;

  const WarpCall &call;
  const MmaShape shape;
  const uint64_t *in; // the first lane's, which has what all lanes have in common
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_INSTRUCTIONS_WGMMAOPERANDS_H
