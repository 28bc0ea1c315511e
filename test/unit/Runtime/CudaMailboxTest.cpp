// Mailboxes in the memory of a device.

#include "FakeCuda.h"

#include <set>

namespace tilewright::runtime::cuda {
namespace {

using CudaMailboxTest = FakeCudaTest;

TEST_F(CudaMailboxTest, Empty) {
  uint64_t words[kMailboxWords] = {0, 0};
  EXPECT_FALSE(readMailbox(words));
  // The grid's sizes are written before the report.
  words[1] = uint64_t(3) << 32 | 4;
  EXPECT_FALSE(readMailbox(words));
}

TEST_F(CudaMailboxTest, Report) {
  uint64_t program = 3 + uint64_t(70000) * (2 + uint64_t(5) * 65000);
  uint64_t words[kMailboxWords] = {uint64_t(65535) << 48 | program, uint64_t(5) << 32 | 70000};
  std::optional<MailboxReport> report = readMailbox(words);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->number, 65534);
  EXPECT_EQ(report->program, (std::array<int64_t, 3>{3, 2, 65000}));
}

TEST_F(CudaMailboxTest, Allocate) {
  configure("devices=1");
  Platform platform(FAKE_CUDA_LIBRARY);
  Mailbox mailbox;
  ASSERT_TRUE(platform.device(0)->allocateMailbox(mailbox, problem)) << problem.message;
  EXPECT_EQ(mailbox.onDevice, reinterpret_cast<DevicePointer>(mailbox.words));
  EXPECT_FALSE(readMailbox(mailbox.words));
}

TEST_F(CudaMailboxTest, NoMemory) {
  configure("devices=1 cuMemHostAlloc=2");
  Platform platform(FAKE_CUDA_LIBRARY);
  Mailbox mailbox;
  EXPECT_FALSE(platform.device(0)->allocateMailbox(mailbox, problem));
  EXPECT_TRUE(contains(problem.message, "cuda:0: cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY"));
  EXPECT_FALSE(problem.isAssertion);
}

TEST_F(CudaMailboxTest, MailboxesShareAllocations) {
  configure("devices=2");
  Platform platform(FAKE_CUDA_LIBRARY);
  constexpr size_t kPerPage = 4096 / 8 / kMailboxWords;
  std::set<const volatile uint64_t *> different;
  for (size_t i = 0; i < 2 * kPerPage; ++i) {
    Mailbox mailbox;
    ASSERT_TRUE(platform.device(0)->allocateMailbox(mailbox, problem)) << problem.message;
    EXPECT_EQ(mailbox.onDevice, reinterpret_cast<DevicePointer>(mailbox.words));
    different.insert(mailbox.words);
  }
  EXPECT_EQ(different.size(), 2 * kPerPage);
  EXPECT_TRUE(contains(report(), "\"cuMemHostAlloc\": 2,"));
  Mailbox other;
  ASSERT_TRUE(platform.device(1)->allocateMailbox(other, problem)) << problem.message;
  EXPECT_TRUE(contains(report(), "\"cuMemHostAlloc\": 3,"));
}

TEST_F(CudaMailboxTest, AllocateWhileAStreamIsCaptured) {
  configure("capturing");
  Platform platform(FAKE_CUDA_LIBRARY);
  Mailbox mailbox;
  EXPECT_TRUE(platform.device(0)->allocateMailbox(mailbox, problem)) << problem.message;
}

} // namespace
} // namespace tilewright::runtime::cuda
