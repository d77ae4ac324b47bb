# Chooses an Emscripten and hands over to its own toolchain file: the emcc on PATH (an activated
# emsdk) when it is recent enough, else the one in .toolchain, which scripts/setup.mjs makes.

set(headwise_oldest_emscripten 3.1.69)

# Sets `root` in the caller to the folder of the Emscripten on PATH, or to nothing.
function(headwise_emscripten_on_path root)
  set(${root} "" PARENT_SCOPE)
  find_program(emcc emcc PATHS ENV PATH NO_DEFAULT_PATH NO_CACHE)
  find_program(em_config em-config PATHS ENV PATH NO_DEFAULT_PATH NO_CACHE)
  if(NOT emcc OR NOT em_config)
    return()
  endif()
  execute_process(COMMAND "${emcc}" --version OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${text}")
  if(version VERSION_LESS headwise_oldest_emscripten)
    return()
  endif()
  execute_process(
    COMMAND "${em_config}" EMSCRIPTEN_ROOT
    OUTPUT_VARIABLE found
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${root} "${found}" PARENT_SCOPE)
endfunction()

set(headwise_platform_file cmake/Modules/Platform/Emscripten.cmake)

# CMake reads this file many times, and again whenever it configures anew.
if(NOT EXISTS "${HEADWISE_EMSCRIPTEN_ROOT}/${headwise_platform_file}")
  headwise_emscripten_on_path(headwise_emscripten_root)
  if(NOT headwise_emscripten_root)
    set(headwise_emscripten_root "${CMAKE_CURRENT_LIST_DIR}/../../.toolchain/emscripten")
    cmake_path(NORMAL_PATH headwise_emscripten_root)
  endif()
  if(NOT EXISTS "${headwise_emscripten_root}/${headwise_platform_file}")
    message(FATAL_ERROR "No Emscripten ${headwise_oldest_emscripten} or newer was found: "
                        "run node scripts/setup.mjs, or activate an emsdk.")
  endif()
  set(HEADWISE_EMSCRIPTEN_ROOT "${headwise_emscripten_root}"
      CACHE PATH "The Emscripten that compiles the WebAssembly builds" FORCE)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEADWISE_EMSCRIPTEN_ROOT)

include("${HEADWISE_EMSCRIPTEN_ROOT}/${headwise_platform_file}")
