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

layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, layout::Shape perThread,
                                   Threads threads, const layout::Order &warpOrder) {
  layout::BlockedParameters parameters;
  parameters.order = order;
  layout::Shape room = shape;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    perThread[dim] = std::min(perThread[dim], shape[dim]);
    room[dim] /= perThread[dim];
  }
  parameters.sizePerThread = std::move(perThread);
  parameters.threadsPerWarp = sideBySide(room, order, threads.lanes);
  parameters.warpsPerBlock = sideBySide(room, warpOrder, threads.warps);
  return layout::blocked(shape, parameters);
}

layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, int64_t vectorWidth,
                                   Threads threads, const layout::Order &warpOrder) {
  layout::Shape perThread(shape.size(), 1);
  perThread[order.front()] = vectorWidth;
  return blockedLayout(shape, order, std::move(perThread), threads, warpOrder);
}

layout::LinearLayout blockedLayout(const layout::Shape &shape, const layout::Order &order, int64_t vectorWidth,
                                   Threads threads) {
  return blockedLayout(shape, order, vectorWidth, threads, order);
}

} // namespace tilewright::tilegpu
