// A launch, `kernel[grid](arguments)`, in C++ on the raw CPython interface. If the kernel was launched with such
// arguments before, the launch creates no Python objects and runs no Python code.
//
//   Type.cpp       the types Launcher (base class of JITFunction) and BoundGrid
//   Wrapped.cpp    kernels that launch another one: autotuned, or with heuristics
//   Call.cpp       a launch from beginning to end
//   Bind.cpp       binds arguments, keywords and defaults to parameters
//   Classify.cpp   encodes a value as key bytes and slots
//   Types.cpp      how values of a Python type are passed
//   Array.cpp      reads the address, extent and dtype of tensors and arrays
//   DeviceArray.cpp  the same for arrays that describe their memory on a GPU by an attribute
//   Device.cpp     selects the device and the stream
//   DeviceKinds.cpp  the registered kinds of devices; each has a folder, such as Cuda
//   Torch.cpp      reads PyTorch's current device and stream
//   Constant.cpp   encodes compile-time values in keys
//   Describe.cpp   decodes key bytes to the signature for the compiler
//   Variants.cpp   the table of compiled variants
//   Conditions.cpp evaluates the launch conditions of a variant, and makes its tensor maps
//   Watches.cpp    whether the dependencies of a variant have changed
//   Grid.cpp       the grid
//   Errors.cpp     exceptions of tilewright.errors
//
// On failure, functions that return bool or a pointer return false or nullptr with a Python exception set. All
// functions require the GIL.

#ifndef TILEWRIGHT_LAUNCHER_LAUNCHER_H
#define TILEWRIGHT_LAUNCHER_LAUNCHER_H

#include <Python.h>

#include "tilewright/Launcher/DeviceKind.h"
#include "tilewright/Runtime/ArgumentBlock.h"
#include "tilewright/Runtime/Arguments.h"
#include "tilewright/Runtime/Grid.h"
#include "tilewright/Runtime/LaunchConditions.h"
#include "tilewright/Runtime/Specialization.h"
#include "tilewright/Runtime/TensorMapParameters.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::launcher {

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

/// A parameter of the kernel.
struct Parameter {
  Ref name; // interned
  Ref defaultValue;
  bool isConstexpr = false;
  bool keywordOnly = false;
  /// Whether it is `*args`: the tuple of all further positional arguments.
  bool collects = false;
  /// Whether the kernel is specialized on integers equal to 1, and on alignment.
  bool specialize = true;
  bool specializeAlignment = true;
  /// The type of a scalar, if the annotation specifies it.
  std::optional<runtime::DataType> scalarType;
};

/// A dependency of compiled code outside of the kernel, with the value (null: none) that it had when it was last read.
/// See python/tilewright/dependencies/watches.py.
struct Watch {
  enum Kind : uint8_t {
    Entry,     // of a dictionary
    Cell,      // a variable of an enclosing function
    Attribute, // of an object
    Content,   // all items of a list, a dictionary or a set, all members of a class; the value is a tuple
    Never      // always counts as changed
  };
  Kind kind = Never;
  Ref container;
  Ref name;
  Ref value;
  uint64_t version = 0; // the dictionary's version when it was last compared
};

/// A compilation of the kernel, and the launches that can use it.
struct Variant {
  uint64_t hash;
  std::string key;
  std::vector<Ref> objects; // constants that the key's bytes do not distinguish
  Ref compiled;             // CompiledKernel
  runtime::LaunchConditions conditions;
  runtime::TensorMapParameters tensorMaps;
  Ref loaded;                   // LoadedKernel, set by the first launch
  LoadedKernel *code = nullptr; // the C++ object of `loaded`
  Ref dependencies;             // tilewright.dependencies.Dependencies; None if nothing can change
  std::vector<Watch> watches;
};

/// The variants of a kernel. They are not destroyed before the kernel, so that a launch may hold a pointer to one while
/// Python code runs.
class VariantTable {
public:
  /// Calls `visit` with the variants that have this key and these constants, the oldest first, until it returns true.
  /// Returns that variant, or nullptr. Without `objects`, the constants are not compared. `visit` may run Python code,
  /// which may insert variants.
  Variant *find(uint64_t hash, std::string_view key, std::optional<llvm::ArrayRef<PyObject *>> objects,
                llvm::function_ref<bool(Variant &)> visit) const;
  Variant *insert(std::unique_ptr<Variant> variant);
  llvm::ArrayRef<std::unique_ptr<Variant>> all() const { return variants; }
  void clear();

private:
  std::vector<std::unique_ptr<Variant>> variants;
  /// A hash table with open addressing. Its size is a power of two, and it is at most half full. 0 is a free slot;
  /// other values are an index plus one.
  std::vector<uint32_t> slots;
};

struct LauncherState {
  std::string label; // "add (kernels.py:12)"
  std::vector<Parameter> parameters;
  std::optional<size_t> collecting; // the index of `*args`
  Ref namedArguments;               // a dictionary with the parameters' names as keys, for functions that return a grid
  VariantTable variants;
};

/// The Python object. JITFunction derives from its type.
struct Launcher {
  PyObject_HEAD LauncherState *state;
  PyObject *preRunHooks; // a list
};

