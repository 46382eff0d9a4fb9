/* Which threads come first on a busy machine: those that send files. */
#pragma once

/* The calling thread gets LESS less priority than it has (on Linux a priority is the thread's own; it is
 * inherited by threads and processes that it starts). */
void odp_thread_stand_back(int less);
