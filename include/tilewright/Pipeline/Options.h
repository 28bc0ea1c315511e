// The options of a compilation. A kind of target derives a class from CompileOptions whose members declare its options.
// A declaration has the option's name, type, default, range and description; flags of the command line, the check of a
// launch's keywords, cache keys and documentation derive from it (python/tilewright/compiler/options.py).

#ifndef TILEWRIGHT_PIPELINE_OPTIONS_H
#define TILEWRIGHT_PIPELINE_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

class OptionSet;

/// What is declared of an option besides its type and default.
struct OptionTraits {
  OptionTraits(const char *name, const char *doc) : name(name), doc(doc) {}

  OptionTraits powerOfTwo() { return isPowerOfTwo = true, std::move(*this); }
  OptionTraits fromZero() { return isFromZero = true, std::move(*this); }
  OptionTraits choosing(std::vector<const char *> names) { return choices = std::move(names), std::move(*this); }
  OptionTraits setBy(const char *variable) { return setting = variable, std::move(*this); }
  OptionTraits refusedElsewhere() { return isRefusedElsewhere = true, std::move(*this); }
  OptionTraits internal() { return isInternal = true, std::move(*this); }

  const char *name;
  const char *doc;
  bool isPowerOfTwo = false;
  bool isFromZero = false;           ///< an integer may be 0, and is positive otherwise
  std::vector<const char *> choices; ///< the values of a text besides the empty one; empty if it can be any text
  const char *setting = nullptr;     ///< the environment variable that sets the default
  bool isRefusedElsewhere = false;   ///< kinds of targets without the option accept its default only
  bool isInternal = false;           ///< for tests and tools: launches do not accept it
};

class OptionBase {
public:
  OptionBase(OptionSet &set, OptionTraits traits);
  OptionBase(const OptionBase &) = delete;
  OptionBase &operator=(const OptionBase &) = delete;
  virtual ~OptionBase() = default;

  const OptionTraits traits;

  /// "flag", "integer" or "text".
  virtual llvm::StringRef type() const = 0;
  virtual llvm::json::Value get() const = 0;
  /// Returns false if the value is of another type. None stands for the default.
  virtual bool set(const llvm::json::Value &value) = 0;
};

template <typename T> struct OptionType;
template <> struct OptionType<bool> {
  static constexpr llvm::StringLiteral name = "flag";
  static std::optional<bool> read(const llvm::json::Value &value) { return value.getAsBoolean(); }
};
template <> struct OptionType<std::optional<bool>> : OptionType<bool> {};
template <> struct OptionType<int> {
  static constexpr llvm::StringLiteral name = "integer";
  static std::optional<int> read(const llvm::json::Value &value) {
    std::optional<int64_t> number = value.getAsInteger();
    return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
  }
};
template <> struct OptionType<std::optional<int>> : OptionType<int> {};
template <> struct OptionType<std::string> {
  static constexpr llvm::StringLiteral name = "text";
  static std::optional<std::string> read(const llvm::json::Value &value) {
    std::optional<llvm::StringRef> text = value.getAsString();
    return text ? std::optional<std::string>(text->str()) : std::nullopt;
  }
};

/// An option of type bool, int, one of these in std::optional, or std::string. It converts to its value.
template <typename T> class Option final : public OptionBase {
public:
  Option(OptionSet &set, T initial, OptionTraits traits)
      : OptionBase(set, std::move(traits)), value(std::move(initial)) {}

  operator const T &() const { return value; }
  const T &operator*() const { return value; }
  const T *operator->() const { return &value; }
  Option &operator=(T other) {
    value = std::move(other);
    return *this;
  }

  llvm::StringRef type() const override { return OptionType<T>::name; }
  llvm::json::Value get() const override { return llvm::json::Value(value); }
  bool set(const llvm::json::Value &given) override {
    auto read = OptionType<T>::read(given);
    if (read) {
      value = T(*read); // NOLINT(bugprone-optional-value-conversion): T may be optional itself
    }
    return read || given.kind() == llvm::json::Value::Null;
  }

private:
  T value;
};

class OptionSet {
public:
  OptionSet() = default;
  virtual ~OptionSet() = default;
  OptionSet(const OptionSet &) = delete;
  OptionSet &operator=(const OptionSet &) = delete;

  /// In the order of their declaration.
  llvm::ArrayRef<OptionBase *> all() const { return options; }

  /// Sets options by name. Returns an error for an unknown name, and for a value of another type.
  llvm::Error set(const llvm::json::Object &values);
  /// Takes over the values of options that both sets declare.
  void copy(const OptionSet &other);

private:
  friend class OptionBase;
  std::vector<OptionBase *> options;
};

