# Warnings for every target of ours.
add_library(meteor_warnings INTERFACE)
target_compile_options(meteor_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                 -Wnon-virtual-dtor -Woverloaded-virtual)
if(METEOR_WARNINGS_AS_ERRORS)
  target_compile_options(meteor_warnings INTERFACE -Werror)
endif()

# Compiles SOURCE once for each instruction set, as meteor::<name>:: (see learning/record_kernel.h), and adds the objects to
# TARGET. Such a source must not include headers with inline functions that other sources use too: the linker keeps one copy
# of each, and it could be the one with instructions that this machine lacks.
function(meteor_add_instruction_set_variants target source)
  foreach(variant IN ITEMS baseline avx2 avx512)
    set(object ${target}_kernel_${variant})
    add_library(${object} OBJECT ${source})
    target_include_directories(${object} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_definitions(${object} PRIVATE METEOR_KERNEL_VARIANT=${variant})
    set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${object} PRIVATE meteor_warnings)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
  target_compile_options(${target}_kernel_avx2 PRIVATE -mavx2 -mfma)
  target_compile_options(${target}_kernel_avx512 PRIVATE -mavx2 -mfma -mavx512f -mprefer-vector-width=512)
endfunction()
