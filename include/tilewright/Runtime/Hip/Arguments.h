// The arguments of an AMD kernel. They are one C structure, which a launch passes as a buffer:
//
//     kernel(float *x, int n, half a, double b)    offset   0   8  12  14  16
//                                                           x   n   a   .   b
//
// The code object says where each argument is.

#ifndef TILEWRIGHT_RUNTIME_HIP_ARGUMENTS_H
#define TILEWRIGHT_RUNTIME_HIP_ARGUMENTS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::runtime::hip {

struct Argument {
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

class ArgumentLayout {
public:
  /// The most bytes of all arguments. Their ends are compared with it before memory is reserved for them.
  static constexpr uint32_t kMaxBytes = 4096;

  ArgumentLayout() = default;
  explicit ArgumentLayout(std::vector<Argument> arguments);

  /// Why no launch can pass such arguments; empty if it can.
  std::string problem() const;

  size_t size() const { return arguments.size(); }
  /// Where the last argument ends.
  uint64_t bytes() const { return end; }
  /// Writes the values of the arguments, to which `values` points, to a buffer of `bytes()`. What is between them is
  /// zero.
  void pack(void *const *values, void *buffer) const;

private:
  std::vector<Argument> arguments;
  uint64_t end = 0;
};

} // namespace tilewright::runtime::hip

#endif // TILEWRIGHT_RUNTIME_HIP_ARGUMENTS_H
