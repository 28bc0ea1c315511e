// The memory of the code that is linked into this process.
//
// Linux limits the number of a process's mappings (vm.max_map_count, 65530 by default), and adjacent pages with the
// same protection are one mapping. Therefore code is placed in slabs, which have one part per protection:
//
//   slab | code code code ........ | constants ................ | data data ............... |
//        | r-x            ---      | r--       ---              | rw-       ---             |
//
// A slab takes at most six mappings, and two more while code is copied into it, regardless of the number of kernels.
// Freed pages keep their protection, because a mapping with holes would be several; their memory is returned to the
// system. Pages are private, so that a process that forks and its child free and reuse them independently.

#ifndef TILEWRIGHT_LIB_TARGET_HOST_CODEMEMORY_H
#define TILEWRIGHT_LIB_TARGET_HOST_CODEMEMORY_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"

#include <array>
#include <mutex>
#include <optional>
#include <vector>

namespace tilewright::host {

/// The pages of one part of a slab. Giving pages back allocates no memory, because destructors do it.
class FreePages {
public:
  explicit FreePages(size_t count) : used(count) {}

  /// The first page of `count` contiguous pages, which are then in use; none if there are not that many.
  std::optional<size_t> take(size_t count);
  void giveBack(size_t first, size_t count);

private:
  llvm::BitVector used;
};

class CodeMemory final : public llvm::jitlink::JITLinkMemoryManager {
public:
  /// The one of this process. It is never destroyed, because kernels may run until the process exits.
  static CodeMemory &instance();

  void allocate(const llvm::jitlink::JITLinkDylib *library, llvm::jitlink::LinkGraph &graph,
                OnAllocatedFunction onAllocated) override;
  void deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction onDeallocated) override;
  /// The same for one allocation, without allocating memory.
  void free(FinalizedAlloc allocation);

private:
  enum Part { Code, Constants, Data, kParts };

  struct Slab {
    char *base;
    size_t pagesPerPart;
    std::array<FreePages, kParts> free;
  };

  /// Contiguous pages in one part of a slab.
  struct Pages {
    Slab *slab;
    Part part;
    size_t first, count;
  };

  class Allocation;

  CodeMemory();
  static llvm::Expected<Part> partOf(llvm::orc::MemProt protection);
  char *addressOf(const Pages &pages) const;
  llvm::Error protect(const Pages &pages, int protection) const;
  /// Reserves the pages of one object file, which are all in one slab, so that relative addresses reach.
  llvm::Expected<std::vector<Pages>> take(llvm::ArrayRef<std::pair<Part, size_t>> counts);
  std::optional<std::vector<Pages>> takeFrom(Slab &slab, llvm::ArrayRef<std::pair<Part, size_t>> counts);
  llvm::Expected<Slab *> addSlab(size_t pagesPerPart);
  /// Returns the pages' memory to the system, and the pages to their slabs.
  void giveBack(llvm::ArrayRef<Pages> pages);

  const size_t pageBytes;
  std::mutex mutex; // of the slabs; held across fork()
  std::vector<std::unique_ptr<Slab>> slabs;
};

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_CODEMEMORY_H
