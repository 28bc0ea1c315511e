# `ninja tidy` runs clang-tidy over lib and bin, with the checks of .clang-tidy. It takes about ten
# seconds per file, so bin/test does not run it.

find_program(TILEWRIGHT_RUN_CLANG_TIDY NAMES run-clang-tidy-22 run-clang-tidy)
find_program(TILEWRIGHT_CLANG_TIDY NAMES clang-tidy-22 clang-tidy)
if(TILEWRIGHT_RUN_CLANG_TIDY AND TILEWRIGHT_CLANG_TIDY)
  add_custom_target(tidy
    COMMAND ${TILEWRIGHT_RUN_CLANG_TIDY} -quiet -clang-tidy-binary ${TILEWRIGHT_CLANG_TIDY} -p ${CMAKE_BINARY_DIR}
            "^${CMAKE_SOURCE_DIR}/(lib|bin)/"
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} USES_TERMINAL VERBATIM)
endif()
