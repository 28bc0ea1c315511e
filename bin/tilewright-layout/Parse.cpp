#include "Parse.h"

#include "tilewright/Hardware/NvidiaInstructions.h"
#include "tilewright/Layout/Blocked.h"
#include "tilewright/Layout/Shared.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace tilewright::layout {

static int64_t parseNumber(const std::string &word) {
  size_t end = 0;
  int64_t value = 0;
  try {
    value = std::stoll(word, &end);
  } catch (const std::exception &) {
    end = 0;
  }
  if (end == 0 || end != word.size() || value < 0) {
    throw UsageError("'" + word + "' is not a number");
  }
  return value;
}

static Shape parseList(const std::string &word) {
  Shape list;
  std::stringstream stream(word);
  for (std::string item; std::getline(stream, item, ',');) {
    list.push_back(parseNumber(item));
  }
  return list;
}

static Shape parseSizes(const std::string &word) {
  Shape sizes = parseList(word);
  for (int64_t size : sizes) {
    if (size <= 0 || (size & (size - 1)) != 0) {
      throw UsageError("sizes are powers of two, '" + word + "' is not");
    }
  }
  return sizes;
}

static Order parseOrder(const std::string &word) {
  Shape list = parseList(word), sorted = list;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int64_t>(i)) {
      throw UsageError("an order names every dimension exactly once, '" + word + "' does not");
    }
  }
  return {list.begin(), list.end()};
}

static View parseView(const std::string &word) {
  static const std::map<std::string, View> views = {
      {"threads", View::Threads}, {"tile", View::Tile}, {"offsets", View::Offsets}, {"bases", View::Bases}};
  auto found = views.find(word);
  if (found == views.end()) {
    throw UsageError("no view '" + word + "': threads, tile, offsets or bases");
  }
  return found->second;
}

std::vector<std::string> parseOptions(const std::vector<std::string> &words, Options &options) {
  std::vector<std::string> rest;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (word.rfind("--", 0) != 0) {
      rest.push_back(word);
      continue;
    }
    if (i + 1 == words.size()) {
      throw UsageError(word + " needs a value");
    }
    const std::string &value = words[++i];
    if (word == "--shape") {
      options.shape = parseSizes(value);
    } else if (word == "--warps") {
      options.warps = parseSizes(value);
    } else if (word == "--bits") {
      options.bits = static_cast<int>(parseSizes(value).at(0));
    } else if (word == "--view") {
      options.view = parseView(value);
    } else {
      throw UsageError("no option '" + word + "'");
    }
  }
  if (options.warps.size() != 2) {
    throw UsageError("--warps takes two numbers, along M and N");
  }
  if (options.bits < 8 || options.bits > 64) {
    throw UsageError("--bits is 8, 16, 32 or 64");
  }
  return rest;
}

namespace {

/// A recursive-descent parser of layouts.
class Reader {
public:
  Reader(const std::vector<std::string> &words, size_t &at, const Options &options)
      : words(words), at(at), options(options) {}

  LinearLayout layout() {
    std::string name = next("the name of a layout");
    if (name == "blocked") {
      return blockedLayout();
    }
    if (name == "mma16x8" || name == "wgmma") {
      return fragment(name == "wgmma");
    }
    if (name == "slice") {
      int64_t dim = parseNumber(next("a dimension"));
      LinearLayout parent = layout();
      if (dim >= static_cast<int64_t>(parent.outs().size())) {
        throw UsageError("the layout has no dimension " + std::to_string(dim));
      }
      return dropDim(parent, static_cast<int>(dim));
    }
    if (name == "swizzled" || name == "nvmma") {
      return shared(name == "nvmma");
    }
    throw UsageError("no layout '" + name + "'");
  }

private:
  std::string next(const std::string &what) {
    if (at == words.size()) {
      throw UsageError("expected " + what);
    }
    return words[at++];
  }

