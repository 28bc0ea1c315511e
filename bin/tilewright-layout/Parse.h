// Layouts as words of a command line.

#ifndef TILEWRIGHT_BIN_LAYOUT_PARSE_H
#define TILEWRIGHT_BIN_LAYOUT_PARSE_H

#include "tilewright/Layout/Shape.h"

#include <stdexcept>

namespace tilewright::layout {

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class View { Default, Threads, Tile, Offsets, Bases };

struct Options {
  Shape shape;          ///< empty: what the layout covers by itself
  Shape warps = {1, 1}; ///< along M and N
  int bits = 16;        ///< of an element
  View view = View::Default;
};

/// The words that are no options.
std::vector<std::string> parseOptions(const std::vector<std::string> &words, Options &options);

/// One layout from words[at...]; `at` moves behind it.
LinearLayout parseLayout(const std::vector<std::string> &words, size_t &at, const Options &options);

} // namespace tilewright::layout

#endif // TILEWRIGHT_BIN_LAYOUT_PARSE_H
