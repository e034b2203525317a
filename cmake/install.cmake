# SPDX-License-Identifier: Apache-2.0
# `cmake --install build/release --prefix DIR` gives a tree that may be moved as a whole: the program
# finds its presets at ../share/tilewave/configs from where it lies.
#
#   bin/tilewave   share/tilewave/{configs,viz}   share/doc/tilewave
#   share/man/man1   share/bash-completion, share/zsh, share/fish: where these shells look

set(data_dir "${CMAKE_INSTALL_DATADIR}/tilewave")

install(TARGETS tilewave RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
foreach(folder IN ITEMS configs viz)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}")
    install(DIRECTORY "${folder}" DESTINATION "${data_dir}" PATTERN "__pycache__" EXCLUDE)
  endif()
endforeach()
install(FILES "${TILEWAVE_PLOTLY_BUNDLE}" DESTINATION "${data_dir}/viz")
if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/docs")
  install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)

# Made by the program from its own options.
set(shell_dir "${PROJECT_BINARY_DIR}/generated/shell")
foreach(made IN ITEMS "bash/tilewave:completion bash:bash-completion/completions"
                      "zsh/_tilewave:completion zsh:zsh/site-functions"
                      "fish/tilewave.fish:completion fish:fish/vendor_completions.d"
                      "man/tilewave.1:man:man/man1")
  string(REPLACE ":" ";" made "${made}")
  list(GET made 0 file)
  list(GET made 1 words)
  list(GET made 2 folder)
  cmake_path(GET file PARENT_PATH parent)
  file(MAKE_DIRECTORY "${shell_dir}/${parent}")
  separate_arguments(words)
  add_custom_command(OUTPUT "${shell_dir}/${file}" COMMAND tilewave ${words} > "${shell_dir}/${file}"
                     DEPENDS tilewave VERBATIM)
  list(APPEND shell_files "${shell_dir}/${file}")
  install(FILES "${shell_dir}/${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}")
endforeach()
add_custom_target(tilewave_shell_files ALL DEPENDS ${shell_files})
