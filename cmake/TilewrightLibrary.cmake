# tilewright_library(NAME SOURCES... DEPENDS tablegen-targets... LINK libraries...)
# Adds a static library, one per folder of lib/, compiled with a shared precompiled header (unless NO_PCH).

set(TILEWRIGHT_PCH ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Precompiled.h)

add_library(TilewrightPCH OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Precompiled.cpp)
target_precompile_headers(TilewrightPCH PRIVATE ${TILEWRIGHT_PCH})

function(tilewright_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM TilewrightPCH)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()
