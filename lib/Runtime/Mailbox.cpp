#include "tilewright/Runtime/Mailbox.h"

#include <algorithm>

namespace tilewright::runtime {

std::optional<MailboxReport> readMailbox(const volatile uint64_t *words) {
  constexpr int kProgramBits = 48, kSideBits = 32;
  uint64_t first = words[0], sides = words[1];
  int64_t number = static_cast<int64_t>(first >> kProgramBits);
  int64_t program = static_cast<int64_t>(first & ((uint64_t(1) << kProgramBits) - 1));
  // Avoid a division by zero if the mailbox is empty. In a report the sizes are not zero, since the second word is
  // written before the first one.
  int64_t columns = std::max<int64_t>(1, sides & UINT32_MAX), rows = std::max<int64_t>(1, sides >> kSideBits);
  if (number == 0) {
    return std::nullopt;
  }
  return MailboxReport{static_cast<int32_t>(number - 1),
                       {program % columns, program / columns % rows, program / columns / rows}};
}

void clearMailbox(volatile uint64_t *words) {
  // The first word last: while it is not zero, no code writes.
  words[1] = 0;
  words[0] = 0;
}

void MailboxMemory::replacePage(const MailboxPage &page) {
  auto *words = static_cast<uint64_t *>(page.memory);
  count = MailboxPage::kBytes / sizeof(uint64_t);
  std::fill_n(words, count, 0);
  next = {words, page.onDevice};
}

Mailbox MailboxMemory::take() {
  Mailbox taken = next;
  next = {taken.words + kMailboxWords, taken.onDevice + kMailboxWords * sizeof(uint64_t)};
  count -= kMailboxWords;
  return taken;
}

} // namespace tilewright::runtime