/// The options of all kinds of targets.
struct CompileOptions : OptionSet {
  Option<bool> enableFpFusion{
      *this, true, {"enable_fp_fusion", "Whether a multiplication and an addition may be fused to an fma."}};
  Option<bool> specializeRanges{
      *this,
      true,
      {"specialize_ranges",
       "Whether the code may assume properties of index arithmetic, such as that a sum does not wrap, that each launch "
       "checks. A launch for which they do not hold runs a variant compiled without them."}};
  Option<std::string> defaultDotInputPrecision{
      *this, "",
      OptionTraits(
          "default_dot_input_precision",
          "How tl.dot may round float32 operands if the kernel does not say: \"ieee\", \"tf32\" or \"tf32x3\"; "
          "empty or None for tf32. The front end reads it.")
          .choosing({"ieee", "tf32", "tf32x3"})
          .setBy("TRITON_F32_DEFAULT")};
  Option<bool> debug{*this, false,
                     OptionTraits("debug", "Whether `tl.device_assert` is compiled.").setBy("TILEWRIGHT_DEBUG")};
  Option<bool> sanitizeOverflow{
      *this, true,
      OptionTraits("sanitize_overflow",
                   "Whether kernels with `debug` assert that `+`, `-` and `*` of integers of less than 64 bits do not "
                   "overflow. The front end reads it.")
          .setBy("TRITON_SANITIZE_OVERFLOW")};
  Option<std::string> externLibs{
      *this,
      "",
      {"extern_libs",
       "Files of LLVM bitcode by their names, for `extern_elementwise`: {\"mine\": \"mine.bc\"} or ((\"mine\", "
       "\"mine.bc\"),). The front end reads it."}};
  Option<std::string> checks{*this, "",
                             OptionTraits("checks", "\"bounds\" checks every memory access against the arrays that "
                                                    "are passed; empty or None for no checks.")
                                 .choosing({"bounds"})
                                 .setBy("TILEWRIGHT_CHECKS")};

  bool checkBounds() const { return *checks == "bounds"; }
  /// Whether `noinline` functions stay functions. Other variants make 64-bit offsets of a function's arguments, or
  /// check bounds.
  virtual bool keepsCalls() const { return specializeRanges && !checkBounds(); }
};

/// The options that all kinds of GPUs have in addition. Kinds that do not have an option ignore it, so that a kernel
/// tuned for a GPU is not compiled again on the CPU for each of its configurations.
struct GpuOptions : CompileOptions {
  Option<int> numWarps{*this, 4, OptionTraits("num_warps", "Warps per program.").powerOfTwo()};
  Option<int> numStages{*this, 3, {"num_stages", "Pipeline stages of loops that do not have their own number."}};
  Option<int> numCtas{*this, 1, OptionTraits("num_ctas", "Thread blocks per cluster; ignored so far.").powerOfTwo()};
  Option<bool> tensorMaps{*this,
                          true,
                          {"tensor_maps",
                           "Whether loads in loops may become copies of boxes, by tensor maps that each launch makes. "
                           "A launch that can't make them runs a variant compiled without them."}};
  Option<std::optional<bool>> persistent{
      *this,
      std::nullopt,
      {"persistent",
       "Whether a launch starts only as many programs as run at the same time, each of which executes several programs "
       "of the grid in a loop. Copies of boxes for the next one start while the previous one is computed. None lets "
       "the compiler choose."}};
  Option<std::optional<bool>> specializeWarps{*this,
                                              std::nullopt,
                                              {"specialize_warps",
                                               "Whether additional warps start copies of boxes, where that is "
                                               "possible. None lets the compiler choose, unless a "
                                               "loop has `warp_specialize=True`."}};
  Option<std::optional<int>> maxRegisters{
      *this, std::nullopt, {"maxnreg", "The maximum number of registers per thread; None lets the compiler choose."}};
  Option<bool> explain{*this, false,
                       OptionTraits("explain", "Adds what passes decided, and why, to the metadata as `schedule` "
                                               "(lib/Pipeline/ScheduleReport.h).")
                           .internal()};
  /// A function's `tile.program_id` would be that of the started program.
  bool keepsCalls() const override { return CompileOptions::keepsCalls() && !persistent->value_or(false); }
  Option<std::string> startAfter{
      *this, "", OptionTraits("start_after", "The phase whose result the module is; continues after it.").internal()};
};

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_OPTIONS_H
