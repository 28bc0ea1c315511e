# With TILEWRIGHT_TIDY, clang-tidy checks each file of lib and bin when it is compiled, with the checks of .clang-tidy. A
# finding fails the compilation, so that the next run checks the file again. `bin/test tidy` uses a build folder of its
# own, whose objects are not run.
find_program(TILEWRIGHT_CLANG_TIDY NAMES clang-tidy-22 clang-tidy REQUIRED)

# Other checks change the command and so compile everything again.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/.clang-tidy)
file(SHA256 ${CMAKE_SOURCE_DIR}/.clang-tidy checks)
set(CMAKE_CXX_CLANG_TIDY ${TILEWRIGHT_CLANG_TIDY} -quiet --extra-arg=-DTILEWRIGHT_TIDY_CHECKS=${checks})
add_compile_options(-O0)