/// A framework's DLPack function that returns its current stream on a device.
using CurrentStream = int (*)(int32_t deviceType, int32_t device, void **stream);

/// A tensor or an array.
struct ArrayArgument {
  uintptr_t address = 0;
  runtime::DataType type = runtime::DataType::I1;
  std::optional<runtime::Extent> extent;
  bool isReadOnly = false;
  Location location;                     // kNowhere for a mock without memory
  CurrentStream currentStream = nullptr; // of its framework
  std::optional<uintptr_t> stream;       // the stream on which the array is ready
};

/// An array among the arguments, and the slot that holds its address.
struct PassedArray {
  const Parameter *parameter;
  size_t slot;
  std::optional<runtime::Extent> extent;
};

/// The locations of the arrays among the arguments, and the device that was selected for the launch.
struct Placement {
  struct HostArray {
    const Parameter *parameter;
    uintptr_t address;
    std::optional<runtime::Extent> extent;
  };
  llvm::SmallVector<HostArray, 16> hostArrays;
  const Parameter *deviceArray = nullptr; // the first array on a device other than the host
  Location device;                        // its device
  std::optional<Location> managed;        // the device of the first array in managed memory
  CurrentStream currentStream = nullptr;
  std::optional<uintptr_t> stream;

  Location launch;
};

/// One launch: its arguments, and their encoding.
struct Call {
  explicit Call(Launcher &launcher) : launcher(launcher), state(*launcher.state) {}

  Launcher &launcher;
  LauncherState &state;
  llvm::SmallVector<PyObject *, 32> values; // one per parameter
  llvm::SmallVector<std::pair<PyObject *, PyObject *>, 4> options;

  /// Whether the code may rely on launch conditions.
  bool specializeRanges = true;
  /// Whether the code may take tensor maps.
  bool takesTensorMaps = true;
  runtime::KeyBuilder key;
  llvm::SmallVector<PyObject *, 8> objects;
  runtime::ArgumentBlock slots;
  /// The maps that the variant's code takes, which the hardware can take, and their descriptions.
  llvm::SmallVector<runtime::TensorMap, 0> tensorMaps;
  const runtime::TensorMapParameters *tensorMapParameters = nullptr;
  llvm::SmallVector<runtime::Extent, 16> extents;
  bool extentsKnown = true;
  llvm::SmallVector<PassedArray, 16> arrays;
  llvm::SmallVector<PassedArray, 2> readOnlyArrays;
  Placement placement;
  llvm::SmallVector<Ref, 8> keepAlive; // objects that own values read from them
};

/// How values of a Python type are passed.
enum class TypeKind : uint8_t {
  Unsupported,
  Integer,       // int and its subclasses, NumPy's integers, types with __index__
  Boolean,       // numpy.bool
  Float,         // float and its subclasses, NumPy's floats
  Tuple,         // including named tuples
  Structure,     // classes with the value protocol (python/tilewright/language/value.py)
  ByValue,       // bytes that are passed by value: __tilewright_by_value__ is their alignment
  Wrapped,       // tl.constexpr
  Constant,      // strings, dtypes, @jit functions
  ExchangeTable, // DLPack's C functions
  ArrayStruct,   // __array_struct__
  DeviceArray,   // DeviceKind::arrayAttribute, or one of the two below if an object lacks it
  DLPack,        // __dlpack__
  DataPointer,   // data_ptr() and dtype
  Mock           // stands for an aligned tensor of a dtype in warmup()
};

struct TypeInfo {
  TypeKind kind = TypeKind::Unsupported;
  /// For ExchangeTable: int (*)(void *object, DLTensor *out).
  void *exchange = nullptr;
  CurrentStream currentStream = nullptr;
  /// For DeviceArray.
  const DeviceKind *device = nullptr;
  size_t alignment = 0; // for ByValue
};

// Type.cpp
/// `kernel[grid]`, for a Launcher or a WrappedKernel.
PyObject *makeBoundGrid(PyObject *kernel, PyObject *grid);
bool isLauncher(PyObject *object);
// Wrapped.cpp
PyObject *makeWrappedKernelType();
/// Sets the method `run` of @jit functions. Launches call another one if a class or a program replaces it.
void setDefaultRun(PyObject *run);
/// Launches a kernel of any type: one that wraps another, or any object with a method `run`.
PyObject *launchAny(PyObject *kernel, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords);
// Call.cpp
PyObject *launch(Launcher &launcher, PyObject *grid, PyObject *const *args, size_t count, PyObject *keywords, bool run);
/// Sets the object (None: none) whose methods `enter` and `exit` are called around each launch. Returns a new reference
/// to the previous one.
PyObject *exchangeLaunchHooks(PyObject *hooks);
// Bind.cpp
bool bindArguments(Call &call, PyObject *const *args, size_t count, PyObject *keywords);
/// Sets the default target (None: none) of launches of the calling thread. Returns a new reference to the previous one.
PyObject *exchangeDefaultTarget(PyObject *target);
// Classify.cpp
bool classifyArguments(Call &call);
// Types.cpp
const TypeInfo &typeInfoOf(PyTypeObject *type);
// Array.cpp
TypeInfo findExchangeTable(PyTypeObject *type);
bool readArray(Call &call, const Parameter &parameter, PyObject *object, const TypeInfo &info, ArrayArgument &array);
/// The type of an array from the name of its dtype, if its format code does not identify it: bfloat16 and others
/// (ml_dtypes).
std::optional<runtime::DataType> typeByName(PyObject *object);
bool unknownType(Call &call, const Parameter &parameter, PyObject *object);
// DeviceArray.cpp
/// Reads an array by the `arrayAttribute` of a kind of device: a dict with shape, typestr, data, strides and stream.
/// Returns false on failure, and without an exception if this object does not have the attribute, for example because
/// it is on the host.
bool readDeviceArray(Call &call, const Parameter &parameter, PyObject *object, const DeviceKind &kind,
                     ArrayArgument &array);
