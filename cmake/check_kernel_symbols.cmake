# Fails if an object compiled for one instruction set defines a function that another object may
# define, too: the linker keeps either, and a processor that lacks the instruction set may be given
# the one that needs it. All functions must be of the namespace of that instruction set, or
# instantiated for its types.
#
#   cmake -DNM=<nm> -DTARGET=<namespace> -DOBJECTS=<objects> -P check_kernel_symbols.cmake

string(LENGTH "${TARGET}" length)
set(of_target "8headwise7kernels${length}${TARGET}")
execute_process(COMMAND "${NM}" --defined-only ${OBJECTS} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+ [TWi] [^\n]+" functions "${symbols}")
set(own 0)
set(shared "")
foreach(function IN LISTS functions)
  if(function MATCHES "${of_target}")
    math(EXPR own "${own} + 1")
  else()
    string(APPEND shared "\n  ${function}")
  endif()
endforeach()
if(own EQUAL 0)
  message(FATAL_ERROR "no function of ${TARGET} in ${OBJECTS}")
endif()
if(shared)
  message(FATAL_ERROR "shared functions in ${OBJECTS}:${shared}")
endif()
message(STATUS "${own} functions, all of them of ${TARGET}")
