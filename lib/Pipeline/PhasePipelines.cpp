#include "PhasePipelines.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <deque>
#include <vector>

using namespace mlir;

namespace tilewright {
namespace {

using Declared = OptionBase; // hidden by a class of the same name in MLIR's options

/// The options of a pipeline, made from those that the kind of target declares.
class PipelineOptions : public detail::PassOptions {
public:
  explicit PipelineOptions(const PhasePipeline &pipeline)
      : declared(pipeline.createOptions()),
        hardware(*this, pipeline.hardware.name, llvm::cl::desc(pipeline.hardware.doc),
                 llvm::cl::init(std::string(pipeline.hardware.initial))) {
    for (Declared *option : declared->all()) {
      if (!option->traits.isInternal) {
        add(*option);
      }
    }
  }

  /// The declared options with the values given. Returns null after calling `emitError` if one of them is invalid.
  const CompileOptions *read(llvm::function_ref<LogicalResult(const llvm::Twine &)> emitError) {
    for (const auto &readOption : readers) {
      if (Declared *invalid = readOption()) {
        (void)emitError(llvm::Twine("the option '") + invalid->traits.name + "' must be one of " +
                        llvm::join(invalid->traits.choices, ", "));
        return nullptr;
      }
    }
    return declared.get();
  }

private:
  void add(Declared &option) {
    std::string &name = names.emplace_back(option.traits.name);
    std::replace(name.begin(), name.end(), '_', '-');
    if (option.type() == OptionType<bool>::name) {
      add<bool>(option, name, option.get().getAsBoolean());
    } else if (option.type() == OptionType<int>::name) {
      add<int>(option, name, option.get().getAsInteger());
    } else {
      add<std::string>(option, name, option.get().getAsString());
    }
  }

  template <typename T, typename Initial> void add(Declared &option, llvm::StringRef name, Initial initial) {
    auto made = std::make_shared<Option<T>>(*this, name, llvm::cl::desc(option.traits.doc),
                                            llvm::cl::init(initial ? T(*initial) : T()));
    // Returns the option if its value is not one of its choices.
    readers.push_back([made, &option]() -> Declared * {
      if (!made->hasValue()) {
        return nullptr;
      }
      option.set(llvm::json::Value(made->getValue()));
      return isChoice(option) ? nullptr : &option;
    });
  }

  static bool isChoice(const Declared &option) {
    std::optional<llvm::StringRef> text = option.get().getAsString();
    return option.traits.choices.empty() || !text || text->empty() || llvm::is_contained(option.traits.choices, *text);
  }

  std::unique_ptr<CompileOptions> declared;
  std::deque<std::string> names; ///< to which the options refer
  std::vector<std::function<Declared *()>> readers;

public:
  Option<std::string> hardware;
};

} // namespace

void registerPhasePipeline(const PhasePipeline &pipeline) {
  registerPassPipeline(
      pipeline.name, pipeline.doc,
      [pipeline](OpPassManager &passes, llvm::StringRef text,
                 llvm::function_ref<LogicalResult(const llvm::Twine &)> emitError) {
        PipelineOptions given(pipeline);
        if (failed(given.parseFromString(text))) {
          return failure();
        }
        const CompileOptions *options = given.read(emitError);
        if (!options) {
          return failure();
        }
        pipeline.addPasses(passes, given.hardware.getValue(), *options);
        return success();
      },
      [pipeline](llvm::function_ref<void(const detail::PassOptions &)> show) { show(PipelineOptions(pipeline)); });
}

} // namespace tilewright
