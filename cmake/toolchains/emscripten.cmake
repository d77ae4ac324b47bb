# Hands over to the toolchain file of the Emscripten that scripts/setup.sh has chosen, after a trial,
# and linked as .toolchain/emscripten.

# CMake reads this file many times, and again whenever it configures anew.
set(headwise_platform_file cmake/Modules/Platform/Emscripten.cmake)
if(NOT EXISTS "${HEADWISE_EMSCRIPTEN_ROOT}/${headwise_platform_file}")
  set(headwise_emscripten_link "${CMAKE_CURRENT_LIST_DIR}/../../.toolchain/emscripten")
  # Emscripten looks for its own configuration beside the folder in which it really lies.
  file(REAL_PATH "${headwise_emscripten_link}" headwise_emscripten_root)
  if(NOT EXISTS "${headwise_emscripten_root}/${headwise_platform_file}")
    message(FATAL_ERROR "No Emscripten is set up: run scripts/setup.sh.")
  endif()
  set(HEADWISE_EMSCRIPTEN_ROOT "${headwise_emscripten_root}"
      CACHE PATH "The Emscripten that compiles the WebAssembly builds" FORCE)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEADWISE_EMSCRIPTEN_ROOT)

include("${HEADWISE_EMSCRIPTEN_ROOT}/${headwise_platform_file}")
