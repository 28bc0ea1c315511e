// report-asserts: a failed assertion on a GPU reports its number and its program to the host.
//
//     func.func @kernel(%n: i32) {                 func.func @kernel(%n: i32, %mailbox: !tile.ptr<i64> {hidden slot 0})
//     {
//       tile.assert %ok, "n is positive"     ->      tile.assert %ok, "n is positive" report 1 to %mailbox
//       tile.call @f(%n)                             tile.call @f(%n, %mailbox)
//
// The assertions of check-bounds have the first numbers, and their mailbox is used for the others as well. The kernel's
// attribute `tile.asserts` lists the other assertions in the order of their numbers.

#include "AssertDescription.h"

#include "tilewright/Analysis/CheckedAccess.h"
#include "tilewright/Dialect/Tile/IR/Calls.h"
#include "tilewright/Runtime/Mailbox.h"
#include "tilewright/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace tilewright {
#define GEN_PASS_DEF_REPORTASSERTS
#include "tilewright/Transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// What gets the mailbox in one function.
struct Reporters {
  func::FuncOp function;
  SmallVector<tile::AssertOp> asserts;
  SmallVector<tile::CallOp> calls; ///< of functions that have assertions, or call such functions
};

/// The functions that have assertions, or call such functions.
std::vector<Reporters> collect(ModuleOp module) {
  std::vector<Reporters> all;
  SmallPtrSet<Operation *, 4> reporting;
  SmallVector<FunctionOpInterface> functions = tile::callersFirst(module);
  for (FunctionOpInterface function : llvm::reverse(functions)) {
    Reporters found{cast<func::FuncOp>(function), {}, {}};
    function->walk([&](tile::AssertOp op) {
      if (!op.getMailbox()) {
        found.asserts.push_back(op);
      }
    });
    function->walk([&](tile::CallOp call) {
      if (reporting.contains(tile::calleeOf(call))) {
        found.calls.push_back(call);
      }
    });
    if (!found.asserts.empty() || !found.calls.empty()) {
      reporting.insert(function);
      all.push_back(std::move(found));
    }
  }
  return all;
}

Value addArgument(func::FuncOp function, ArrayRef<NamedAttribute> attributes) {
  Builder b(function.getContext());
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(index, tile::PtrType::get(b.getI64Type()), b.getDictionaryAttr(attributes),
                                function.getLoc());
  return function.getArgument(index);
}

/// The argument that `check-bounds` has added, or a new one.
Value mailboxOf(func::FuncOp function) {
  if (!function->hasAttr(tile::TileDialect::kKernelAttr)) {
    return addArgument(function, {});
  }
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto slot = function.getArgAttrOfType<IntegerAttr>(index, tile::TileDialect::kHiddenSlotAttr);
    if (slot && slot.getInt() == 0) {
      return function.getArgument(index);
    }
  }
  Builder b(function.getContext());
  return addArgument(function, b.getNamedAttr(tile::TileDialect::kHiddenSlotAttr, b.getI32IntegerAttr(0)));
}

struct ReportAsserts : impl::ReportAssertsBase<ReportAsserts> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (kernel->hasAttr(tile::TileDialect::kKernelAttr)) {
        return report(kernel, collect(getOperation()));
      }
    }
  }

  static void report(func::FuncOp kernel, std::vector<Reporters> reporters) {
    OpBuilder b(kernel.getContext());
    auto accesses = kernel->getAttrOfType<ArrayAttr>(kCheckedAccessesAttr);
    int64_t number = accesses ? static_cast<int64_t>(accesses.size()) : 0;
    SmallVector<Attribute> descriptions;
    for (Reporters &reporter : reporters) {
      Value mailbox = mailboxOf(reporter.function);
      for (tile::AssertOp op : reporter.asserts) {
        if (number >= runtime::kMostReports) {
          break; // the driver still prints the messages
        }
        descriptions.push_back(describeAssert(op, op.getMessageAttr()));
        op.getMailboxMutable().assign(mailbox);
        op.setReport(static_cast<int32_t>(++number));
      }
      for (tile::CallOp call : reporter.calls) {
        call.getArgsMutable().append(mailbox);
      }
    }
    if (!descriptions.empty()) {
      kernel->setAttr(tile::TileDialect::kAssertsAttr, b.getArrayAttr(descriptions));
    }
  }
};

} // namespace
} // namespace tilewright
