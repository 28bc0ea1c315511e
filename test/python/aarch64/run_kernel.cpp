// Runs one launch of a kernel's object file on AArch64, under qemu; see test/python/on_aarch64.py.
//
//     run_kernel FILE
//
// The file has 64-bit words: the number of slots and of regions, the three sizes of the grid, the bytes of scratch
// memory, the slots, and the address and size of each region; then the bytes of the regions. The regions are mapped at
// their addresses, with unmapped pages between them. The program writes the changed bytes of the regions over the file,
// and what the kernel returns over its first word.

#include "tilewright/Runtime/Host/KernelSupport.h"
#include "tilewright/Runtime/Host/Printing.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <vector>

extern "C" int32_t tilewright_test_kernel(const uint64_t *slots, const int32_t *grid, int64_t begin, int64_t end,
                                          void *scratch);

namespace {

constexpr uint64_t kPage = 4096;

struct Region {
  uint64_t address, size;
  void *data() const { return reinterpret_cast<void *>(address); }
};

[[noreturn]] void die(const char *what) {
  std::perror(what);
  std::exit(2);
}

void map(const Region &region) {
  uint64_t begin = region.address / kPage * kPage, end = region.address + region.size;
  void *mapped = mmap(reinterpret_cast<void *>(begin), end - begin, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped == MAP_FAILED) {
    die("mmap");
  }
}

template <typename T> void read(FILE *file, T *to, size_t count) {
  if (std::fread(to, sizeof(T), count, file) != count) {
    die("fread");
  }
}

/// Scratch memory that ends at a page without access.
void *allocateScratch(uint64_t bytes) {
  uint64_t rounded = (bytes + kPage - 1) / kPage * kPage;
  auto *begin =
      static_cast<char *>(mmap(nullptr, rounded + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (begin == MAP_FAILED || mprotect(begin + rounded, kPage, PROT_NONE) != 0) {
    die("scratch");
  }
  return begin + (rounded - bytes) / 64 * 64;
}

/// The kernel's own functions are not symbols of the runtime; JITLink resolves them by this table.
template <typename Function> Function *find(const char *name) {
  for (const auto *entry = tilewright::runtime::supportFunctions; entry->name; ++entry) {
    if (std::strcmp(entry->name, name) == 0) {
      return reinterpret_cast<Function *>(entry->address);
    }
  }
  die(name);
}

} // namespace

extern "C" {
void tilewright_print(const char *format, int32_t x, int32_t y, int32_t z, const void *const *operands) {
  find<decltype(tilewright_print)>("tilewright_print")(format, x, y, z, operands);
}
void tilewright_fail(int64_t program) { find<decltype(tilewright_fail)>("tilewright_fail")(program); }
int64_t tilewright_clock() { return find<decltype(tilewright_clock)>("tilewright_clock")(); }
void tilewright_yield() { find<decltype(tilewright_yield)>("tilewright_yield")(); }
}

int main(int, char **arguments) {
  FILE *file = std::fopen(arguments[1], "r+b");
  if (!file) {
    die(arguments[1]);
  }
  uint64_t header[6];
  read(file, header, 6);
  std::vector<uint64_t> slots(header[0]);
  std::vector<Region> regions(header[1]);
  read(file, slots.data(), slots.size());
  read(file, regions.data(), regions.size());
  long contents = std::ftell(file);
  for (const Region &region : regions) {
    map(region);
    read(file, static_cast<char *>(region.data()), region.size);
  }
  int32_t grid[3] = {int32_t(header[2]), int32_t(header[3]), int32_t(header[4])};
  int64_t programs = int64_t(grid[0]) * grid[1] * grid[2];
  void *scratch = allocateScratch(header[5]);
  int32_t status = tilewright_test_kernel(slots.data(), grid, 0, programs, scratch);
  tilewright::runtime::flushPrinted();
  std::fseek(file, contents, SEEK_SET);
  for (const Region &region : regions) {
    if (std::fwrite(region.data(), 1, region.size, file) != region.size) {
      die("fwrite");
    }
  }
  std::rewind(file);
  if (std::fwrite(&status, sizeof status, 1, file) != 1 || std::fclose(file) != 0) {
    die("fwrite");
  }
}