  const Shape &shapeOr(const Shape &fallback, size_t rank) const {
    const Shape &shape = options.shape.empty() ? fallback : options.shape;
    if (shape.size() != rank) {
      throw UsageError("--shape needs " + std::to_string(rank) + " sizes here");
    }
    return shape;
  }

  LinearLayout blockedLayout() {
    BlockedParameters parameters;
    parameters.sizePerThread = parseSizes(next("sizes per thread"));
    parameters.threadsPerWarp = parseSizes(next("threads per warp"));
    parameters.warpsPerBlock = parseSizes(next("warps per program"));
    parameters.order = parseOrder(next("an order"));
    size_t rank = parameters.order.size();
    Shape covered = parameters.sizePerThread;
    if (covered.size() != rank || parameters.threadsPerWarp.size() != rank || parameters.warpsPerBlock.size() != rank) {
      throw UsageError("all parameters of blocked must have one number per dimension");
    }
    for (size_t i = 0; i < rank; ++i) {
      covered[i] *= parameters.threadsPerWarp[i] * parameters.warpsPerBlock[i];
    }
    return blocked(shapeOr(covered, rank), parameters);
  }

  Operand operand() {
    static const std::map<std::string, Operand> names = {{"a", Operand::A}, {"b", Operand::B}, {"c", Operand::C}};
    std::string word = next("an operand: a, b or c");
    auto found = names.find(word);
    if (found == names.end()) {
      throw UsageError("no operand '" + word + "': a, b or c");
    }
    return found->second;
  }

  LinearLayout fragment(bool isWgmma) {
    Operand which = operand();
    int64_t k = 256 / options.bits;
    if (!isWgmma) {
      LinearLayout one = hardware::mmaFragment(which, {16, 8, k}, options.bits);
      LinearLayout warps = mmaOperand(which, one, shapeOf(one), {1, 1});
      Shape covered = shapeOf(warps);
      covered[0] *= which == Operand::B ? 1 : options.warps[0];
      covered[1] *= which == Operand::A ? 1 : options.warps[1];
      return mmaOperand(which, one, shapeOr(covered, 2), options.warps);
    }
    int64_t n = which == Operand::C ? parseSizes(next("n, a power of two")).at(0) : 8;
    if (which == Operand::B || n < 8 || n > 256) {
      throw UsageError("only A (wgmma a) and the accumulators (wgmma c 8 to 256) of wgmma are in registers");
    }
    Shape warps = {std::max<int64_t>(4, options.warps[0]), options.warps[1]};
    LinearLayout one = hardware::wgmmaFragment(which, {64, n, k}, options.bits);
    return hardware::wgmmaOperand(which, one, shapeOr({16 * warps[0], which == Operand::C ? n * warps[1] : k}, 2),
                                  warps);
  }

  LinearLayout shared(bool isNvmma) {
    Shape shape = shapeOr({16, 64}, options.shape.empty() ? 2 : std::max<size_t>(2, options.shape.size()));
    if (isNvmma) {
      int64_t bytes = parseSizes(next("16, 32, 64 or 128 bytes")).at(0);
      if (bytes < 16 || bytes > 128 || shape.back() * options.bits < 8 * bytes) {
        throw UsageError("a swizzle is 16, 32, 64 or 128 bytes and at most one row");
      }
      return nvmmaShared(shape, options.bits, static_cast<int>(bytes));
    }
    Swizzle swizzle;
    swizzle.vec = parseSizes(next("vec")).at(0);
    swizzle.perPhase = parseSizes(next("perPhase")).at(0);
    swizzle.maxPhase = parseSizes(next("maxPhase")).at(0);
    return swizzled(shape, rowMajorOrder(static_cast<int>(shape.size())), swizzle);
  }

  const std::vector<std::string> &words;
  size_t &at;
  const Options &options;
};

} // namespace

LinearLayout parseLayout(const std::vector<std::string> &words, size_t &at, const Options &options) {
  return Reader(words, at, options).layout();
}

} // namespace tilewright::layout
