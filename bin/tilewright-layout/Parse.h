// Parses layouts and options from the words of a command line.

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
  Shape shape;          ///< if empty, what the layout covers
  Shape warps = {1, 1}; ///< along M and N
  int bits = 16;        ///< bits of an element
  View view = View::Default;
};

/// Fills `options` and returns the other words.
std::vector<std::string> parseOptions(const std::vector<std::string> &words, Options &options);

/// Parses one layout from words[at...] and advances `at` past it.
LinearLayout parseLayout(const std::vector<std::string> &words, size_t &at, const Options &options);

} // namespace tilewright::layout

#endif // TILEWRIGHT_BIN_LAYOUT_PARSE_H
