#include "tilewright/Target/Libraries.h"

#include "DiagnosticCapture.h"
#include "tilewright/Target/Bitcode.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::libraries {

static constexpr StringLiteral kSymbol = "tilewright-symbol", kLibraries = "tilewright-libraries";

static std::string print(const Type &type) {
  std::string text;
  raw_string_ostream(text) << type;
  return text;
}

Expected<Contents> read(const std::string &file) {
  LLVMContext context;
  auto module = bitcode::open(file, context);
  if (!module) {
    return module.takeError();
  }
  Contents contents;
  contents.triple = (*module)->getTargetTriple().str();
  for (const Function &function : **module) {
    if (function.isDeclaration() || function.isVarArg()) {
      continue;
    }
    Signature signature{print(*function.getReturnType()), {}};
    for (const Argument &argument : function.args()) {
      signature.parameters.push_back(print(*argument.getType()));
    }
    contents.functions[function.getName().str()] = std::move(signature);
  }
  return contents;
}

namespace {

/// Links what a module declares.
class Linking {
public:
  Linking(Module &module, bool isForHost) : module(module), isForHost(isForHost) {
    for (GlobalObject &object : module.global_objects()) {
      if (!object.isDeclaration()) {
        settled.insert(&object);
      } else if (auto *function = dyn_cast<Function>(&object); !function || !function->hasFnAttribute(kSymbol)) {
        declared.insert(object.getName());
      }
    }
  }

  Error run() {
    SmallVector<Function *> wanted;
    for (Function &function : module) {
      if (function.hasFnAttribute(kSymbol)) {
        wanted.push_back(&function);
      }
    }
    for (Function *function : wanted) {
      if (Error error = define(*function)) {
        return error;
      }
    }
    if (Error error = defineCallees()) {
      return error;
    }
    inlineAll();
    return isForHost ? checkMissing() : Error::success();
  }

private:
  /// Links the function that a declaration refers to, under the name of the declaration.
  Error define(Function &declaration) {
    std::string symbol = declaration.getFnAttribute(kSymbol).getValueAsString().str();
    StringRef names = declaration.getFnAttribute(kLibraries).getValueAsString();
    SmallVector<StringRef> listed;
    names.split(listed, '\n');
    for (StringRef file : listed) {
      files.push_back(file.str());
    }
    std::string file = listed.front().str();
    auto library = openForModule(file);
    if (!library) {
      return library.takeError();
    }
    Function *function = (*library)->getFunction(symbol);
    if (!function || function->isDeclaration()) {
      return createStringError("the library " + file + " does not define '" + symbol + "'");
    }
    Function *renamed = declareAs(declaration, function->getFunctionType());
    if (!renamed) {
      return createStringError("the function '" + symbol + "' of " + file + " has the type " +
                               print(*function->getFunctionType()) + ", but is called as " +
                               print(*declaration.getFunctionType()));
    }
    function->setLinkage(GlobalValue::ExternalLinkage);
    function->setComdat(nullptr);
    function->setName(renamed->getName());
    return take(std::move(*library), file);
  }

  /// A declaration of another type, which replaces the given one. Pointers may differ in their address space. Null if
  /// other types differ.
  Function *declareAs(Function &declaration, FunctionType *type) {
    auto matches = [](Type *have, Type *want) { return have == want || (have->isPointerTy() && want->isPointerTy()); };
    FunctionType *called = declaration.getFunctionType();
    if (called->getNumParams() != type->getNumParams() || type->isVarArg() ||
        !all_of(zip(called->params(), type->params()),
                [&](auto pair) { return matches(std::get<0>(pair), std::get<1>(pair)); }) ||
        !matches(called->getReturnType(), type->getReturnType())) {
      return nullptr;
    }
    Function *other = Function::Create(type, GlobalValue::ExternalLinkage, "", module);
    other->takeName(&declaration);
    for (User *user : make_early_inc_range(declaration.users())) {
      auto *call = cast<CallInst>(user);
      IRBuilder<> builder(call);
      SmallVector<Value *> arguments;
      for (auto [argument, wanted] : zip(call->args(), type->params())) {
        arguments.push_back(builder.CreatePointerBitCastOrAddrSpaceCast(argument, wanted));
      }
      Value *result = builder.CreateCall(other, arguments);
      call->replaceAllUsesWith(builder.CreatePointerBitCastOrAddrSpaceCast(result, call->getType()));
      call->eraseFromParent();
    }
    declaration.eraseFromParent();
    return other;
  }

