// Links object files into this process with ORC.

#include "tilewright/Runtime/Host/KernelSupport.h"
#include "tilewright/Target/Host/Host.h"

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

/// The linker is never destroyed, because kernels may run until the process exits.
static Expected<orc::LLJIT *> getLinker() {
  static Expected<std::unique_ptr<orc::LLJIT>> *linker = new Expected<std::unique_ptr<orc::LLJIT>>(createLinker());
  if (!*linker) {
    return createStringError("the in-process linker could not be started");
  }
  return (*linker)->get();
}

/// Defines the functions that kernels call, which are not exported symbols of the process.
static Error defineCallees(orc::LLJIT &linker, orc::JITDylib &library, ArrayRef<Callee> callees) {
  orc::SymbolMap symbols;
  auto add = [&](const char *name, void *address) {
    auto flags = JITSymbolFlags::Exported | JITSymbolFlags::Callable;
    symbols[linker.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address), flags};
  };
  for (const runtime::SupportFunction *entry = runtime::supportFunctions; entry->name; ++entry) {
    add(entry->name, entry->address);
  }
  for (auto [name, address] : callees) {
    add(name, address);
  }
  return library.define(orc::absoluteSymbols(std::move(symbols)));
}

Expected<void *> link(StringRef object, StringRef symbol, ArrayRef<Callee> callees) {
  static std::atomic<unsigned> count{0};
  Expected<orc::LLJIT *> linker = getLinker();
  if (!linker) {
    return linker.takeError();
  }
  // Each kernel has its own library, so that symbols do not clash.
  auto library = (*linker)->createJITDylib("kernel" + std::to_string(count++));
  if (!library) {
    return library.takeError();
  }
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess((*linker)->getDataLayout().getGlobalPrefix());
  if (!process) {
    return process.takeError();
  }
  library->addGenerator(std::move(*process));
  if (Error error = defineCallees(**linker, *library, callees)) {
    return error;
  }
  if (Error error = (*linker)->addObjectFile(*library, MemoryBuffer::getMemBufferCopy(object, symbol))) {
    return error;
  }
  auto address = (*linker)->lookup(*library, symbol);
  if (!address) {
    return address.takeError();
  }
  return address->toPtr<void *>();
}

Expected<runtime::KernelFunction> load(StringRef object, StringRef symbol) {
  auto address = link(object, symbol);
  if (!address) {
    return address.takeError();
  }
  return reinterpret_cast<runtime::KernelFunction>(*address);
}

} // namespace tilewright::host
