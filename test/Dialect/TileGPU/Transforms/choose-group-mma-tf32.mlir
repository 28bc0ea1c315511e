// RUN: tilewright-opt %s --split-input-file --choose-mma --test-verify-layouts | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --choose-mma --stage-group-operands --test-verify-layouts | FileCheck %s --check-prefix=STAGED

// Instructions of warp groups cut off to tf32 what they read from shared memory: one operand goes through registers.
#long = #tilegpu.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]], block = [] : 64x32>
#byK = #tilegpu.layout<register = [[1, 0], [2, 0], [0, 16], [0, 32]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]], block = [] : 32x64>
#acc = #tilegpu.layout<register = [[0, 1], [0, 2], [16, 0], [32, 0], [0, 32]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>

// B is adjacent along K, as the instruction requires. A is computed, so that it could be read along K, too.
// CHECK-LABEL: @along_k
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<64x32xf32
// CHECK: %[[B:.*]] = tile.load
// CHECK: tilegpu.group_mma "m64k8.tf32.tf32.f32" %[[A]], %[[B]], %{{[0-9]*}} :
// STAGED-LABEL: @along_k
// STAGED-SAME: %[[A:[a-z0-9]*]]: tensor<64x32xf32
// STAGED: %[[REGISTERS:.*]] = tilegpu.convert_layout %[[A]]
// STAGED-NOT: round_to_tf32
// STAGED: tilegpu.group_mma "m64k8.tf32.tf32.f32" %[[REGISTERS]] registers, %{{[0-9]*}}, %{{[0-9]*}} : tensor<64x32xf32, #{{.*}}> * !tilegpu.buffer<32x64xf32
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @along_k(%a: tensor<64x32xf32, #long>, %p: tensor<32x64x!tile.ptr<f32>, #byK>, %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    %b = tile.load %p contiguity [32, 1] width [4, 1] : tensor<32x64x!tile.ptr<f32>, #byK> -> tensor<32x64xf32, #byK>
    %d = tile.dot %a, %b, %c {precision = #tile.precision<tf32>} : tensor<64x32xf32, #long> * tensor<32x64xf32, #byK> -> tensor<64x64xf32, #acc>
    return %d : tensor<64x64xf32, #acc>
  }
}

// -----

#long = #tilegpu.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]], block = [] : 64x32>
#byN = #tilegpu.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = [] : 32x64>
#acc = #tilegpu.layout<register = [[0, 1], [0, 2], [16, 0], [32, 0], [0, 32]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>

// B is adjacent along N: the transposed B goes through registers. A warp has 16 columns of the result. What is computed
// is rounded before it is stored.
// CHECK: #[[SUMS:.*]] = #tilegpu.layout<register = {{\[\[}}1, 0], [0, 8], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 16], [0, 32]], block = [] : 64x64>
// CHECK-LABEL: @along_n
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<64x32xf32
// CHECK: %[[B:.*]] = tile.load
// CHECK: %[[T:.*]] = tile.trans %[[A]] [1, 0]
// CHECK: tilegpu.group_mma "m64k8.tf32.tf32.f32" %[[B]] transposed, %[[T]], %{{[0-9]*}} transposed : {{.*}} -> tensor<64x64xf32, #[[SUMS]]>
// STAGED: #[[RIGHT:.*]] = #tilegpu.layout<register = {{\[\[}}0, 8], [4, 0], [8, 0], [16, 0]], lane = {{\[\[}}1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 16], [0, 32]], block = [] : 32x64>
// STAGED-LABEL: @along_n
// STAGED-SAME: %[[A:[a-z0-9]*]]: tensor<64x32xf32
// STAGED: %[[ROUNDED:.*]] = tilegpu.round_to_tf32 %[[A]]
// STAGED: tilegpu.local_store %[[ROUNDED]], %[[BUFFER:[0-9]*]] :
// STAGED: %[[LOADED:.*]] = tile.load
// STAGED: %[[B:.*]] = tilegpu.convert_layout %[[LOADED]] : {{.*}} -> tensor<32x64xf32, #[[RIGHT]]>
// STAGED: group_mma "m64k8.tf32.tf32.f32" %[[B]] registers transposed, %[[BUFFER]] transposed, %{{[0-9]*}} transposed :
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @along_n(%a: tensor<64x32xf32, #long>, %p: tensor<32x64x!tile.ptr<f32>, #byN>, %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
    %b = tile.load %p contiguity [1, 64] width [1, 4] : tensor<32x64x!tile.ptr<f32>, #byN> -> tensor<32x64xf32, #byN>
    %d = tile.dot %a, %b, %c {precision = #tile.precision<tf32>} : tensor<64x32xf32, #long> * tensor<32x64xf32, #byN> -> tensor<64x64xf32, #acc>
    return %d : tensor<64x64xf32, #acc>
  }
}

// -----

#byM = #tilegpu.layout<register = [[1, 0], [2, 0], [0, 8], [0, 16]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2], [0, 4]], block = [] : 64x32>
#byN = #tilegpu.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = [] : 32x64>
#acc = #tilegpu.layout<register = [[0, 1], [0, 2], [16, 0], [32, 0], [0, 32]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [] : 64x64>

// Neither operand is adjacent along K; a dot of a dot; and a dot that must not be rounded.
// CHECK-LABEL: @others
// CHECK-NOT: group_mma
module attributes {tilegpu.num_warps = 4 : i32, tilegpu.target = "sm_90a"} {
  func.func @others(%pa: tensor<64x32x!tile.ptr<f32>, #byM>, %pb: tensor<32x64x!tile.ptr<f32>, #byN>, %x: tensor<64x64xf32, #acc>, %c: tensor<64x64xf32, #acc>) {
    %a = tile.load %pa contiguity [64, 1] width [4, 1] : tensor<64x32x!tile.ptr<f32>, #byM> -> tensor<64x32xf32, #byM>
    %b = tile.load %pb contiguity [1, 64] width [1, 4] : tensor<32x64x!tile.ptr<f32>, #byN> -> tensor<32x64xf32, #byN>
    %d = tile.dot %a, %b, %c {precision = #tile.precision<tf32>} : tensor<64x32xf32, #byM> * tensor<32x64xf32, #byN> -> tensor<64x64xf32, #acc>
    %e = tile.dot %d, %x, %c {precision = #tile.precision<tf32>} : tensor<64x64xf32, #acc> * tensor<64x64xf32, #acc> -> tensor<64x64xf32, #acc>
    %f = tile.dot %x, %x, %c {precision = #tile.precision<ieee>} : tensor<64x64xf32, #acc> * tensor<64x64xf32, #acc> -> tensor<64x64xf32, #acc>
    return
  }
}
