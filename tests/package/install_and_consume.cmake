file(REMOVE_RECURSE ${work})
foreach(step IN ITEMS
  "${CMAKE_COMMAND}|--install|${build}|--prefix|${work}/installed"
  "${CMAKE_COMMAND}|-S|${project}|-B|${work}/build|-G|${generator}|-DCMAKE_CXX_COMPILER=${compiler}|-DCMAKE_CXX_FLAGS=${flags}|-DCMAKE_PREFIX_PATH=${work}/installed|-DMETEOR_VERSION=${version}"
  "${CMAKE_COMMAND}|--build|${work}/build"
  "${work}/build/consumer")
  string(REPLACE "|" ";" step "${step}")
  execute_process(COMMAND ${step} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${step} ended with ${status}:\n${output}")
  endif()
endforeach()
