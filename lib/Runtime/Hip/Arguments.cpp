#include "tilewright/Runtime/Hip/Arguments.h"

#include "tilewright/Runtime/ArgumentBlock.h"

#include <algorithm>
#include <cstring>

namespace tilewright::runtime::hip {

ArgumentLayout::ArgumentLayout(std::vector<Argument> arguments) : arguments(std::move(arguments)) {
  for (const Argument &argument : this->arguments) {
    end = std::max(end, uint64_t(argument.offset) + argument.bytes);
  }
}

std::string ArgumentLayout::problem() const {
  for (const Argument &argument : arguments) {
    if (argument.bytes > ArgumentBlock::kMostBytes) {
      return "an argument of " + std::to_string(argument.bytes) + " bytes, and one has at most " +
             std::to_string(ArgumentBlock::kMostBytes);
    }
  }
  return end <= kMaxBytes
             ? ""
             : std::to_string(end) + " bytes of arguments, and a kernel has at most " + std::to_string(kMaxBytes);
}

void ArgumentLayout::pack(void *const *values, void *buffer) const {
  auto *bytes = static_cast<unsigned char *>(buffer);
  std::memset(bytes, 0, end);
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::memcpy(bytes + arguments[i].offset, values[i], arguments[i].bytes);
  }
}

} // namespace tilewright::runtime::hip
