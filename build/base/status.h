/* The one result type of the library, and what to do with a failure of the machine.
 *
 * OK    done, go on.
 * DONE  an iterator has no more.
 * BAD   the data (or the catalogue) is wrong: it has been reported as a diagnostic; go on with the rest.
 * FAIL  the machine is wrong (memory, disk): stop. What failed is kept by odp_failure_set for main to print.
 */
#ifndef ODP_BASE_STATUS_H
#define ODP_BASE_STATUS_H

#define ODP_MUST_USE __attribute__((warn_unused_result))

enum odp_status { ODP_OK = 0, ODP_DONE, ODP_BAD, ODP_FAIL };

/* Records why the machine failed. The first record of a run wins; thread-safe; always returns ODP_FAIL.
 * OP is a literal such as "write", PATH may be NULL, ERRNUM is an errno value or 0. */
enum odp_status odp_failure_set(const char *op, const char *path, int errnum);

/* "write out/site/x.json: No space left on device", or "" when nothing failed. Borrowed until odp_failure_clear. */
const char *odp_failure_text(void);
void odp_failure_clear(void);

#endif
