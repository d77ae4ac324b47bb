# `cmake --install` gives find_package(headwise) and the target headwise::headwise.

include(CMakePackageConfigHelpers)

set(headwise_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/headwise")

install(TARGETS headwise EXPORT headwiseTargets)
install(
  DIRECTORY src/headwise
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN kernels EXCLUDE
  PATTERN parallel EXCLUDE)
install(
  EXPORT headwiseTargets
  NAMESPACE headwise::
  DESTINATION "${headwise_config_dir}")

configure_package_config_file(
  cmake/headwiseConfig.cmake.in headwiseConfig.cmake
  INSTALL_DESTINATION "${headwise_config_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(headwiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/headwiseConfig.cmake"
              "${PROJECT_BINARY_DIR}/headwiseConfigVersion.cmake"
        DESTINATION "${headwise_config_dir}")
