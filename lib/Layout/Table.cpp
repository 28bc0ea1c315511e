#include "tilewright/Layout/Table.h"

#include <algorithm>

namespace tilewright::layout {

namespace {

/// A table with a name for each row and column; columns are as wide as their contents.
struct Grid {
  std::vector<std::string> rowNames, columnNames;
  std::vector<std::vector<std::string>> cells;

  std::string print() const {
    size_t nameWidth = 0;
    std::vector<size_t> widths;
    for (const std::string &name : rowNames) {
      nameWidth = std::max(nameWidth, name.size());
    }
    for (size_t column = 0; column < columnNames.size(); ++column) {
      size_t width = columnNames[column].size();
      for (const std::vector<std::string> &row : cells) {
        width = std::max(width, row[column].size());
      }
      widths.push_back(width);
    }
    std::string text = printRow(std::string(nameWidth, ' '), nameWidth, columnNames, widths);
    for (size_t row = 0; row < cells.size(); ++row) {
      text += printRow(rowNames[row], nameWidth, cells[row], widths);
    }
    return text;
  }

private:
  static std::string printRow(const std::string &name, size_t nameWidth, const std::vector<std::string> &row,
                              const std::vector<size_t> &widths) {
    std::string line = std::string(nameWidth - name.size(), ' ') + name;
    for (size_t column = 0; column < row.size(); ++column) {
      line += "  " + row[column] + std::string(widths[column] - row[column].size(), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }
};

} // namespace

static std::string coordinates(const LinearLayout &layout, uint64_t packed) {
  std::string text;
  for (int64_t coordinate : layout.unpackOut(packed)) {
    text += (text.empty() ? "" : ",") + std::to_string(coordinate);
  }
  return text;
}

/// The name of a thread, numbered over lanes, warps and blocks.
static std::string threadName(const LinearLayout &layout, uint64_t thread) {
  int inBlock = layout.inBits(kLane) + layout.inBits(kWarp);
  std::string name = "T" + std::to_string(thread & ((uint64_t(1) << inBlock) - 1));
  return layout.inBits(kBlock) == 0 ? name : "B" + std::to_string(thread >> inBlock) + "." + name;
}

std::string threadTable(const LinearLayout &layout) {
  int registerBits = layout.inBits(kRegister);
  uint64_t threads = uint64_t(1) << (layout.totalInBits() - registerBits), registers = uint64_t(1) << registerBits;
  Grid grid;
  for (uint64_t reg = 0; reg < registers; ++reg) {
    grid.columnNames.push_back("r" + std::to_string(reg));
  }
  for (uint64_t thread = 0; thread < threads; ++thread) {
    grid.rowNames.push_back(threadName(layout, thread));
    std::vector<std::string> &row = grid.cells.emplace_back();
    for (uint64_t reg = 0; reg < registers; ++reg) {
      row.push_back(coordinates(layout, layout.apply(thread << registerBits | reg)));
    }
  }
  return grid.print();
}

/// The thread and register, or the offset, that holds each element, by packed coordinates.
static std::vector<std::string> holders(const LinearLayout &layout) {
  uint64_t elements = uint64_t(1) << layout.totalOutBits();
  std::vector<std::string> names(elements);
  std::vector<int> copies(elements, -1);
  bool isShared = layout.inBits(kOffset) == layout.totalInBits();
  int registerBits = layout.inBits(kRegister);
  for (uint64_t in = 0; in < uint64_t(1) << layout.totalInBits(); ++in) {
    uint64_t element = layout.apply(in);
    if (copies[element]++ < 0) {
      uint64_t reg = in & ((uint64_t(1) << registerBits) - 1);
      names[element] =
          isShared ? std::to_string(in) : threadName(layout, in >> registerBits) + ":" + std::to_string(reg);
    }
  }
  for (uint64_t element = 0; element < elements; ++element) {
    names[element] = copies[element] < 0 ? "-" : names[element];
    names[element] += copies[element] > 0 ? "+" + std::to_string(copies[element]) : "";
  }
  return names;
}

std::string tileTable(const LinearLayout &layout) {
  const std::vector<Dim> &dims = layout.outs();
  size_t rank = dims.size();
  int64_t columns = rank > 0 ? dims[rank - 1].size() : 1, rows = rank > 1 ? dims[rank - 2].size() : 1;
  int matrixBits = log2Exact(columns) + log2Exact(rows);
  int outerBits = layout.totalOutBits() - matrixBits;
  std::vector<std::string> names = holders(layout);
  std::string text;
  for (uint64_t outer = 0; outer < uint64_t(1) << outerBits; ++outer) {
    Grid grid;
    for (int64_t column = 0; column < columns; ++column) {
      grid.columnNames.push_back(std::to_string(column));
    }
    for (int64_t row = 0; row < rows; ++row) {
      grid.rowNames.push_back(std::to_string(row));
      std::vector<std::string> &cells = grid.cells.emplace_back();
      for (int64_t column = 0; column < columns; ++column) {
        cells.push_back(names[outer | (static_cast<uint64_t>(column) * rows + row) << outerBits]);
      }
    }
    text += outerBits > 0 ? "at " + coordinates(layout, outer) + "\n" : "";
    text += grid.print();
  }
  return text;
}

std::string offsetTable(const LinearLayout &shared, int64_t perRow) {
  Grid grid;
  for (int64_t column = 0; column < perRow; ++column) {
    grid.columnNames.push_back(std::to_string(column));
  }
  for (int64_t first = 0; first < shared.inSize(kOffset); first += perRow) {
    grid.rowNames.push_back(std::to_string(first));
    std::vector<std::string> &row = grid.cells.emplace_back();
    for (int64_t column = 0; column < perRow; ++column) {
      row.push_back(coordinates(shared, shared.apply(first + column)));
    }
  }
  return grid.print();
}

} // namespace tilewright::layout
