# Thread sanitizer: for the rooms that own threads (adapters) and the tests that drive them.
set(CMAKE_CXX_COMPILER clang++ CACHE STRING "")
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -gline-tables-only -fno-omit-frame-pointer -fsanitize=thread" CACHE STRING "")
set(QUORATE_TESTS ON CACHE BOOL "")
