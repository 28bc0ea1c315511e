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
//   LauncherCudaArray.cpp the same for arrays that are known to be on a GPU
//   LauncherDevice.cpp    where the launch runs
//   LauncherTorch.cpp     what PyTorch says of its current device and stream
//   LauncherConstant.cpp  compile-time values in keys
//   LauncherDescribe.cpp  key bytes to the signature that the compiler is asked for
//   LauncherVariants.cpp  the table of compiled variants
//   LauncherConditions.cpp what a variant assumes of a launch's integers
//   LauncherWatches.cpp   whether what a variant was compiled with has changed
//   LauncherGrid.cpp      the grid
//   LauncherErrors.cpp    exceptions of tilewright.errors
//
// Functions that return bool or a pointer return false or nullptr with a Python
// exception set. All run with the GIL held.

#ifndef TILEWRIGHT_LIB_BINDINGS_LAUNCHER_H
#define TILEWRIGHT_LIB_BINDINGS_LAUNCHER_H

#include <Python.h>

#include "tilewright/Runtime/Arguments.h"
#include "tilewright/Runtime/Grid.h"
#include "tilewright/Runtime/LaunchConditions.h"
#include "tilewright/Runtime/Specialization.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::bindings {

class LoadedKernel;

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

/// Something outside of the kernel that compiled code depends on, with its value (null: none) when
/// that was last looked at. See python/tilewright/dependencies/watches.py.
struct Watch {
  enum Kind : uint8_t {
    Entry,     // of a dictionary
    Cell,      // a variable of an enclosing function
    Attribute, // of an object
    Content,   // all items of a list, a dictionary or a set, all members of a class; the value is a tuple
    Never      // does not hold
  };
  Kind kind = Never;
  Ref container;
  Ref name;
  Ref value;
  uint64_t version = 0; // of the dictionary, when it had the entry
};

/// One compilation of the kernel, and what launches must look like to use it.
struct Variant {
  uint64_t hash;
  std::string key;
  std::vector<Ref> objects; // constants that the key's bytes do not tell apart
  Ref compiled;             // CompiledKernel
  runtime::LaunchConditions conditions;
  Ref loaded;                   // LoadedKernel, once it was launched
  LoadedKernel *code = nullptr; // that of `loaded`
  Ref dependencies;             // tilewright.dependencies.Dependencies; None where nothing can change
  std::vector<Watch> watches;
};

/// The variants of a kernel. They live as long as it does, so that a launch may hold a pointer to
/// one while Python code runs.
class VariantTable {
public:
  /// Calls `visit` with the variants of a key and these constants, the oldest first, until it returns
  /// true; returns that one, else nullptr. With no constants given, whatever they are.
  /// `visit` may run Python code, which may insert.
  Variant *find(uint64_t hash, std::string_view key, std::optional<llvm::ArrayRef<PyObject *>> objects,
                llvm::function_ref<bool(Variant &)> visit) const;
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
};

/// The object; JITFunction derives from its type in Python.
struct Launcher {
  PyObject_HEAD LauncherState *state;
  PyObject *preRunHooks; // a list
};

/// Where memory is. A CUDA device reaches managed memory as the host does.
struct Location {
  enum Kind : uint8_t { Host, Cuda, Managed };
  Kind kind = Host;
  int32_t device = 0;
};

/// Of a framework, by DLPack: its current stream on a device.
using CurrentStream = int (*)(int32_t deviceType, int32_t device, void **stream);

/// A tensor or an array.
struct ArrayArgument {
  uintptr_t address = 0;
  runtime::DataType type = runtime::DataType::I1;
  std::optional<runtime::Extent> extent;
  /// Nothing for a stand-in without memory.
  std::optional<Location> location = Location();
  CurrentStream currentStream = nullptr; // of its framework
  std::optional<uintptr_t> stream;       // that it is ready on
};

/// An array among the arguments, and the slot that holds its address.
struct PassedArray {
  const Parameter *parameter;
  size_t slot;
  std::optional<runtime::Extent> extent;
};

/// What the arrays among the arguments say about where to run, and what was made of it.
struct Placement {
  struct HostArray {
    const Parameter *parameter;
    uintptr_t address;
    std::optional<runtime::Extent> extent;
  };
  llvm::SmallVector<HostArray, 16> hostArrays;
  const Parameter *cudaArray = nullptr; // the first on a CUDA device
  int32_t cudaDevice = 0;               // its device
  std::optional<int32_t> managedDevice; // that of the first array in managed memory
  CurrentStream currentStream = nullptr;
  std::optional<uintptr_t> stream;

  Location launch;
};

/// One launch: what was passed, and what was made of it.
struct Call {
  explicit Call(Launcher &launcher) : launcher(launcher), state(*launcher.state) {}

  Launcher &launcher;
  LauncherState &state;
  llvm::SmallVector<PyObject *, 32> values; // one per parameter
  llvm::SmallVector<std::pair<PyObject *, PyObject *>, 4> options;

