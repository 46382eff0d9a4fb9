/* The service's log: one line to stderr a call, "2024-03-15T00:05:00Z warning text", which systemd or `serve`
 * keeps.
 *
 * Never a secret and never personal data: callers give shown parts of keys, codes and paths, no more. As a
 * second line of defence everything that looks like a key is masked (odp_key_redact), and control characters
 * are written as \xNN, so that what came from outside can neither forge a line nor move a terminal's cursor.
 * A line is cut at 2 KiB. Thread-safe. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* LEVEL: "info", "warning", "error". */
void odp_log(const char *level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Logs odp_failure_text() with WHERE before it, and clears it; nothing when nothing failed. */
void odp_log_failure(const char *where);
/* Logs a lasting fault once: only when WRONG differs from *WAS, which then remembers it. */
void odp_log_change(int *was, int wrong, const char *wrong_text, const char *right_text);
/* The same; before it WHY (NULL: odp_failure_text(), as odp_log_failure does), after WHERE. The failure's
 * text is cleared in every case. */
void odp_log_fault(int *was, int wrong, const char *where, const char *why, const char *wrong_text,
                   const char *right_text);

/* The line as odp_log writes it, with its end, for tests. NOW: Unix seconds. Returns its length, at most CAP.
 */
size_t odp_log_line(char *out, size_t cap, int64_t now, const char *level, const char *text);
