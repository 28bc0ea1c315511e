// Links code objects by lld, which is a library of this process.

#include "tilewright/Target/Amdgpu/Amdgpu.h"

#include "tilewright/Target/FatalErrors.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tilewright::amdgpu {

/// A folder in memory where there is one, since lld reads and writes files only.
static Expected<SmallString<128>> createFolder() {
  SmallString<128> prefix("/dev/shm"), folder;
  if (sys::fs::access(prefix, sys::fs::AccessMode::Write)) {
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, prefix);
  }
  sys::path::append(prefix, "tilewright-link");
  if (std::error_code error = sys::fs::createUniqueDirectory(prefix, folder)) {
    return createStringError(error, "no folder for linking could be made in " + sys::path::parent_path(prefix));
  }
  return folder;
}

static Error write(StringRef path, StringRef bytes) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error(); // otherwise the destructor ends the process
  }
  return error ? createStringError(error, "'" + path + "' could not be written: " + error.message()) : Error::success();
}

/// lld ends the process where it can't read a file.
static Error checkObject(StringRef object) {
  auto file = object::ELFFile<object::ELF64LE>::create(object);
  if (!file) {
    return file.takeError();
  }
  const auto &header = file->getHeader();
  if (header.e_type != ELF::ET_REL || header.e_machine != ELF::EM_AMDGPU) {
    return createStringError("what is to be linked is no object file for AMD's GPUs");
  }
  return file->sections().takeError();
}

/// lld has global state, also after a failure.
static Error runLinker(ArrayRef<const char *> arguments) {
  std::string log;
  raw_string_ostream stream(log);
  bool ok = false;
  Error fatal = codegen::runGuarded(
      [&] { ok = lld::elf::link(arguments, stream, stream, /*exitEarly=*/false, /*disableOutput=*/false); },
      "the linker");
  if (fatal) {
    return fatal; // what it has allocated may be inconsistent, and is leaked
  }
  lld::CommonLinkerContext::destroy();
  return ok ? Error::success() : createStringError("the linker failed: " + StringRef(log).trim());
}

Expected<std::string> link(StringRef object) {
  static std::mutex oneAtATime;
  if (Error error = checkObject(object)) {
    return error;
  }
  auto folder = createFolder();
  if (!folder) {
    return folder.takeError();
  }
  llvm::scope_exit remove([&] { sys::fs::remove_directories(*folder); });
  std::string input = (*folder + "/kernel.o").str(), output = (*folder + "/kernel.hsaco").str();
  if (Error error = write(input, object)) {
    return error;
  }
  {
    std::lock_guard lock(oneAtATime);
    // Without --no-undefined, a call of a function that does not exist would be found when the code is loaded.
    if (Error error =
            runLinker({"ld.lld", "-shared", "--no-undefined", "--threads=1", input.c_str(), "-o", output.c_str()})) {
      return error;
    }
  }
  auto linked = MemoryBuffer::getFile(output);
  if (!linked) {
    return createStringError(linked.getError(), "the linked code object could not be read");
  }
  return (*linked)->getBuffer().str();
}

} // namespace tilewright::amdgpu
