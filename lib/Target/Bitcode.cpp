#include "tilewright/Target/Bitcode.h"

#include "DiagnosticCapture.h"
#include "tilewright/Target/FatalErrors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright::bitcode {

/// What the other process writes first. It writes the rest before it replaces the first word.
static constexpr StringLiteral kStarted = "started\n", kBitcode = "bitcode\n", kProblem = "problem\n";

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

static Error invalid(const Twine &reason) { return createStringError("is not a file of LLVM bitcode: " + reason); }

static Error rewriteModule(MemoryBufferRef input, std::string &output) {
  LLVMContext context;
  codegen::DiagnosticCapture errors(context);
  auto module = parseBitcodeFile(input, context);
  if (!module) {
    return invalid(toString(module.takeError()));
  }
  StripDebugInfo(**module);
  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(**module, &stream)) {
    return invalid(StringRef(problems).split('\n').first);
  }
  if (!errors.first.empty()) {
    return invalid(errors.first);
  }
  raw_string_ostream written(output);
  WriteBitcodeToFile(**module, written);
  return Error::success();
}

/// Reads bitcode and writes it again.
static Expected<std::string> rewriteHere(MemoryBufferRef input) {
  std::string output;
  Error problem = Error::success();
  auto step = [&] { problem = rewriteModule(input, output); };
  consumeError(std::move(problem)); // it must be checked before it is assigned
  if (Error fatal = codegen::runGuarded(step, "LLVM's reader")) {
    return invalid(toString(std::move(fatal)));
  }
  if (problem) {
    return problem;
  }
  return output;
}

//===----------------------------------------------------------------------===//
// The other process
//===----------------------------------------------------------------------===//

/// Memory that runs out, and loops that do not end, end the process.
static void limitResources() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  auto set = [](auto resource, rlim_t value) {
    rlimit limit = {};
    if (getrlimit(resource, &limit) == 0) {
      limit.rlim_cur = std::min(value, limit.rlim_max);
      setrlimit(resource, &limit);
    }
  };
  constexpr rlim_t kBytes = rlim_t(8) << 30, kSeconds = 60;
  set(RLIMIT_CORE, 0);
  set(RLIMIT_CPU, kSeconds);
  if (pages != 0) {
    set(RLIMIT_AS, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kBytes);
  }
}

void rewrite(const std::string &input, const std::string &output) {
  std::error_code error;
  raw_fd_ostream stream(output, error);
  stream << kStarted;
  stream.flush();
  limitResources();
  auto buffer = MemoryBuffer::getFile(input);
  if (error || !buffer) {
    return; // as if it had crashed
  }
  auto rewritten = rewriteHere((*buffer)->getMemBufferRef());
  StringRef first = rewritten ? kBitcode : kProblem;
  stream << (rewritten ? *rewritten : toString(rewritten.takeError()));
  stream.pwrite(first.data(), first.size(), 0);
}

static std::vector<std::string> &readerCommand() {
  static auto &command = *new std::vector<std::string>();
  return command;
}

void setReader(std::vector<std::string> command) { readerCommand() = std::move(command); }

namespace {
/// A temporary file that is removed in the end.
struct TemporaryFile {
  int descriptor = -1;
  SmallString<64> path;
  FileRemover remover;

  bool create() {
    if (sys::fs::createTemporaryFile("tilewright-library", "bc", descriptor, path)) {
      return false;
    }
    remover.setFile(path);
    return true;
  }
};
} // namespace

/// Lets the other process rewrite bitcode. None if it can't be started.
static std::optional<Expected<std::string>> rewriteElsewhere(MemoryBufferRef input) {
  TemporaryFile given, written;
  if (readerCommand().empty() || !given.create() || !written.create()) {
    return std::nullopt;
  }
  {
    raw_fd_ostream stream(given.descriptor, /*shouldClose=*/true);
    raw_fd_ostream closed(written.descriptor, /*shouldClose=*/true);
    stream << input.getBuffer();
    stream.flush();
    if (stream.has_error()) {
      stream.clear_error();
      return std::nullopt;
    }
  }
  SmallVector<StringRef> arguments(readerCommand().begin(), readerCommand().end());
  arguments.append({given.path, written.path});
  sys::ExecuteAndWait(arguments.front(), arguments, std::nullopt, {StringRef(), StringRef(), StringRef()});
  auto result = MemoryBuffer::getFile(written.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!result || (*result)->getBufferSize() == 0) {
    return std::nullopt;
  }
  StringRef text = (*result)->getBuffer();
  if (text.consume_front(kBitcode)) {
    return text.str();
  }
  return text.consume_front(kProblem) ? createStringError(text) : invalid("LLVM's reader crashed");
}

//===----------------------------------------------------------------------===//
// Opening files
//===----------------------------------------------------------------------===//

namespace {
/// The result for the last content of a file.
struct Rewritten {
  XXH128_hash_t content = {};
  std::string bitcode;
  std::string problem; ///< empty if there is none
};
} // namespace

static Rewritten rewriteContent(MemoryBufferRef input, XXH128_hash_t content) {
  auto elsewhere = rewriteElsewhere(input);
  Expected<std::string> bitcode = elsewhere ? std::move(*elsewhere) : rewriteHere(input);
  Rewritten result{content, "", ""};
  if (bitcode) {
    result.bitcode = std::move(*bitcode);
  } else {
    result.problem = toString(bitcode.takeError());
  }
  return result;
}

/// Bitcode that can be trusted.
static Expected<std::unique_ptr<MemoryBuffer>> readRewritten(const std::string &file) {
  // A volatile file is copied, not mapped: a mapping of a file that becomes shorter raises a signal.
  auto buffer = MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!buffer) {
    return createStringError("cannot read " + file + ": " + buffer.getError().message());
  }
  static std::mutex mutex;
  static auto &all = *new std::map<std::string, Rewritten>();
  std::lock_guard<std::mutex> lock(mutex);
  XXH128_hash_t content = xxh3_128bits(arrayRefFromStringRef((*buffer)->getBuffer()));
  auto [known, isNew] = all.try_emplace(file);
  if (isNew || !(known->second.content == content)) {
    known->second = rewriteContent((*buffer)->getMemBufferRef(), content);
  }
  const Rewritten &result = known->second;
  if (!result.problem.empty()) {
    return createStringError(file + " " + result.problem);
  }
  return MemoryBuffer::getMemBufferCopy(result.bitcode, file);
}

Expected<std::unique_ptr<Module>> open(const std::string &file, LLVMContext &context) {
  auto buffer = readRewritten(file);
  if (!buffer) {
    return buffer.takeError();
  }
  return getOwningLazyBitcodeModule(std::move(*buffer), context);
}

} // namespace tilewright::bitcode