  /// Links functions that linked functions call.
  Error defineCallees() {
    sort(files);
    files.erase(llvm::unique(files), files.end());
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::string &file : files) {
        auto library = openForModule(file);
        if (!library) {
          return library.takeError();
        }
        bool helps = any_of(module, [&](const Function &function) {
          const Function *found = (*library)->getFunction(function.getName());
          return isMissing(function) && found && !found->isDeclaration() && !found->hasLocalLinkage();
        });
        if (helps) {
          if (Error error = take(std::move(*library), file)) {
            return error;
          }
          changed = true;
        }
      }
    }
    return Error::success();
  }

  /// For the host, functions that neither a library nor this process defines.
  Error checkMissing() const {
    sys::DynamicLibrary::getPermanentLibrary(nullptr); // adds the process to what is searched
    for (const Function &function : module) {
      std::string name = function.getName().str();
      if (isMissing(function) && !sys::DynamicLibrary::SearchForAddressOfSymbol(name)) {
        return createStringError("a library calls '" + json::fixUTF8(name) +
                                 "', which neither it nor another library defines");
      }
    }
    return Error::success();
  }

  /// Whether a linked function calls the function, which no library has defined yet.
  bool isMissing(const Function &function) const {
    return function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
           !declared.contains(function.getName());
  }

  Expected<std::unique_ptr<Module>> openForModule(const std::string &file) {
    auto library = bitcode::open(file, module.getContext());
    if (!library) {
      return library;
    }
    const Triple &triple = (*library)->getTargetTriple(), &own = module.getTargetTriple();
    if (!triple.str().empty() && triple.getArch() != own.getArch()) {
      return createStringError("the library " + file + " is for " + triple.str() + ", and the kernel for " + own.str());
    }
    (*library)->setTargetTriple(own);
    (*library)->setDataLayout(module.getDataLayout());
    for (NamedMDNode &node : make_early_inc_range((*library)->named_metadata())) {
      node.eraseFromParent();
    }
    // What these name would be linked although nothing calls it.
    for (StringRef name : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors"}) {
      if (GlobalVariable *variable = (*library)->getNamedGlobal(name)) {
        variable->eraseFromParent();
      }
    }
    return library;
  }

  /// Links what the module declares. The linked definitions are hidden from the next library.
  Error take(std::unique_ptr<Module> library, const std::string &file) {
    codegen::DiagnosticCapture errors(module.getContext());
    if (Linker::linkModules(module, std::move(library), Linker::LinkOnlyNeeded)) {
      return createStringError("the library " + file + " could not be linked: " + errors.first);
    }
    for (GlobalObject &object : module.global_objects()) {
      if (!object.isDeclaration() && settled.insert(&object).second) {
        object.setComdat(nullptr);
        object.setLinkage(GlobalValue::InternalLinkage);
        if (auto *function = dyn_cast<Function>(&object)) {
          adopt(*function);
        }
      }
    }
    return Error::success();
  }

  /// Removes what forbids to inline a function, and what its compiler knew of the processor.
  void adopt(Function &function) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("tune-cpu");
    function.removeFnAttr(Attribute::NoInline);
    function.removeFnAttr(Attribute::OptimizeNone);
    linked.push_back(&function);
  }

  void inlineAll() {
    CallGraph graph(module);
    SmallPtrSet<const Function *, 8> recursive;
    for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component) {
      if (component.hasCycle()) {
        for (const CallGraphNode *node : *component) {
          recursive.insert(node->getFunction());
        }
      }
    }
    for (Function *function : linked) {
      if (!recursive.contains(function)) {
        function->addFnAttr(Attribute::AlwaysInline);
      }
    }
  }

  Module &module;
  const bool isForHost;
  SmallPtrSet<const GlobalObject *, 8> settled; ///< definitions of the kernel, and those that are linked already
  StringSet<> declared;                         ///< what the kernel declares for others than libraries
  std::vector<std::string> files;
  SmallVector<Function *> linked;
};

} // namespace

Error link(Module &module, bool isForHost) {
  bool isNeeded = any_of(module, [](const Function &function) { return function.hasFnAttribute(kSymbol); });
  return isNeeded ? Linking(module, isForHost).run() : Error::success();
}

} // namespace tilewright::libraries
