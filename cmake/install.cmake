# `cmake --install` and `cpack` give find_package(headwise), the target headwise::headwise and, for
# pkg-config, headwise.pc. All of them find their files from where they lie themselves.

include(CMakePackageConfigHelpers)

set(headwise_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/headwise")

install(TARGETS headwise EXPORT headwiseTargets)

# The headers that headwise.hpp includes, and those that these include. Others are the library's own.
function(headwise_public_headers result)
  set(found headwise/headwise.hpp)
  set(open ${found})
  while(open)
    list(POP_FRONT open header)
    set(path "${PROJECT_SOURCE_DIR}/src/${header}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(STRINGS "${path}" lines REGEX "^#include <headwise/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include <(.*)>.*$" "\\1" included "${line}")
      if(NOT included IN_LIST found)
        list(APPEND found "${included}")
        list(APPEND open "${included}")
      endif()
    endforeach()
  endwhile()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

headwise_public_headers(headwise_headers)
foreach(header IN LISTS headwise_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES "src/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
endforeach()
# The xtl and xtensor that the library was built with go along, for users who have none.
set(headwise_dependencies "${CMAKE_INSTALL_INCLUDEDIR}/headwise/dependencies")
foreach(name IN ITEMS xtl xtensor)
  get_target_property(folders ${name} INTERFACE_INCLUDE_DIRECTORIES)
  find_path(headwise_${name}_folder ${name} PATHS ${folders} NO_DEFAULT_PATH NO_CACHE REQUIRED)
  install(
    DIRECTORY "${headwise_${name}_folder}/${name}"
    DESTINATION "${headwise_dependencies}"
    FILES_MATCHING
    PATTERN "*.hpp")
endforeach()
install(
  EXPORT headwiseTargets
  NAMESPACE headwise::
  DESTINATION "${headwise_config_dir}")

configure_package_config_file(
  cmake/headwiseConfig.cmake.in headwiseConfig.cmake
  INSTALL_DESTINATION "${headwise_config_dir}"
  PATH_VARS headwise_dependencies
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(headwiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/headwiseConfig.cmake"
              "${PROJECT_BINARY_DIR}/headwiseConfigVersion.cmake"
        DESTINATION "${headwise_config_dir}")

include(pkg_config)

# The library holds what its compiler made of others' headers, whose licences go with it.
install(FILES LICENSE THIRD_PARTY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# A project that headwise is part of has an archive of its own.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_PACKAGE_VENDOR "The headwise authors")
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CPACK_GENERATOR TGZ)
  set(CPACK_PACKAGE_FILE_NAME
      "headwise-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
  include(CPack)
endif()
