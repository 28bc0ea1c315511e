#include "tilewright/Hardware/Gpu.h"

#include "tilewright/Hardware/Amd.h"
#include "tilewright/Hardware/Nvidia.h"
#include "tilewright/Hardware/Rates.h"

#include <map>

namespace tilewright::hardware {

int bitsOf(ElementType type) {
  using T = ElementType;
  switch (type) {
  case T::S8:
  case T::U8:
  case T::E4M3:
  case T::E5M2:
  case T::E4M3FNUZ:
  case T::E5M2FNUZ:
    return 8;
  case T::F16:
  case T::BF16:
  case T::S16:
    return 16;
  case T::TF32:
  case T::F32:
  case T::S32:
    return 32;
  case T::F64:
  case T::S64:
    return 64;
  }
  return 0;
}

std::string_view nameOf(ElementType type) {
  static constexpr std::string_view names[] = {"f16", "bf16", "tf32", "f32",      "f64",      "s8",  "u8",
                                               "s32", "e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "s16", "s64"};
  return names[static_cast<int>(type)];
}

const std::vector<GpuInfo> &gpus() {
  static const std::vector<GpuInfo> all = [] {
    std::vector<GpuInfo> rows = nvidiaGpus();
    rows.insert(rows.end(), amdGpus().begin(), amdGpus().end());
    return rows;
  }();
  return all;
}

const GpuInfo *lookupGpu(std::string_view name) {
  if (const NvidiaInfo *nvidia = lookupNvidia(name)) {
    return &gpus()[nvidia - nvidiaTargets().data()];
  }
  const AmdInfo *amd = lookupAmd(name);
  return amd ? &gpus()[nvidiaGpus().size() + (amd - amdTargets().data())] : nullptr;
}

const GpuRates *lookupRates(std::string_view target) {
  for (const std::vector<GpuRates> *table : {&nvidiaRates(), &amdRates()}) {
    for (const GpuRates &row : *table) {
      if (row.target == target) {
        return &row;
      }
    }
  }
  return nullptr;
}

const MmaInstruction *lookupMma(std::string_view name) {
  static const std::map<std::string_view, const MmaInstruction *> byName = [] {
    std::map<std::string_view, const MmaInstruction *> rows;
    for (const GpuInfo &gpu : gpus()) {
      for (const MmaInstruction *row : gpu.mma) {
        rows[row->name] = row;
      }
    }
    return rows;
  }();
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

const GroupMmaInstruction *lookupGroupMma(std::string_view name) {
  for (const GpuInfo &gpu : gpus()) {
    for (const GroupMmaInstruction *row : gpu.groupMma) {
      if (row->name() == name) {
        return row;
      }
    }
  }
  return nullptr;
}

const MatrixMove *lookupMatrixMove(bool isStore, std::string_view name) {
  for (const GpuInfo &gpu : gpus()) {
    for (const MatrixMove *move : gpu.matrixMoves) {
      if (move->isStore == isStore && move->name() == name) {
        return move;
      }
    }
  }
  return nullptr;
}

} // namespace tilewright::hardware
