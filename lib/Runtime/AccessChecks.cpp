#include "tilewright/Runtime/AccessChecks.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tilewright::runtime {

AccessChecks::AccessChecks(const std::vector<AccessSite> &sites, std::vector<SlotMemory> slots,
                           std::vector<NamedExtent> arrays, bool known)
    : slots(std::move(slots)), arrays(std::move(arrays)), known(known), sites(sites) {}

bool AccessChecks::holds(const AccessSite &site, const ByteRange &bytes) const {
  for (const NamedExtent &array : arrays) {
    if (contains(array.begin, array.end, bytes)) {
      return true;
    }
  }
  // Memory of unknown size must only not overlap partially with an array.
  const NamedExtent *near = nearestExtent(arrays, bytes);
  bool isElsewhere = !near || !crossesEdge(near->begin, near->end, bytes);
  return isElsewhere && (!known || !site.strict);
}

bool AccessChecks::mayAccess(int64_t program, int32_t site, const uint64_t *addresses, uint64_t first,
                             const uint8_t *mask, int64_t count) {
  uint64_t bytes = sites[site].bytes;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t address = addresses ? addresses[i] : first + i * bytes;
    if ((!mask || mask[i]) && !holds(sites[site], {address, bytes})) {
      report({site, program, address});
      return false;
    }
  }
  return true;
}

void AccessChecks::report(const AccessReport &report) {
  std::lock_guard lock(mutex);
  ++found;
  auto same = std::find_if(reports.begin(), reports.end(),
                           [&](const AccessReport &known) { return known.site == report.site; });
  if (same == reports.end()) {
    reports.push_back(report);
  } else if (report.program < same->program) {
    *same = report;
  }
}

std::vector<AccessReport> AccessChecks::sortedReports() const {
  std::vector<AccessReport> sorted = reports;
  std::sort(sorted.begin(), sorted.end(), [](const AccessReport &a, const AccessReport &b) {
    return std::tie(a.program, a.site) < std::tie(b.program, b.site);
  });
  return sorted;
}

std::string AccessChecks::describe(const AccessReport &report) const {
  const AccessSite &site = sites[report.site];
  ByteRange bytes{report.address, static_cast<uint64_t>(site.bytes)};
  const NamedExtent *near = nearestExtent(arrays, bytes);
  return site.kind + " " + countBytes(bytes.count) + " at " + nameAddress(near, bytes) + ", " +
         describeDistance(near, bytes);
}

} // namespace tilewright::runtime
