# headwise.pc, which finds its files from where it lies.

# A folder below the prefix stays below it wherever that is; an absolute one stays where it is.
function(headwise_from_prefix result folder)
  if(IS_ABSOLUTE "${folder}")
    set(${result} "${folder}" PARENT_SCOPE)
  else()
    set(${result} "\${prefix}/${folder}" PARENT_SCOPE)
  endif()
endfunction()

headwise_from_prefix(headwise_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
headwise_from_prefix(headwise_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH headwise_prefix_from_pc "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
       "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH headwise_prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /)
  string(REGEX REPLACE "/$" "" headwise_prefix_from_pc "${headwise_prefix_from_pc}")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/headwise.pc.in" headwise.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/headwise.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
