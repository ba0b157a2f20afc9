# Installs the program, the library with its headers, and what find_package(meteor) needs.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/meteor)

install(TARGETS meteor_core EXPORT meteorTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/meteor FILES_MATCHING PATTERN *.h PATTERN *.def
        PATTERN report EXCLUDE PATTERN experiments EXCLUDE PATTERN commands EXCLUDE)
install(EXPORT meteorTargets NAMESPACE meteor:: DESTINATION ${package_folder})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/meteorConfig.cmake.in ${PROJECT_BINARY_DIR}/meteorConfig.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/meteorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/meteorConfig.cmake ${PROJECT_BINARY_DIR}/meteorConfigVersion.cmake
        DESTINATION ${package_folder})
