#include "BlockedLayout.h"

#include <algorithm>

namespace tilewright::tilegpu {

/// Distributes `count` threads over the dimensions in order, as many as fit into each; the remaining ones hold
/// replicas.
static layout::Shape sideBySide(layout::Shape &room, const layout::Order &order, int64_t count) {
  layout::Shape taken(room.size(), 1);
  for (int dim : order) {
    taken[dim] = std::min(count, room[dim]);
    count /= taken[dim];
    room[dim] /= taken[dim];
  }
  taken[order.back()] *= count;
  return taken;
}

layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, int64_t vectorWidth,
                                   Threads threads, const layout::Order &warpOrder) {
  layout::BlockedParameters parameters;
  parameters.order = order;
  parameters.sizePerThread.assign(shape.size(), 1);
  layout::Shape room = shape;
  int fastest = order.front();
  parameters.sizePerThread[fastest] = std::min(vectorWidth, shape[fastest]);
  room[fastest] /= parameters.sizePerThread[fastest];
  parameters.threadsPerWarp = sideBySide(room, order, threads.lanes);
  parameters.warpsPerBlock = sideBySide(room, warpOrder, threads.warps);
  return layout::blocked(shape, parameters);
}

layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, int64_t vectorWidth,
                                   Threads threads) {
  return blockedLayout(shape, order, vectorWidth, threads, order);
}

} // namespace tilewright::tilegpu
