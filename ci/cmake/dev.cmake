# The build of every day: quick to make, easy to step through, with the library's own checks on. No LTO: ci/check_purity
# reads the symbols of each object.
# Where nobody edits or steps through anything (CI=true), backtraces have to do and sources are compiled together: that
# takes two thirds off the time of compiling.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
if(DEFINED ENV{CI})
  set(debug -g1)
  set(QUORATE_UNITY ON CACHE BOOL "")
else()
  set(debug -g)
endif()
set(CMAKE_CXX_FLAGS_DEBUG "-Og ${debug} -D_GLIBCXX_ASSERTIONS" CACHE STRING "")
set(QUORATE_TESTS ON CACHE BOOL "")
