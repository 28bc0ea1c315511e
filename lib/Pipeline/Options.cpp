#include "tilewright/Pipeline/Options.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright {

OptionBase::OptionBase(OptionSet &set, OptionTraits traits) : traits(std::move(traits)) { set.options.push_back(this); }

llvm::Error OptionSet::set(const llvm::json::Object &values) {
  for (const auto &[name, value] : values) {
    llvm::StringRef key = name;
    auto option = llvm::find_if(options, [&](OptionBase *option) { return key == option->traits.name; });
    if (option == options.end()) {
      return llvm::createStringError("there is no option '" + key + "'");
    }
    if (!(*option)->set(value)) {
      return llvm::createStringError("the option '" + key + "' must be a value of type " + (*option)->type());
    }
  }
  return llvm::Error::success();
}

void OptionSet::copy(const OptionSet &other) {
  for (const OptionBase *option : other.all()) {
    llvm::StringRef key = option->traits.name;
    auto own = llvm::find_if(options, [&](OptionBase *own) { return key == own->traits.name; });
    if (own != options.end()) {
      (*own)->set(option->get());
    }
  }
}

} // namespace tilewright
