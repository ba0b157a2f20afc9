# Warnings for every target of ours.
add_library(meteor_warnings INTERFACE)
target_compile_options(meteor_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                 -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(meteor_warnings INTERFACE -Wno-restrict) # GCC bug 105329: false alarm on std::string
endif()
if(METEOR_WARNINGS_AS_ERRORS)
  target_compile_options(meteor_warnings INTERFACE -Werror)
endif()

# Compiles sources once for each instruction set, in a namespace of that name (see kernels/lanes.h), into a target. Such a
# source must not include headers with inline functions that other sources use too: the linker keeps one copy of each, and it
# could be the one with instructions that this machine lacks.
function(meteor_add_instruction_set_variants target)
  set(variants baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND variants avx2 avx512)
    target_compile_definitions(${target} PRIVATE METEOR_X86_KERNELS)
  endif()
  set(flags_avx2 -mavx2 -mfma)
  set(flags_avx512 ${flags_avx2} -mavx512f -Wno-uninitialized -Wno-maybe-uninitialized) # GCC 12 warns of its own header
  foreach(variant IN LISTS variants)
    set(object ${target}_kernel_${variant})
    add_library(${object} OBJECT ${ARGN})
    target_include_directories(${object} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${object} PRIVATE METEOR_KERNEL_VARIANT=${variant})
    target_compile_options(${object} PRIVATE -O3 -ffp-contract=off ${flags_${variant}})
    target_link_libraries(${object} PRIVATE meteor_warnings)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
