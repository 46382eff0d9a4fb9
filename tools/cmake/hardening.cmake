# Hardening of everything that is built: what a fault in our code can be turned into ends in an abort. Every target has it, by odp_flags or by itself;
# tests/e2e/hardening.py reads the built files and says which one lacks what.
#
#   position independent programs, full RELRO with all symbols bound at start, no executable stack
#   stack protector for every function with an array or an address taken; each page of a large stack frame is touched in order
#   sizes of objects checked in libc's calls (_FORTIFY_SOURCE 3), where the compiler optimizes: without optimization it says nothing but a warning
#   control flow: jumps and returns by the processor's own rules (CET on x86, BTI and PAC on ARM). Debian 12's own start files are without, so there the loader
#   leaves it off; our code is ready for a system that has it
# Measured (tests/bench/instructions.py, all workloads): 1.5 to 2.8 % more instructions of our own, of which control flow 0.2 to 1.0; with the libraries' 0.2 to 2.2 %.
include(CheckCCompilerFlag)
include(CheckPIESupported)

option(ODP_HARDEN "Hardening of all programs, modules and libraries; OFF only to measure what it costs" ON)
add_library(odp_hardening INTERFACE)
if(NOT ODP_HARDEN)
    return()
endif()

check_pie_supported(LANGUAGES C)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "ODP_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
        target_compile_options(odp_hardening INTERFACE ${flag})
    endif()
endforeach()
# The sanitizers check more, and bring libc's calls of their own.
if(NOT ODP_SANITIZE AND NOT ODP_FUZZ)
    target_compile_options(odp_hardening INTERFACE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endif()
target_link_options(odp_hardening INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
