/* For commands whose faults are diagnostics but which are no run of run/run.h: how they are shown, and the
 * exit code. */
#pragma once

#include "commands/options.h"

/* Arena and diagnostics of the command's run, where it reads no catalogue. */
enum odp_status outcome_begin(struct invocation *inv) ODP_MUST_USE;
/* The end of a command that comes to STATUS: outcome_show of the run's diagnostics; a wrong catalogue is
 * wrong usage. */
int outcome_end(const struct invocation *inv, enum odp_status status);
/* The exit code of STATUS; where it is BAD, says WHY on standard error, where it is FAIL, how the machine
 * failed. */
int outcome_code(const struct invocation *inv, enum odp_status status, const struct odp_text *why);
/* "odp-build: " and the words, a line on standard error; returns CODE. */
int outcome_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What DIAGS holds, in the reports that were asked for (the human one always, unless it was named); then what
 * the machine failed at, if STATUS is FAIL. Returns the exit code: DONE counts as OK. */
int outcome_show(const struct invocation *inv, const struct odp_diags *diags, enum odp_status status);
/* Whether a command says on standard output what it did: not with --quiet, nor where a report has that for
 * itself. */
bool outcome_tells(const struct invocation *inv);
/* The report of DIAGS and SUMMARY that REQUEST asks for; the human one in colours on a terminal. QUIET: only
 * faults. OK or FAIL. */
enum odp_status outcome_report(const struct invocation *inv, const struct report_request *request,
                               const struct odp_diags *diags, const struct odp_summary *summary,
                               bool quiet) ODP_MUST_USE;
/* "1.234" or "1,234" on standard output. */
void outcome_number(const struct invocation *inv, uint64_t n);
/* S, then blanks up to WIDTH columns. */
void outcome_pad(const char *s, size_t width);
/* How the command is called, on standard error; EXIT_USAGE. */
int outcome_usage(const struct invocation *inv, const char *id, const char *en);
/* No such dataset as SLUG in C: said, with what it may be; EXIT_USAGE. */
int outcome_no_dataset(const struct invocation *inv, const struct odp_catalog *c, const char *slug);
/* Whether what goes to FD may be coloured. */
bool outcome_colors(const struct invocation *inv, int fd);
/* What is wrong with RUN, as the human report has it, on standard error. */
void outcome_faults(const struct invocation *inv, const struct odp_run *run);
/* The title of CODE, of no fault in particular; in A. */
const char *outcome_title(const struct invocation *inv, enum odp_code code, struct odp_arena *a);
/* A folder of our own in TMPDIR, "…/NAME-XXXXXX", in A; NULL where none can be made, which is recorded. */
char *outcome_scratch(const char *name, struct odp_arena *a) ODP_MUST_USE;
/* A report file is replaced as a whole; to a device or a pipe it is written. */
enum odp_status outcome_write_file(const char *path, struct odp_slice bytes) ODP_MUST_USE;
