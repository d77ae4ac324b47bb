# xtl, xsimd, xtensor, Catch2 and Google Benchmark: from where CMake finds packages, else fetched.
# xtl, xsimd and xtensor are headers only; each becomes a target of its own name whose headers are
# system headers.

include(FetchContent)

# Made by scripts/setup.sh; without it, packages come from the usual places.
set(HEADWISE_TOOLCHAIN_DIR "${PROJECT_SOURCE_DIR}/.toolchain")
if(EXISTS "${HEADWISE_TOOLCHAIN_DIR}/prefix")
  list(APPEND CMAKE_PREFIX_PATH "${HEADWISE_TOOLCHAIN_DIR}/prefix")
endif()

function(headwise_add_headers name include_dir)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} INTERFACE "${include_dir}")
endfunction()

function(headwise_fetch_headers name url hash)
  message(STATUS "${name} was not found, fetching ${url} (scripts/setup.sh would bring it, too)")
  # No build file lies in SOURCE_SUBDIR: the headers are all that is wanted.
  FetchContent_Declare(${name} URL "${url}" URL_HASH "${hash}" SOURCE_SUBDIR include)
  FetchContent_MakeAvailable(${name})
  headwise_add_headers(${name} "${${name}_SOURCE_DIR}/include")
endfunction()

# xtensor's package looks for any xsimd, so the right one comes first.
if(EMSCRIPTEN AND EXISTS "${HEADWISE_TOOLCHAIN_DIR}/include")
  # This folder holds the three and nothing of the host, whose headers must not reach em++.
  foreach(name IN ITEMS xtl xsimd xtensor)
    headwise_add_headers(${name} "${HEADWISE_TOOLCHAIN_DIR}/include")
  endforeach()
else()
  # Each major release of xsimd says that it is not compatible with any other; those from 13 on are.
  foreach(major RANGE 13 19)
    if(NOT xsimd_FOUND)
      find_package(xsimd ${major} CONFIG QUIET)
    endif()
  endforeach()
  if(NOT TARGET xsimd)
    headwise_fetch_headers(
      xsimd https://github.com/xtensor-stack/xsimd/archive/refs/tags/13.2.0.tar.gz
      SHA256=edd8cd3d548c185adc70321c53c36df41abe64c1fe2c67bc6d93c3ecda82447a)
  endif()

  # xtensor's package brings the xtl that it was made for.
  find_package(xtensor 0.25 CONFIG QUIET)
  if(NOT TARGET xtensor)
    headwise_fetch_headers(
      xtensor https://github.com/xtensor-stack/xtensor/archive/refs/tags/0.25.0.tar.gz
      SHA256=32d5d9fd23998c57e746c375a544edf544b74f0a18ad6bc3c38cbba968d5e6c7)
  endif()
  if(NOT TARGET xtl)
    headwise_fetch_headers(
      xtl https://github.com/xtensor-stack/xtl/archive/refs/tags/0.7.7.tar.gz
      SHA256=44fb99fbf5e56af5c43619fc8c29aa58e5fad18f3ba6e7d9c55c111b62df1fbb)
  endif()
endif()

if(HEADWISE_BUILD_TESTS AND NOT EMSCRIPTEN)
  FetchContent_Declare(
    Catch2
    URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz
    URL_HASH SHA256=c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c
    FIND_PACKAGE_ARGS 3 CONFIG)
  FetchContent_MakeAvailable(Catch2)
  if(Catch2_SOURCE_DIR)
    list(APPEND CMAKE_MODULE_PATH "${Catch2_SOURCE_DIR}/extras")
    set_target_properties(Catch2 Catch2WithMain PROPERTIES SYSTEM ON)
  endif()
endif()

if(HEADWISE_BUILD_BENCHMARKS AND NOT EMSCRIPTEN)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  set(BENCHMARK_ENABLE_WERROR OFF)
  FetchContent_Declare(
    benchmark
    URL https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
    URL_HASH SHA256=6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7
    FIND_PACKAGE_ARGS 1.6 CONFIG)
  FetchContent_MakeAvailable(benchmark)
  if(benchmark_SOURCE_DIR)
    set_target_properties(benchmark PROPERTIES SYSTEM ON)
  endif()
endif()
