// GPU code reports the first failed assertion, or the first access out of bounds that it checks, in a mailbox before it
// stops the device, or its wave on an AMD GPU: two words of host memory that the device can access, so that the host
// can read them after the device is lost.
//
//     word 0    bits 0 to 47: the program's number; bits 48 to 63: the number of what failed, from 1: the checked
//               accesses and then the assertions; zero: no report
//     word 1    bits 0 to 31: the grid's size along axis 0; bits 32 to 63: along axis 1

#ifndef TILEWRIGHT_RUNTIME_MAILBOX_H
#define TILEWRIGHT_RUNTIME_MAILBOX_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tilewright::runtime {

constexpr size_t kMailboxWords = 2;
/// The largest number of an access or an assertion.
constexpr int64_t kMostReports = UINT16_MAX;

struct MailboxReport {
  int32_t number = 0; ///< of the access or the assertion, counted from 0
  std::array<int64_t, 3> program = {};
};

std::optional<MailboxReport> readMailbox(const volatile uint64_t *words);
/// Makes room for the next report.
void clearMailbox(volatile uint64_t *words);

/// A mailbox of code on a device. Its memory is never freed.
struct Mailbox {
  volatile uint64_t *words = nullptr;
  uint64_t onDevice = 0; ///< its address there
};

/// Memory of the host that a device can access.
struct MailboxPage {
  static constexpr size_t kBytes = 4096;

  void *memory = nullptr;
  uint64_t onDevice = 0; ///< its address there
};

/// Memory of the host that a device can access, for mailboxes. Many of them share a page, since allocating one locks it
/// in memory and may wait for the device.
class MailboxMemory {
public:
  bool isFull() const { return count < kMailboxWords; }
  /// Replaces a full page by another one, which is cleared.
  void replacePage(const MailboxPage &page);
  /// Requires that it is not full.
  Mailbox take();

private:
  Mailbox next;
  size_t count = 0; // of words from `next` on
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_MAILBOX_H
