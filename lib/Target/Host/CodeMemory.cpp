#include "CodeMemory.h"

#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/Process.h"

#include <cerrno>
#include <pthread.h>
#include <sys/mman.h>

using namespace llvm;

namespace tilewright::host {

/// A part of a slab has 16 MiB: room for some 2,000 kernels, within the reach of a branch on every processor.
static constexpr size_t kPartBytes = 16 << 20;

static Error outOfMemory(int code) {
  return createStringError(std::error_code(code, std::generic_category()), "no memory for code");
}

//===----------------------------------------------------------------------===//
// Free pages
//===----------------------------------------------------------------------===//

std::optional<size_t> FreePages::take(size_t count) {
  for (int begin = used.find_first_unset(); begin >= 0;) {
    int next = used.find_next(begin);
    size_t end = next < 0 ? used.size() : next;
    if (end - begin >= count) {
      used.set(begin, begin + count);
      return begin;
    }
    begin = next < 0 ? -1 : used.find_next_unset(next);
  }
  return std::nullopt;
}

void FreePages::giveBack(size_t first, size_t count) { used.reset(first, first + count); }

//===----------------------------------------------------------------------===//
// Slabs
//===----------------------------------------------------------------------===//

CodeMemory::CodeMemory() : pageBytes(sys::Process::getPageSizeEstimate()) {
  // A child has only the thread that forked; no other thread may hold the mutex then.
  pthread_atfork([] { instance().mutex.lock(); }, [] { instance().mutex.unlock(); }, [] { instance().mutex.unlock(); });
}

CodeMemory &CodeMemory::instance() {
  static CodeMemory &memory = *new CodeMemory;
  return memory;
}

Expected<CodeMemory::Part> CodeMemory::partOf(orc::MemProt protection) {
  bool writes = (protection & orc::MemProt::Write) != orc::MemProt::None;
  bool executes = (protection & orc::MemProt::Exec) != orc::MemProt::None;
  if (writes && executes) {
    return createStringError("the object file has a section that is writable and executable");
  }
  return executes ? Code : writes ? Data : Constants;
}

char *CodeMemory::addressOf(const Pages &pages) const {
  return pages.slab->base + (pages.part * pages.slab->pagesPerPart + pages.first) * pageBytes;
}

Error CodeMemory::protect(const Pages &pages, int protection) const {
  return mprotect(addressOf(pages), pages.count * pageBytes, protection) == 0 ? Error::success() : outOfMemory(errno);
}

Expected<CodeMemory::Slab *> CodeMemory::addSlab(size_t pagesPerPart) {
  void *base =
      mmap(nullptr, kParts * pagesPerPart * pageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    return outOfMemory(errno);
  }
  FreePages all(pagesPerPart);
  slabs.push_back(std::make_unique<Slab>(Slab{static_cast<char *>(base), pagesPerPart, {all, all, all}}));
  return slabs.back().get();
}

std::optional<std::vector<CodeMemory::Pages>> CodeMemory::takeFrom(Slab &slab,
                                                                   ArrayRef<std::pair<Part, size_t>> counts) {
  std::vector<Pages> taken;
  for (auto [part, count] : counts) {
    std::optional<size_t> first = slab.free[part].take(count);
    if (!first) {
      for (const Pages &pages : taken) {
        slab.free[pages.part].giveBack(pages.first, pages.count);
      }
      return std::nullopt;
    }
    taken.push_back({&slab, part, *first, count});
  }
  return taken;
}

Expected<std::vector<CodeMemory::Pages>> CodeMemory::take(ArrayRef<std::pair<Part, size_t>> counts) {
  std::lock_guard lock(mutex);
  for (std::unique_ptr<Slab> &slab : slabs) {
    if (auto taken = takeFrom(*slab, counts)) {
      return std::move(*taken);
    }
  }
  size_t total = 0;
  for (auto [part, count] : counts) {
    total += count;
  }
  Expected<Slab *> slab = addSlab(std::max(kPartBytes / pageBytes, total));
  if (!slab) {
    return slab.takeError();
  }
  return std::move(*takeFrom(**slab, counts));
}

void CodeMemory::giveBack(ArrayRef<Pages> taken) {
  for (const Pages &pages : taken) {
    madvise(addressOf(pages), pages.count * pageBytes, MADV_DONTNEED);
  }
  std::lock_guard lock(mutex);
  for (const Pages &pages : taken) {
    pages.slab->free[pages.part].giveBack(pages.first, pages.count);
  }
}

//===----------------------------------------------------------------------===//
// JITLink's interface
//===----------------------------------------------------------------------===//

/// The pages of an object file whose code is still being linked, in a buffer of the graph.
class CodeMemory::Allocation final : public InFlightAlloc {
public:
  Allocation(CodeMemory &memory, std::vector<Pages> pages) : memory(memory), pages(std::move(pages)) {}

