// RUN: tilewright-opt --show-dialects | FileCheck %s

// CHECK: Available Dialects:
// CHECK-SAME: tile
