# Address and undefined-behaviour sanitizers; the first finding stops the program. Fuzz targets are built here, so every
# object carries the fuzzer's coverage counters (fuzzer-no-link), which cost ordinary tests next to nothing.
set(CMAKE_CXX_COMPILER clang++ CACHE STRING "")
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -gline-tables-only -D_GLIBCXX_ASSERTIONS -fno-omit-frame-pointer \
-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all" CACHE STRING "")
# A test's own code is short and runs once; optimizing and counting it would take half of this build's time.
set(QUORATE_TEST_FLAGS -O0 -fno-sanitize=fuzzer-no-link CACHE STRING "")
set(QUORATE_TESTS ON CACHE BOOL "")
set(QUORATE_FUZZ ON CACHE BOOL "")
if(DEFINED ENV{CI})
  set(QUORATE_UNITY ON CACHE BOOL "")
endif()
