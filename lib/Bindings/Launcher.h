// The path of a launch, `kernel[grid](arguments)`, in C++ on the raw CPython
// interface: no Python object is made and no Python code runs on the way to a
// kernel that was launched with such arguments before.
//
//   LauncherType.cpp      the types Launcher (base class of JITFunction) and BoundGrid
//   LauncherCall.cpp      a launch from beginning to end
//   LauncherBind.cpp      positional and keyword arguments and defaults to parameters
//   LauncherClassify.cpp  a value to key bytes and slots
//   LauncherTypes.cpp     how values of a Python type are passed
//   LauncherArray.cpp     tensors and arrays to address, extent and dtype
//   LauncherConstant.cpp  compile-time values in keys
//   LauncherDescribe.cpp  key bytes to the signature that the compiler is asked for
//   LauncherVariants.cpp  the table of compiled variants; the globals they were compiled with
//   LauncherGrid.cpp      the grid
//   LauncherErrors.cpp    exceptions of tilewright.errors
//
// Functions that return bool or a pointer return false or nullptr with a Python
// exception set. All run with the GIL held.

#ifndef TILEWRIGHT_LIB_BINDINGS_LAUNCHER_H
#define TILEWRIGHT_LIB_BINDINGS_LAUNCHER_H

#include <Python.h>

#include "tilewright/Runtime/Arguments.h"
#include "tilewright/Runtime/Specialization.h"
#include "tilewright/Runtime/ThreadPool.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::bindings {

/// An owned reference.
class Ref {
public:
  Ref() = default;
  /// Takes over a new reference, which may be null.
  static Ref take(PyObject *object) { return Ref(object); }
  static Ref share(PyObject *object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(const Ref &other) : object(other.object) { Py_XINCREF(object); }
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() { Py_XDECREF(object); }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object; }

private:
  explicit Ref(PyObject *object) : object(object) {}
  PyObject *object = nullptr;
};

/// What the launcher knows about a parameter of the kernel.
struct Parameter {
  Ref name; // interned
  Ref defaultValue;
  bool isConstexpr = false;
  bool keywordOnly = false;
  /// Whether integers equal to 1 become constants and alignment is looked at.
  bool specialize = true;
  bool specializeAlignment = true;
  /// The type that the annotation of a scalar fixes.
  std::optional<runtime::DataType> scalarType;
};

/// A variable outside of the kernel that compiled code depends on: an entry of a dictionary or a
/// cell's content, with its value (null: none) when that was last looked at.
struct Watch {
  Ref container;
  Ref name;
  Ref value;
};

/// One compilation of the kernel, and what launches must look like to use it.
struct Variant {
  uint64_t hash;
  std::string key;
  std::vector<Ref> objects; // constants that the key's bytes do not tell apart
  Ref compiled;             // CompiledKernel
  Ref loaded;               // LoadedKernel, which owns the code
  runtime::KernelEntry entry;
  runtime::ProgramCost cost;
};

/// The variants of a kernel. They live as long as it does, so that a launch may hold a pointer to
/// one while Python code runs.
class VariantTable {
public:
  /// The variant of a key; nullptr without an exception where there is none, with one where
  /// comparing constants raised it.
  Variant *find(uint64_t hash, std::string_view key, llvm::ArrayRef<PyObject *> objects) const;
  Variant *insert(std::unique_ptr<Variant> variant);
  llvm::ArrayRef<std::unique_ptr<Variant>> all() const { return variants; }
  void clear();

private:
  std::vector<std::unique_ptr<Variant>> variants;
  /// Open addressing; a power of two, at most half full; 0 is free, else an index plus one.
  std::vector<uint32_t> slots;
};

struct LauncherState {
  std::string label; // "add (kernels.py:12)"
  std::vector<Parameter> parameters;
  VariantTable variants;
  std::vector<Watch> watches;
  /// Stands for the text of the kernel and of all it reaches; 0 until that is known.
  uint64_t epoch = 0;
};

/// The object; JITFunction derives from its type in Python.
struct Launcher {
  PyObject_HEAD LauncherState *state;
  PyObject *preRunHooks; // a list
};