  void addContent(StringRef content) { contents.push_back(content); }

  void abandon(OnAbandonedFunction onAbandoned) override {
    memory.giveBack(pages);
    onAbandoned(Error::success());
  }

  void finalize(OnFinalizedFunction onFinalized) override {
    for (auto [place, content] : llvm::zip_equal(pages, contents)) {
      if (Error error = copy(place, content)) {
        memory.giveBack(pages);
        return onFinalized(std::move(error));
      }
    }
    onFinalized(FinalizedAlloc(orc::ExecutorAddr::fromPtr(new std::vector<Pages>(std::move(pages)))));
  }

private:
  Error copy(const Pages &place, StringRef content) {
    static constexpr int protections[kParts] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    if (Error error = memory.protect(place, PROT_READ | PROT_WRITE)) {
      return error;
    }
    char *address = memory.addressOf(place);
    std::fill(llvm::copy(content, address), address + place.count * memory.pageBytes, 0);
    if (Error error = memory.protect(place, protections[place.part])) {
      return error;
    }
    if (place.part == Code) {
      sys::Memory::InvalidateInstructionCache(address, content.size());
    }
    return Error::success();
  }

  CodeMemory &memory;
  std::vector<Pages> pages;
  std::vector<StringRef> contents; // of the pages
};

void CodeMemory::allocate(const jitlink::JITLinkDylib *, jitlink::LinkGraph &graph, OnAllocatedFunction onAllocated) {
  jitlink::BasicLayout layout(graph);
  if (!graph.allocActions().empty()) {
    return onAllocated(createStringError("the object file has actions at its allocation"));
  }
  std::vector<std::pair<Part, size_t>> counts;
  for (auto &[group, segment] : layout.segments()) {
    Expected<Part> part = partOf(group.getMemProt());
    if (!part) {
      return onAllocated(part.takeError());
    }
    if (segment.Alignment.value() > pageBytes) {
      return onAllocated(createStringError("the object file has a section that is aligned to more than a page"));
    }
    counts.push_back({*part, divideCeil(segment.ContentSize + segment.ZeroFillSize, pageBytes)});
  }
  Expected<std::vector<Pages>> pages = take(counts);
  if (!pages) {
    return onAllocated(pages.takeError());
  }
  auto allocation = std::make_unique<Allocation>(*this, *pages);
  for (auto [place, entry] : llvm::zip_equal(*pages, layout.segments())) {
    jitlink::BasicLayout::Segment &segment = entry.second;
    segment.Addr = orc::ExecutorAddr::fromPtr(addressOf(place));
    MutableArrayRef<char> content = graph.allocateBuffer(segment.ContentSize);
    llvm::fill(content, 0); // also the padding between blocks
    segment.WorkingMem = content.data();
    allocation->addContent({content.data(), content.size()});
  }
  if (Error error = layout.apply()) {
    giveBack(*pages);
    return onAllocated(std::move(error));
  }
  onAllocated(std::move(allocation));
}

void CodeMemory::deallocate(std::vector<FinalizedAlloc> allocations, OnDeallocatedFunction onDeallocated) {
  for (FinalizedAlloc &allocation : allocations) {
    free(std::move(allocation));
  }
  onDeallocated(Error::success());
}

void CodeMemory::free(FinalizedAlloc allocation) {
  std::unique_ptr<std::vector<Pages>> pages(allocation.release().toPtr<std::vector<Pages> *>());
  giveBack(*pages);
}

} // namespace tilewright::host
