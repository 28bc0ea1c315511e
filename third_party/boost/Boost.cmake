# Finds Boost.Context by hand, because CMake's module looks for all of Boost.
find_path(TILEWRIGHT_BOOST_HEADERS boost/context/detail/fcontext.hpp REQUIRED)
find_library(TILEWRIGHT_BOOST_CONTEXT libboost_context.a REQUIRED)
