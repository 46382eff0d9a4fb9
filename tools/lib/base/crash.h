/* Faults of the program itself (odp_thread_faults), of which there is no way back: libraries in C++ end the
 * process where they get no memory, others go on without it. Who reads the log of a pipeline learns that
 * much; then the signal does what it did before. */
#pragma once

/* From now on TELL is called at such a fault, with the signal and the address that it is about. It may only
 * do what signal handlers may; it may end the process. Once a process, by its main thread; what it forks has
 * it too. */
void odp_crash_watch(void (*report)(int number, const void *address));

/* TEXT to standard error, for TELL. */
void odp_crash_say(const char *text);
