/* Threads of ours. The program's main thread handles signals, but for those that report a fault of the thread
 * itself. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/status.h"

/* The signals that report a fault of the thread itself. */
enum { ODP_THREAD_FAULTS = 5 };
extern const int odp_thread_faults[ODP_THREAD_FAULTS];

/* RUN(ARG) in a thread. False where the system gives no more threads. */
bool odp_thread_start(pthread_t *out, void *(*run)(void *), void *arg) ODP_MUST_USE;

/* Begins a thread, main too: handlers of its faults get ROOM, so that a full stack is reported (libraries
 * that get no memory may go round in circles). ROOM lives as long as the thread. Where there is one already
 * (a sanitizer's), that stays. */
enum { ODP_THREAD_ROOM = 32 * 1024 };
void odp_thread_room(char room[static ODP_THREAD_ROOM]);