/// One launch: what was passed, and what was made of it.
struct Call {
  explicit Call(Launcher &launcher) : launcher(launcher), state(*launcher.state) {}

  Launcher &launcher;
  LauncherState &state;
  llvm::SmallVector<PyObject *, 32> values; // one per parameter
  llvm::SmallVector<std::pair<PyObject *, PyObject *>, 4> options;

  runtime::KeyBuilder key;
  llvm::SmallVector<PyObject *, 8> objects;
  llvm::SmallVector<uint64_t, 32> slots;
  llvm::SmallVector<runtime::Extent, 16> extents;
  bool extentsKnown = true;
  llvm::SmallVector<Ref, 8> keepAlive; // what values were read from
};

/// A tensor or an array.
struct ArrayArgument {
  uintptr_t address = 0;
  runtime::DataType type = runtime::DataType::I1;
  std::optional<runtime::Extent> extent;
};

/// How values of a Python type are passed.
enum class TypeKind : uint8_t {
  Unsupported,
  Integer,       // int and its subclasses, NumPy's integers, what has __index__
  Boolean,       // numpy.bool
  Float,         // float and its subclasses, NumPy's floats
  Tuple,         // also named ones
  Wrapped,       // tl.constexpr
  Constant,      // strings, dtypes, @jit functions
  ExchangeTable, // DLPack's C functions
  ArrayStruct,   // __array_struct__
  DLPack,        // __dlpack__
  DataPointer,   // data_ptr() and dtype
  Mock           // stands for an aligned tensor of a dtype in warmup()
};

struct TypeInfo {
  TypeKind kind = TypeKind::Unsupported;
  /// Of ExchangeTable: int (*)(void *object, DLTensor *out).
  void *exchange = nullptr;
};

// LauncherCall.cpp
PyObject *launch(Launcher &launcher, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords,
                 bool execute);
// LauncherBind.cpp
bool bindArguments(Call &call, PyObject *const *args, size_t count, PyObject *keywords);
// LauncherClassify.cpp
bool classifyArguments(Call &call);
// LauncherTypes.cpp
const TypeInfo &typeInfoOf(PyTypeObject *type);
// LauncherArray.cpp
void *findExchangeFunction(PyTypeObject *type);
bool readArray(Call &call, const Parameter &parameter, PyObject *object, const TypeInfo &info, ArrayArgument &array);
// LauncherConstant.cpp
bool addConstant(Call &call, const Parameter *parameter, PyObject *object);
bool sameConstant(PyObject *a, PyObject *b, bool &same);
// LauncherDescribe.cpp
PyObject *describeSignature(const Call &call);
// LauncherVariants.cpp
bool watchesHold(const LauncherState &state);
// LauncherGrid.cpp
bool evaluateGrid(const Call &call, PyObject *object, runtime::Grid &grid);
// LauncherErrors.cpp
/// Sets the exception `kind` of tilewright.errors, naming the kernel and, where given, the parameter.
void setError(const char *kind, const LauncherState &state, const Parameter *parameter, const std::string &message);
/// The same with the pending exception as its cause, whose text ends the message.
void setErrorFromPending(const char *kind, const LauncherState &state, const Parameter *parameter,
                         const std::string &message);
// LoadedKernel.cpp
bool entryOf(PyObject *loaded, runtime::KernelEntry &entry);

//===----------------------------------------------------------------------===//
// The bytes of a key
//===----------------------------------------------------------------------===//

/// Key := epoch value* noalias {option-name option-value}
enum class Tag : uint8_t {
  None,
  One,     // an integer equal to 1
  Scalar,  // type flags
  Pointer, // type flags
  Tuple,   // count class value*; the class is an object, or None for a plain tuple
  Integer, // word: a constant of type int that fits
  True,
  False,
  Float,  // word: the bits of a constant
  Object, // word: the hash; the object itself is in the list beside the key
  NoAlias,
  MayAlias,
  Option
};
constexpr uint8_t divisibleBy16 = 1;

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_LAUNCHER_H
