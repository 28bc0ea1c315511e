// RUN: tilewright-opt --show-dialects | FileCheck %s

// CHECK: Available Dialects: arith,builtin,cf,func,llvm,math,nvvm,ptx,scf,tile,tilegpu,vector{{$}}
