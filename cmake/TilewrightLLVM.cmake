# Finds LLVM and MLIR 22 and prepares them for static linking, so that the core
# lives beside PyTorch's or anyone else's LLVM in one process.

find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Tilewright needs LLVM 22; found ${LLVM_VERSION} in ${LLVM_DIR}")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} from ${LLVM_INSTALL_PREFIX}")

# Distributions' MLIR archives name the shared libLLVM as a dependency. With both
# kinds linked, LLVM's command-line options would register twice: point the
# imported target at a static archive that is linked anyway.
if(TARGET LLVM)
  foreach(config RELWITHDEBINFO RELEASE NOCONFIG)
    set_target_properties(LLVM PROPERTIES
      IMPORTED_LOCATION_${config} ${LLVM_LIBRARY_DIR}/libLLVMSupport.a
      IMPORTED_SONAME_${config} "")
  endforeach()
endif()

# LLVM's archives want zlib and zstd. Taken as archives too, they leave a wheel self-contained.
function(tilewright_link_archive target archive)
  find_library(TILEWRIGHT_${archive} NAMES ${archive} REQUIRED)
  if(TARGET ${target})
    set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION ${TILEWRIGHT_${archive}})
    get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
    foreach(config IN LISTS configurations ITEMS RELEASE)
      set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION_${config} ${TILEWRIGHT_${archive}})
    endforeach()
  endif()
endfunction()
tilewright_link_archive(ZLIB::ZLIB libz.a)
tilewright_link_archive(zstd::libzstd_shared libzstd.a)

list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# gcc knows the linker only by the name lld, found in LLVM's own folder.
add_link_options(-fuse-ld=lld -B${LLVM_TOOLS_BINARY_DIR}
                 -Wl,--gc-sections,--exclude-libs,ALL,--as-needed)

llvm_map_components_to_libnames(TILEWRIGHT_LLVM_LIBS
  core support passes orcjit jitlink mc target transformutils
  x86codegen x86desc x86info x86asmparser x86disassembler
  nvptxcodegen nvptxdesc nvptxinfo bitwriter irreader)