  /// Whether the code may assume of index arithmetic what the launch checks.
  bool specializeRanges = true;
  runtime::KeyBuilder key;
  llvm::SmallVector<PyObject *, 8> objects;
  llvm::SmallVector<uint64_t, 32> slots;
  llvm::SmallVector<runtime::Extent, 16> extents;
  bool extentsKnown = true;
  llvm::SmallVector<PassedArray, 16> arrays;
  Placement placement;
  llvm::SmallVector<Ref, 8> keepAlive; // what values were read from
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
  CudaArray,     // __cuda_array_interface__, else one of the two below
  DLPack,        // __dlpack__
  DataPointer,   // data_ptr() and dtype
  Mock           // stands for an aligned tensor of a dtype in warmup()
};

struct TypeInfo {
  TypeKind kind = TypeKind::Unsupported;
  /// Of ExchangeTable: int (*)(void *object, DLTensor *out).
  void *exchange = nullptr;
  CurrentStream currentStream = nullptr;
};

// LauncherCall.cpp
PyObject *launch(Launcher &launcher, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords,
                 bool execute);
// LauncherBind.cpp
bool bindArguments(Call &call, PyObject *const *args, size_t count, PyObject *keywords);
/// Makes the target (None: none) that of all launches of the calling thread that name none; returns the one before, a
/// new reference.
PyObject *exchangeDefaultTarget(PyObject *target);
// LauncherClassify.cpp
bool classifyArguments(Call &call);
// LauncherTypes.cpp
const TypeInfo &typeInfoOf(PyTypeObject *type);
// LauncherArray.cpp
TypeInfo findExchangeTable(PyTypeObject *type);
bool readArray(Call &call, const Parameter &parameter, PyObject *object, const TypeInfo &info, ArrayArgument &array);
/// The type of an array whose format says nothing, by the name of its dtype: bfloat16 and its like (ml_dtypes).
std::optional<runtime::DataType> typeByName(PyObject *object);
bool unknownType(Call &call, const Parameter &parameter, PyObject *object);
// LauncherCudaArray.cpp
/// Returns false without an exception where the object has no such interface now, as arrays on the host.
bool readCudaArray(Call &call, const Parameter &parameter, PyObject *object, ArrayArgument &array);
// LauncherDevice.cpp
bool recordDevice(Call &call, const Parameter &parameter, const ArrayArgument &array);
bool resolveDevice(Call &call);
/// PyTorch's current device, else that of the thread's current context, else the first.
int32_t currentCudaDevice();
/// "cpu", "cuda:0": where the launch runs.
PyObject *describeDevice(const Call &call);
// LauncherTorch.cpp
/// The device that is current for PyTorch; nothing where it is not imported or has no device.
std::optional<int32_t> torchDevice();
/// The stream that is current for PyTorch on a device; the default one where it is not imported or knows no CUDA.
bool torchStream(int32_t device, uintptr_t &stream);
// LauncherConstant.cpp
bool addConstant(Call &call, const Parameter *parameter, PyObject *object);
bool sameConstant(PyObject *a, PyObject *b);
// LauncherDescribe.cpp
PyObject *describeSignature(const Call &call);
// LauncherVariants.cpp
Variant *findVariant(Call &call);
// LauncherConditions.cpp
/// Reads what the code of a CompiledKernel assumes of launches. False with an exception set.
bool readConditions(PyObject *compiled, runtime::LaunchConditions &conditions);
/// The variant for a launch on a grid: one that assumes nothing where the other's conditions do not hold.
Variant *findVariant(Call &call, const runtime::Grid &grid);
// LauncherWatches.cpp
/// Whether nothing has changed that the variant depends on. A watch that does not hold may only mean that this can't be
/// told; then `recheck` knows.
bool dependenciesUnchanged(Variant &variant);
/// Has Python compare by value, and renews the watches. Returns 1, 0, or -1 with an exception.
int recheck(Variant &variant);
/// Takes over what a compilation depends on.
bool setDependencies(Variant &variant, PyObject *dependencies);
int visitWatches(const Variant &variant, visitproc visit, void *arg);
// LauncherGrid.cpp
bool evaluateGrid(const Call &call, PyObject *object, runtime::Grid &grid);
// LauncherErrors.cpp
/// Sets the exception `kind` of tilewright.errors, naming the kernel and, where given, the parameter.
void setError(const char *kind, const LauncherState &state, const Parameter *parameter, const std::string &message);
/// The same with the pending exception as its cause, whose text ends the message.
void setErrorFromPending(const char *kind, const LauncherState &state, const Parameter *parameter,
                         const std::string &message);

//===----------------------------------------------------------------------===//
// The bytes of a key
//===----------------------------------------------------------------------===//

/// Key := value* noalias {option-name option-value} [device] [any-range]; no device is the host
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
  Object, // word: a hash, or 0 for objects that are compared by identity; the object itself is in the list beside the
          // key
  NoAlias,
  MayAlias,
  Option,
  CudaDevice, // word: its ordinal
  AnyRange    // the code assumes nothing of the launch's integers
};
constexpr uint8_t divisibleBy16 = 1;

} // namespace tilewright::bindings

#endif // TILEWRIGHT_LIB_BINDINGS_LAUNCHER_H
