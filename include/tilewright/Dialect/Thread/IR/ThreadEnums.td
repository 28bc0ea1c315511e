// The enumerations of the thread dialect, apart from its operations: a generator emits all enumerations of a file,
// also those of dialects that it includes.

#ifndef TILEWRIGHT_DIALECT_THREAD_IR_THREADENUMS_TD
#define TILEWRIGHT_DIALECT_THREAD_IR_THREADENUMS_TD

include "mlir/IR/EnumAttr.td"

def Thread_ShuffleKind : I32Enum<"ShuffleKind", "how a shuffle names the source lane", [
  I32EnumCase<"Xor", 0, "xor">, I32EnumCase<"Index", 1, "index">]> {
  let cppNamespace = "::tilewright::thread";
}

#endif // TILEWRIGHT_DIALECT_THREAD_IR_THREADENUMS_TD