// Device.cpp
bool recordDevice(Call &call, const Parameter &parameter, const ArrayArgument &array);
bool resolveDevice(Call &call);
/// The current stream of the arrays' framework, or the stream on which the arrays are ready, or PyTorch's current
/// stream on the device of the launch.
bool findStream(const Placement &placement, uintptr_t &stream);
/// The name of the device of the launch: "cpu", "cuda:0".
PyObject *describeDevice(const Call &call);
// Torch.cpp
/// PyTorch's current device; none if PyTorch is not imported or has no device.
std::optional<int32_t> torchDevice();
/// PyTorch's current stream on a device; the default stream if PyTorch is not imported or was built without GPUs.
bool torchStream(int32_t device, uintptr_t &stream);
/// Whether PyTorch is imported and was built for AMD's GPUs, which it calls by the names of NVIDIA's.
bool torchIsForHip();
// Constant.cpp
bool addConstant(Call &call, const Parameter *parameter, PyObject *object);
bool sameConstant(PyObject *a, PyObject *b);
// Describe.cpp
PyObject *describeSignature(const Call &call);
// Variants.cpp
Variant *findVariant(Call &call);
// Conditions.cpp
/// Reads the launch conditions and the tensor maps of a CompiledKernel.
bool readConditions(PyObject *compiled, Variant &variant);
/// The variant for a launch on a grid, whose tensor maps are in the call. If the launch conditions of the usual variant
/// do not hold, or if its tensor maps can't be made, one without either.
Variant *findVariantForLaunch(Call &call, const runtime::Grid &grid);
/// The parameter that is the base address of a tensor map; null if it is no array.
const Parameter *baseOfTensorMap(const Call &call, size_t map);
/// Whether the code of a CompiledKernel leaves the read-only arrays of a launch alone; sets an error if not.
bool leavesReadOnlyArrays(const Call &call, PyObject *compiled);
// Watches.cpp
/// Whether all watches of the variant are unchanged. If not, the dependencies may still have equal values, which
/// `recheck` determines.
bool dependenciesUnchanged(Variant &variant);
/// Compares the dependencies by value in Python, and updates the watches if they are equal. Returns 1 if they are, 0 if
/// not, or -1 with an exception set.
int recheck(Variant &variant);
/// Makes the next launch of each variant compare its dependencies by value.
void invalidateWatches(VariantTable &variants);
/// Sets the dependencies of a compilation.
bool setDependencies(Variant &variant, PyObject *dependencies);
int visitWatches(const Variant &variant, visitproc visit, void *arg);
// Grid.cpp
bool evaluateGrid(const Call &call, PyObject *object, runtime::Grid &grid);
// Errors.cpp
/// Sets the exception `kind` of tilewright.errors. The message names the kernel, and the parameter if there is one.
void setError(const char *kind, const LauncherState &state, const Parameter *parameter, const std::string &message);
/// The same with the pending exception as the cause, whose text is appended to the message.
void setErrorFromPending(const char *kind, const LauncherState &state, const Parameter *parameter,
                         const std::string &message);
/// Removes Tilewright's own frames from the traceback of the pending exception, if it is one of tilewright.errors.
void hideInternalFrames();

//===----------------------------------------------------------------------===//
// The bytes of a key
//===----------------------------------------------------------------------===//

/// Key := value* noalias {option-name option-value} [device] [no-tensor-maps] [any-range]; without a device, the launch
/// runs on the host.
enum class Tag : uint8_t {
  None,
  One,       // an integer equal to 1
  Scalar,    // type flags
  Pointer,   // type flags
  Tuple,     // count class value*; the class is an object, or None for a plain tuple
  Structure, // count class key value*; of a class with the value protocol
  Integer,   // word: a constant of type int that fits into 64 bits
  True,
  False,
  Float,   // word: the bits of a constant
  ByValue, // word: size; word: alignment
  Object,  // word: a hash, or 0 for objects that are compared by identity; the object is in the list beside the key
  NoAlias,
  MayAlias,
  Option,
  Device,      // type, word: its ordinal
  AnyRange,    // the code has no launch conditions
  NoTensorMaps // the code takes no tensor maps
};
constexpr uint8_t divisibleBy16 = 1;

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LAUNCHER_LAUNCHER_H
