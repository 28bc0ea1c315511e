// RUN: tilewright-opt --show-dialects | FileCheck %s

// CHECK: Available Dialects: arith,builtin,cf,func,llvm,math,nvvm,ptx,rocdl,scf,thread,tile,tilegpu,ub,vector{{$}}
