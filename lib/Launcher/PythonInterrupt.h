// Handles Ctrl-C during a launch on the host.

#ifndef TILEWRIGHT_LIB_LAUNCHER_PYTHONINTERRUPT_H
#define TILEWRIGHT_LIB_LAUNCHER_PYTHONINTERRUPT_H

#include <Python.h>

#include "tilewright/Runtime/Host/ThreadPool.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace tilewright::launcher {

/// Releases the GIL when a launch is long, and checks for Ctrl-C from then on. Python runs signal handlers on the main
/// thread only.
class PythonInterrupt : public runtime::Interrupt {
public:
  ~PythonInterrupt() override {
    if (released) {
      PyEval_RestoreThread(released);
    }
  }
  void onLongLaunch() override { released = released ? released : PyEval_SaveThread(); }
  bool requested() override {
    if (!released || syscall(SYS_gettid) != getpid()) {
      return false;
    }
    PyEval_RestoreThread(released);
    bool raised = PyErr_Occurred() || PyErr_CheckSignals() != 0;
    released = PyEval_SaveThread();
    return raised;
  }

private:
  PyThreadState *released = nullptr;
};

} // namespace tilewright::launcher

#endif // TILEWRIGHT_LIB_LAUNCHER_PYTHONINTERRUPT_H
