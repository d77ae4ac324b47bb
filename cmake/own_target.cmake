# What all of headwise's own targets share, and nothing that is not ours gets.

function(headwise_own_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # A fused multiply-add where the source has none would make results differ between builds.
  # Clang counts changes of sign among conversions, GCC does not; indices come in both signs.
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                      -ffp-contract=off)
  set_target_properties(
    ${target}
    PROPERTIES CXX_EXTENSIONS OFF
               EXPORT_COMPILE_COMMANDS ON
               # A newer compiler's new warnings must not break those who build headwise in.
               COMPILE_WARNING_AS_ERROR ${PROJECT_IS_TOP_LEVEL})
  if(HEADWISE_SANITIZE_THREADS)
    target_compile_options(${target} PRIVATE -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=thread)
  endif()
  if(HEADWISE_SANITIZE)
    # xtensor moves from null where a tensor is empty; AddressSanitizer finds what is read there.
    set(sanitizers -fsanitize=address,undefined -fno-sanitize=pointer-overflow
                   -fno-sanitize-recover=all)
    target_compile_options(${target} PRIVATE ${sanitizers} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC ${sanitizers})
    # Between the checks that sanitizers put in, GCC warns of what is not there.
    target_compile_options(${target}
                           PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    # An index outside its axis is wrong even where it hits the tensor's own memory.
    target_compile_definitions(${target} PRIVATE XTENSOR_ENABLE_ASSERT _GLIBCXX_ASSERTIONS)
    # For tests that leave out what sanitizers end, or take too long with them: compilers have no
    # common name for it.
    target_compile_definitions(${target} PRIVATE HEADWISE_SANITIZE)
  endif()
endfunction()
