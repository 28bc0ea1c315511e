// Binds positional arguments, keywords and defaults to parameters, as Python does for a function. A keyword that is not
// a parameter is a compilation option.

#include "tilewright/Launcher/Launcher.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewright::launcher {

/// The index of the parameter with the name `keyword`, or the number of parameters if there is none. The search starts
/// at `hint`, because callers mostly pass keywords in the order of the parameters.
static size_t findParameter(const std::vector<Parameter> &parameters, PyObject *keyword, size_t hint) {
  size_t count = parameters.size();
  for (size_t i = 0; i < count; ++i) {
    size_t index = (hint + i) % count;
    if (parameters[index].name.get() == keyword) {
      return index;
    }
  }
  // Parameter names are interned, but a keyword that is created at run time (**options) may not be.
  if (!PyUnicode_CHECK_INTERNED(keyword)) {
    for (size_t index = 0; index < count; ++index) {
      if (PyUnicode_Compare(parameters[index].name.get(), keyword) == 0) {
        return index;
      }
    }
  }
  return count;
}

/// Python creates the error message, with names and suggestions.
static bool explain(Call &call, PyObject *const *args, size_t count, PyObject *keywords) {
  Ref self = Ref::share(reinterpret_cast<PyObject *>(&call.launcher));
  Ref method = Ref::take(PyObject_GetAttrString(self.get(), "_explain_binding"));
  Ref result = Ref::take(method ? PyObject_Vectorcall(method.get(), args, count, keywords) : nullptr);
  if (result) {
    setError("ArgumentError", call.state, nullptr, "the arguments do not match the parameters");
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The default target
//===----------------------------------------------------------------------===//

static PyObject *targetKeyword = nullptr; // interned
/// The default target of the calling thread; null: none.
static thread_local PyObject *defaultTarget = nullptr;

PyObject *exchangeDefaultTarget(PyObject *target) {
  if (!targetKeyword) {
    targetKeyword = PyUnicode_InternFromString("target");
  }
  PyObject *old = defaultTarget;
  defaultTarget = target == Py_None ? nullptr : Py_NewRef(target);
  return old ? old : Py_NewRef(Py_None);
}

static void addDefaultTarget(Call &call) {
  auto isTarget = [](const auto &option) { return PyUnicode_Compare(option.first, targetKeyword) == 0; };
  if (defaultTarget && llvm::none_of(call.options, isTarget)) {
    call.keepAlive.push_back(Ref::share(defaultTarget));
    call.options.emplace_back(targetKeyword, defaultTarget);
  }
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// Binds positional arguments. Those from the index of a parameter `*args` on become a tuple.
static bool bindPositional(Call &call, PyObject *const *args, size_t count) {
  const std::vector<Parameter> &parameters = call.state.parameters;
  size_t bound = call.state.collecting ? std::min(count, *call.state.collecting) : count;
  call.values.append(args, args + bound);
  call.values.resize(parameters.size(), nullptr);
  if (!call.state.collecting) {
    return true;
  }
  Ref rest = Ref::take(PyTuple_New(static_cast<Py_ssize_t>(count - bound)));
  for (size_t i = bound; rest && i < count; ++i) {
    PyTuple_SET_ITEM(rest.get(), i - bound, Py_NewRef(args[i]));
  }
  call.values[*call.state.collecting] = rest.get();
  call.keepAlive.push_back(rest);
  return static_cast<bool>(rest);
}

bool bindArguments(Call &call, PyObject *const *args, size_t count, PyObject *keywords) {
  const std::vector<Parameter> &parameters = call.state.parameters;
  bool collects = call.state.collecting.has_value();
  if (!collects && (count > parameters.size() || (count > 0 && parameters[count - 1].keywordOnly))) {
    return explain(call, args, count, keywords);
  }
  if (!bindPositional(call, args, count)) {
    return false;
  }
  size_t keywordCount = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (size_t i = 0; i < keywordCount; ++i) {
    PyObject *keyword = PyTuple_GET_ITEM(keywords, i), *value = args[count + i];
    size_t index = findParameter(parameters, keyword, count + i);
    if (index == parameters.size()) {
      call.options.emplace_back(keyword, value);
    } else if (std::exchange(call.values[index], value)) {
      return explain(call, args, count, keywords);
    }
  }
  for (size_t i = collects ? 0 : count; i < parameters.size(); ++i) {
    PyObject *&value = call.values[i];
    value = value ? value : parameters[i].defaultValue.get();
    if (!value) {
      return explain(call, args, count, keywords);
    }
  }
  addDefaultTarget(call);
  return true;
}

} // namespace tilewright::launcher
