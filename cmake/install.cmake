# SPDX-License-Identifier: Apache-2.0
# `cmake --install build/release --prefix DIR` gives a tree that may be moved as a whole: the program
# finds its presets at ../share/tilewave/configs from where it lies.
#
#   bin/tilewave   share/tilewave/{configs,viz}   share/doc/tilewave

set(data_dir "${CMAKE_INSTALL_DATADIR}/tilewave")

install(TARGETS tilewave RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
foreach(folder IN ITEMS configs viz)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}")
    install(DIRECTORY "${folder}" DESTINATION "${data_dir}" PATTERN "__pycache__" EXCLUDE)
  endif()
endforeach()
if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/docs")
  install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)
