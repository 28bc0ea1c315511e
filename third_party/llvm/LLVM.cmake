# Finds LLVM and MLIR 22 and prepares them for static linking, so that the core
# can share a process with PyTorch's or another LLVM.

find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Tilewright needs LLVM 22; found ${LLVM_VERSION} in ${LLVM_DIR}")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} from ${LLVM_INSTALL_PREFIX}")

# The MLIR archives of distributions depend on the shared libLLVM. If both the
# shared and the static libraries were linked, LLVM's command-line options would
# register twice, so the imported target points to a static archive that is
# linked anyway.
if(TARGET LLVM)
  foreach(config RELWITHDEBINFO RELEASE NOCONFIG)
    set_target_properties(LLVM PROPERTIES
      IMPORTED_LOCATION_${config} ${LLVM_LIBRARY_DIR}/libLLVMSupport.a
      IMPORTED_SONAME_${config} "")
  endforeach()
endif()

list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# gcc only accepts -fuse-ld=lld by name; -B lets it find lld in LLVM's folder.
add_link_options(-fuse-ld=lld -B${LLVM_TOOLS_BINARY_DIR}
                 -Wl,--gc-sections,--exclude-libs,ALL,--as-needed)

llvm_map_components_to_libnames(TILEWRIGHT_LLVM_LIBS
  core support passes jitlink mc target transformutils
  x86codegen x86desc x86info x86asmparser x86disassembler
  aarch64codegen aarch64desc aarch64info aarch64asmparser
  nvptxcodegen nvptxdesc nvptxinfo
  amdgpucodegen amdgpudesc amdgpuinfo amdgpuutils
  bitwriter irreader
  option object binaryformat debuginfodwarf demangle windowsdriver) # these for lld

# lld links code objects for AMD's GPUs. Its part that links bitcode is replaced (lib/Target/Amdgpu/WithoutBitcode.cpp).
foreach(library lldELF lldCommon)
  find_library(TILEWRIGHT_${library} lib${library}.a PATHS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH REQUIRED)
  list(APPEND TILEWRIGHT_LLD_LIBS ${TILEWRIGHT_${library}})
endforeach()

# It initializes all code generators that LLVM was built with, of which these are not linked.
set(TILEWRIGHT_LLVM_TARGETS X86 AArch64 NVPTX AMDGPU)
file(STRINGS ${LLVM_INCLUDE_DIRS}/llvm/Config/Targets.def targets REGEX "^LLVM_TARGET\\(")
set(missing "")
foreach(target ${targets})
  string(REGEX REPLACE "^LLVM_TARGET\\((.*)\\).*" "\\1" target "${target}")
  if(NOT target IN_LIST TILEWRIGHT_LLVM_TARGETS)
    string(APPEND missing "TILEWRIGHT_MISSING_TARGET(${target})\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/include/tilewright/Target/Amdgpu/MissingTargets.def CONTENT "${missing}")
