/* How commands start and end, print, and choose the exit code. */
#pragma once

#include "commands/options.h"

/* Makes the arena and diagnostics of the command's run, if it reads no catalogue. */
enum odp_status outcome_begin(struct invocation *inv) ODP_MUST_USE;
/* Shows the run's diagnostics and returns the exit code of STATUS; a wrong catalogue is wrong usage. */
int outcome_end(const struct invocation *inv, enum odp_status status);
/* The exit code of STATUS, after printing WHY if it is BAD, or the failure if it is FAIL. */
int outcome_code(const struct invocation *inv, enum odp_status status, const struct odp_text *why);
/* Prints "odp-build: " and the text as a line on standard error; returns CODE. */
int outcome_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shows DIAGS in the requested reports (and in the human one, unless it was named), then the failure if
 * STATUS is FAIL. Returns the exit code: DONE counts as OK. */
int outcome_show(const struct invocation *inv, const struct odp_diags *diags, enum odp_status status);
/* Whether the command prints its result: not with --quiet, and not if a report takes standard output. */
bool outcome_prints(const struct invocation *inv);
/* Writes the report that REQUEST asks for; the human one in colours on a terminal. BRIEF: without the
 * table of datasets. OK or FAIL. */
enum odp_status outcome_report(const struct invocation *inv, const struct report_request *request,
                               const struct odp_diags *diags, const struct odp_summary *summary,
                               bool brief) ODP_MUST_USE;
/* Prints "1.234" or "1,234". */
void outcome_number(const struct invocation *inv, uint64_t n);
/* Prints S, then blanks up to WIDTH columns, at least one. */
void outcome_pad(const char *s, size_t width);
/* Prints the usage on standard error; returns EXIT_USAGE. */
int outcome_usage(const struct invocation *inv, const char *id, const char *en);
/* Reports that C has no dataset SLUG, with the nearest name; returns EXIT_USAGE. */
int outcome_no_dataset(const struct invocation *inv, const struct odp_catalog *c, const char *slug);
/* Of a report on standard error. */
struct odp_report_style outcome_style(const struct invocation *inv);
/* Whether output to FD may be coloured. */
bool outcome_colors(const struct invocation *inv, int fd);
/* Prints the faults of RUN on standard error, as the human report does. */
void outcome_faults(const struct invocation *inv, const struct odp_run *run);
/* The title of CODE without arguments, in A. */
const char *outcome_title(const struct invocation *inv, enum odp_code code, struct odp_arena *a);
/* Makes a temporary folder "…/NAME-XXXXXX" in TMPDIR; NULL (recorded) if that fails. */
char *outcome_scratch(const char *name, struct odp_arena *a) ODP_MUST_USE;
/* Replaces a report file as a whole; writes to a device or a pipe. */
enum odp_status outcome_write_file(const char *path, struct odp_slice bytes) ODP_MUST_USE;
