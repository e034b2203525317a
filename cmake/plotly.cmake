# SPDX-License-Identifier: Apache-2.0
# Plotly's bundle (MIT licence), which every page that we write carries: plotly.min.js as the Python
# package `plotly` has it. It is taken from that package, never committed.
#
#   TILEWAVE_PLOTLY_JS   a plotly.min.js of your own; else that of the Python package `plotly` that is
#                        installed; else of one that pip fetches into the build folder
set(TILEWAVE_PLOTLY_JS "" CACHE FILEPATH "Plotly's bundle for the pages: plotly.min.js")

# Debian's packages of Plotly have no bundle; one that is too old for our pages isn't taken.
set(plotly_least 5.20)
set(plotly_file package_data/plotly.min.js)

function(find_installed_plotly python out)
  set(code "import importlib.metadata as m, os, plotly
version = tuple(int(x) for x in m.version('plotly').split('.')[:2])
least = tuple(int(x) for x in '${plotly_least}'.split('.'))
print(os.path.join(os.path.dirname(plotly.__file__), '${plotly_file}') if version >= least else '')")
  execute_process(COMMAND "${python}" -c "${code}" OUTPUT_VARIABLE file ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(file AND EXISTS "${file}")
    set(${out} "${file}" PARENT_SCOPE)
  endif()
endfunction()

function(fetch_plotly python out)
  set(folder "${PROJECT_BINARY_DIR}/plotly")
  if(NOT EXISTS "${folder}/plotly/${plotly_file}")
    message(STATUS "Plotly: fetched by pip into ${folder}")
    # Debian's Python has no pip outside virtual environments.
    execute_process(COMMAND "${python}" -m venv "${folder}/venv" OUTPUT_QUIET ERROR_QUIET)
    execute_process(COMMAND "${folder}/venv/bin/python" -m pip install --quiet --no-deps
                            --disable-pip-version-check --target "${folder}" "plotly>=${plotly_least}"
                    OUTPUT_QUIET ERROR_VARIABLE why)
    file(REMOVE_RECURSE "${folder}/venv")
  endif()
  if(EXISTS "${folder}/plotly/${plotly_file}")
    set(${out} "${folder}/plotly/${plotly_file}" PARENT_SCOPE)
  else()
    message(STATUS "${why}")
  endif()
endfunction()

set(plotly_js "${TILEWAVE_PLOTLY_JS}")
if(NOT plotly_js)
  set(python "${Python_EXECUTABLE}")
  if(NOT python)
    find_program(python3_program python3)
    set(python "${python3_program}")
  endif()
  if(python)
    find_installed_plotly("${python}" plotly_js)
    if(NOT plotly_js)
      fetch_plotly("${python}" plotly_js)
    endif()
  endif()
endif()
if(NOT plotly_js OR NOT EXISTS "${plotly_js}")
  message(FATAL_ERROR
    "The pages that Tilewave writes need Plotly's bundle, and it is not there. Install the Python package "
    "plotly (pip install plotly), or give the file: -DTILEWAVE_PLOTLY_JS=/path/to/plotly.min.js")
endif()
message(STATUS "Plotly: ${plotly_js}")
# Beside what we generate, for a program that runs where it was built.
configure_file("${plotly_js}" "${PROJECT_BINARY_DIR}/generated/plotly.min.js" COPYONLY)
set(TILEWAVE_PLOTLY_BUNDLE "${PROJECT_BINARY_DIR}/generated/plotly.min.js")
