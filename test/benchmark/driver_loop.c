// Launches an empty kernel in a loop in C, in the current context: a lower bound on the launch time of any compiler.
// bare_driver.py compiles it. The declarations are those of the CUDA Driver API that the loop needs.

#include <stddef.h>
#include <stdio.h>
#include <time.h>

typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;

extern int cuModuleLoadData(CUmodule *module, const void *image);
extern int cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
extern int cuCtxSynchronize(void);
extern int cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                          unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters,
                          void **extra);

enum { MOST_PARAMETERS = 64 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// PTX of a kernel that does nothing with its parameters of 64 bits.
static int load_kernel(int parameters, CUfunction *function) {
  char ptx[8192];
  int used = snprintf(ptx, sizeof ptx, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing(");
  for (int i = 0; i < parameters; ++i) {
    used += snprintf(ptx + used, sizeof ptx - used, "%s.param .b64 p%d", i ? ", " : "", i);
  }
  snprintf(ptx + used, sizeof ptx - used, ") { ret; }\n");
  CUmodule module;
  int status = cuModuleLoadData(&module, ptx);
  return status ? status : cuModuleGetFunction(function, module, "nothing");
}

// The microseconds of one launch, the best of `rounds` rounds of `calls` launches each, or the driver's status,
// negated. A round starts with an empty queue, because a launch into a full one would wait.
double best_launch_time(int parameters, int rounds, int calls) {
  unsigned long long values[MOST_PARAMETERS] = {0};
  void *addresses[MOST_PARAMETERS];
  CUfunction function;
  int status = parameters > MOST_PARAMETERS ? 1 : load_kernel(parameters, &function);
  for (int i = 0; i < parameters && !status; ++i) {
    addresses[i] = &values[i];
  }
  double best = 1e9;
  for (int round = 0; round < rounds && !status; ++round) {
    status = cuCtxSynchronize();
    double start = now();
    for (int i = 0; i < calls && !status; ++i) {
      status = cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, NULL, addresses, NULL);
    }
    double took = 1e6 * (now() - start) / calls;
    best = took < best ? took : best;
  }
  return status ? -status : best;
}
