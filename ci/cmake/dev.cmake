# The build of every day: quick to make, easy to step through, with the library's own checks on. No LTO: ci/check_purity
# reads the symbols of each object.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g -D_GLIBCXX_ASSERTIONS" CACHE STRING "")
set(QUORATE_TESTS ON CACHE BOOL "")
