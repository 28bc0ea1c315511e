// Links object files into this process with ORC.

#include "tilewright/Runtime/KernelSupport.h"
#include "tilewright/Target/Host.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <atomic>

using namespace llvm;

namespace tilewright::host {

static Expected<std::unique_ptr<orc::LLJIT>> createLinker() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto linker = orc::LLJITBuilder()
                    .setPlatformSetUp(orc::setUpInactivePlatform)
                    .setObjectLinkingLayerCreator([](orc::ExecutionSession &session) {
                      return std::make_unique<orc::ObjectLinkingLayer>(session);
                    })
                    .create();
  return linker;
}

/// Lives as long as the process: a kernel may run until the very end.
static Expected<orc::LLJIT *> getLinker() {
  static Expected<std::unique_ptr<orc::LLJIT>> *linker = new Expected<std::unique_ptr<orc::LLJIT>>(createLinker());
  if (!*linker) {
    return createStringError("the in-process linker could not be started");
  }
  return (*linker)->get();
}

/// The functions of the runtime that kernels call; they are no symbols of the process.
static Error defineSupport(orc::LLJIT &linker, orc::JITDylib &library) {
  orc::SymbolMap symbols;
  for (const runtime::SupportFunction *entry = runtime::supportFunctions; entry->name; ++entry) {
    auto flags = JITSymbolFlags::Exported | JITSymbolFlags::Callable;
    symbols[linker.mangleAndIntern(entry->name)] = {orc::ExecutorAddr::fromPtr(entry->address), flags};
  }
  return library.define(orc::absoluteSymbols(std::move(symbols)));
}

Expected<runtime::KernelFunction> load(StringRef object, StringRef symbol) {
  static std::atomic<unsigned> count{0};
  Expected<orc::LLJIT *> linker = getLinker();
  if (!linker) {
    return linker.takeError();
  }
  // A library of its own for each kernel, so that names never clash.
  auto library = (*linker)->createJITDylib("kernel" + std::to_string(count++));
  if (!library) {
    return library.takeError();
  }
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess((*linker)->getDataLayout().getGlobalPrefix());
  if (!process) {
    return process.takeError();
  }
  library->addGenerator(std::move(*process));
  if (Error error = defineSupport(**linker, *library)) {
    return error;
  }
  if (Error error = (*linker)->addObjectFile(*library, MemoryBuffer::getMemBufferCopy(object, symbol))) {
    return error;
  }
  auto address = (*linker)->lookup(*library, symbol);
  if (!address) {
    return address.takeError();
  }
  return address->toPtr<runtime::KernelFunction>();
}

} // namespace tilewright::host
