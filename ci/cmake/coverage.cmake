# Which lines the tests reach; not optimised, so that a line of source is a line of the report. Read it with gcov.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g --coverage -fprofile-abs-path" CACHE STRING "")
set(QUORATE_TESTS ON CACHE BOOL "")
