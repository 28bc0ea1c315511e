// Runs ptxas as a process without a shell, on temporary files.

#include "Assemblers.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace llvm;

namespace tilewright::cuda {

namespace {

/// A file in the temporary folder, which is removed by the destructor.
class TemporaryFile {
public:
  static Expected<TemporaryFile> create(StringRef suffix, StringRef contents = "") {
    TemporaryFile file;
    SmallString<128> path;
    int descriptor;
    if (std::error_code code = sys::fs::createTemporaryFile("tilewright-ptxas", suffix, descriptor, path)) {
      return createStringError(code, "cannot create a temporary file: " + code.message());
    }
    file.path = path.str().str();
    file.remover = std::make_unique<FileRemover>(path);
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << contents;
    stream.close();
    if (std::error_code code = stream.error()) {
      stream.clear_error();
      return createStringError(code, "'" + path + "' cannot be written: " + code.message());
    }
    return file;
  }

  std::string read() const {
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  std::string path;

private:
  std::unique_ptr<FileRemover> remover;
};

struct Finished {
  bool ok;
  std::string output;
};

} // namespace

/// Runs the program. Returns an error if it could not be started or crashed.
static Expected<Finished> run(StringRef program, ArrayRef<std::string> options) {
  auto output = TemporaryFile::create("log");
  if (!output) {
    return output.takeError();
  }
  std::vector<StringRef> arguments = {program};
  arguments.insert(arguments.end(), options.begin(), options.end());
  std::string error;
  // No standard input; standard output and standard error go to one file.
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(output->path), StringRef(output->path)};
  int code = sys::ExecuteAndWait(program, arguments, std::nullopt, redirects, 0, 0, &error);
  if (code < 0) {
    return createStringError("'" + program + "' cannot be run: " + (error.empty() ? "it crashed" : error));
  }
  return Finished{code == 0, output->read()};
}

Expected<Assembled> runPtxas(StringRef program, StringRef ptx, StringRef arch, ArrayRef<std::string> options) {
  auto input = TemporaryFile::create("ptx", ptx);
  if (!input) {
    return input.takeError();
  }
  auto image = TemporaryFile::create("cubin");
  if (!image) {
    return image.takeError();
  }
  std::vector<std::string> arguments = {"-arch=" + arch.str(), input->path, "-o", image->path};
  arguments.insert(arguments.end(), options.begin(), options.end());
  auto finished = run(program, arguments);
  if (!finished) {
    return finished.takeError();
  }
  return Assembled{finished->ok, finished->ok ? image->read() : "", finished->output};
}

static Expected<std::string> readVersion(StringRef program) {
  auto finished = run(program, {"--version"});
  if (!finished) {
    return finished.takeError();
  }
  // "Cuda compilation tools, release 13.0, V13.0.88"
  StringRef version = StringRef(finished->output).split(", V").second.split('\n').first.trim();
  if (!finished->ok || version.empty()) {
    return createStringError("'" + program + "' is not ptxas");
  }
  return ("ptxas " + version).str();
}

Expected<std::string> describePtxas(StringRef program) {
  static std::mutex mutex;
  static auto *const known = new StringMap<std::string>();
  std::lock_guard<std::mutex> lock(mutex);
  auto found = known->find(program);
  if (found == known->end()) {
    Expected<std::string> version = readVersion(program);
    if (!version) {
      return version;
    }
    found = known->try_emplace(program, *version).first;
  }
  return found->second;
}

} // namespace tilewright::cuda
