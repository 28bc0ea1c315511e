// Links object files into this process with JITLink. Each kernel is linked by itself, so that symbols do not clash.

#include "CodeMemory.h"

#include "tilewright/Runtime/Host/KernelSupport.h"
#include "tilewright/Target/Host/Host.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace llvm;

namespace tilewright::host {

/// The address of a function that kernels call: one of the runtime, which is not an exported symbol of the process, or
/// one of the process, such as memset.
static void *findCallee(StringRef name, ArrayRef<Callee> callees) {
  for (auto [known, address] : callees) {
    if (name == known) {
      return address;
    }
  }
  for (const runtime::SupportFunction *entry = runtime::supportFunctions; entry->name; ++entry) {
    if (name == entry->name) {
      return entry->address;
    }
  }
  static sys::DynamicLibrary process = sys::DynamicLibrary::getPermanentLibrary(nullptr);
  return process.getAddressOfSymbol(name.str().c_str());
}

namespace {

/// What linking returns. JITLink destroys its context, and calls it back before jitlink::link() returns.
struct Outcome {
  Error error = Error::success();
  orc::ExecutorAddr entry;
  jitlink::JITLinkMemoryManager::FinalizedAlloc memory;
};

class LinkContext final : public jitlink::JITLinkContext {
public:
  LinkContext(StringRef symbol, ArrayRef<Callee> callees, Outcome &outcome)
      : JITLinkContext(nullptr), symbol(symbol), callees(callees), outcome(outcome) {}

  jitlink::JITLinkMemoryManager &getMemoryManager() override { return CodeMemory::instance(); }

  void notifyFailed(Error error) override { outcome.error = joinErrors(std::move(outcome.error), std::move(error)); }

  void lookup(const LookupMap &symbols, std::unique_ptr<jitlink::JITLinkAsyncLookupContinuation> next) override {
    jitlink::AsyncLookupResult found;
    for (auto &[name, flags] : symbols) {
      void *address = findCallee(*name, callees);
      if (!address && flags == jitlink::SymbolLookupFlags::RequiredSymbol) {
        return next->run(createStringError("undefined symbol: " + *name));
      }
      found[name] = {orc::ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
    }
    next->run(std::move(found));
  }

  Error notifyResolved(jitlink::LinkGraph &graph) override {
    for (jitlink::Symbol *defined : graph.defined_symbols()) {
      if (defined->hasName() && *defined->getName() == symbol) {
        outcome.entry = defined->getAddress();
        return Error::success();
      }
    }
    return createStringError("undefined symbol: " + symbol);
  }

  void notifyFinalized(jitlink::JITLinkMemoryManager::FinalizedAlloc memory) override {
    outcome.memory = std::move(memory);
  }

private:
  const StringRef symbol;
  const ArrayRef<Callee> callees;
  Outcome &outcome;
};

} // namespace

Expected<LinkedCode> link(StringRef object, StringRef symbol, ArrayRef<Callee> callees) {
  auto names = std::make_shared<orc::SymbolStringPool>();
  scope_exit clearNames([&] { names->clearDeadEntries(); });
  auto graph = jitlink::createLinkGraphFromObject(MemoryBufferRef(object, symbol), names);
  if (!graph) {
    return graph.takeError();
  }
  Outcome outcome;
  jitlink::link(std::move(*graph), std::make_unique<LinkContext>(symbol, callees, outcome));
  if (outcome.error) {
    return std::move(outcome.error);
  }
  return LinkedCode(outcome.entry.toPtr<void *>(), outcome.memory.release().toPtr<void *>());
}

LinkedCode::~LinkedCode() {
  if (memory) {
    CodeMemory::instance().free(CodeMemory::FinalizedAlloc(orc::ExecutorAddr::fromPtr(memory)));
  }
}

} // namespace tilewright::host
