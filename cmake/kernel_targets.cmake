# The kernels once more for each instruction set that a processor may have beyond those that the
# compiler was asked for; src/headwise/core/kernels/dispatch.cpp chooses when the program runs.

# headwise_add_kernels(<namespace> <compiler flags>…)
function(headwise_add_kernels target)
  set(objects headwise-kernels-${target})
  add_library(${objects} OBJECT ${HEADWISE_KERNEL_SOURCES})
  headwise_own_target(${objects})
  target_compile_definitions(${objects} PRIVATE HEADWISE_TARGET=${target})
  # With less optimization, small functions of xsimd are not inlined, and several of these objects define them.
  target_compile_options(
    ${objects} PRIVATE ${ARGN} $<$<NOT:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-O2>)
  target_include_directories(${objects} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${objects} PRIVATE xsimd)
  # GCC takes its own AVX-512 intrinsics for uninitialized (its bug 105593).
  target_compile_options(
    ${objects} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized -Wno-maybe-uninitialized>)
  # One file: parsing xsimd takes longer than compiling the kernels.
  set_target_properties(${objects} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0
                                              POSITION_INDEPENDENT_CODE
                                              "${CMAKE_POSITION_INDEPENDENT_CODE}")
  target_sources(headwise PRIVATE $<TARGET_OBJECTS:${objects}>)
  if(HEADWISE_BUILD_TESTS)
    add_test(NAME "kernels/what an object for ${target} defines is its own"
             COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DTARGET=${target}
                     -DOBJECTS=$<TARGET_OBJECTS:${objects}> -P
                     "${PROJECT_SOURCE_DIR}/cmake/check_kernel_symbols.cmake")
  endif()
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" AND NOT MSVC)
  target_compile_definitions(headwise PRIVATE HEADWISE_X86_TARGETS)
  headwise_add_kernels(sse4_2 -msse4.2)
  set(avx2 -mavx2 -mfma)
  headwise_add_kernels(avx2 ${avx2})
  # Without the macro, by which xsimd would choose an architecture that has no fused multiply-add.
  headwise_add_kernels(avx2_vnni ${avx2} -mavxvnni -U__AVXVNNI__ -DHEADWISE_AVX_VNNI)
  set(avx512 -mavx512f -mavx512cd -mavx512dq -mavx512bw -mfma)
  headwise_add_kernels(avx512 ${avx512})
  headwise_add_kernels(avx512_vnni ${avx512} -mavx512vnni)
endif()
