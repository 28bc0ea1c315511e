// What to know about the status codes of a driver, as rows of a table.

#ifndef TILEWRIGHT_RUNTIME_STATUSADVICE_H
#define TILEWRIGHT_RUNTIME_STATUSADVICE_H

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace tilewright::runtime {

template <typename Status> struct StatusAdvice {
  Status status;
  /// Whether the error corrupts the device's state, so that every later call fails with the same status.
  bool isFatal;
  /// The likely cause and how to fix it.
  const char *advice;
};

/// The row of a status; null if the table has none.
template <typename Status, size_t Rows>
const StatusAdvice<Status> *findAdvice(const StatusAdvice<Status> (&table)[Rows], Status status) {
  const auto *row = std::find_if(std::begin(table), std::end(table),
                                 [&](const StatusAdvice<Status> &row) { return row.status == status; });
  return row == std::end(table) ? nullptr : row;
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_STATUSADVICE_H
