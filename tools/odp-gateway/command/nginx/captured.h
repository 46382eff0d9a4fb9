/* A program that is run for what it says. */
#pragma once

#include "base/buffer.h"

/* Runs ARGV, at most SECONDS; output (both streams) up to 32 KiB. Returns the exit code, or -1 with errno. */
int run_captured(const char *const argv[], int seconds, struct odp_buffer *output);
