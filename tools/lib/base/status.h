/* The one result type of the library, and what to do with a failure of the machine.
 *
 * OK    done, go on.
 * DONE  an iterator has no more.
 * BAD   the data (or the catalogue) is wrong: it has been reported as a diagnostic; go on with the rest.
 * FAIL  the machine is wrong (memory, disk): stop. What failed is kept by odp_failure_set for main to print.
 */
#pragma once

#define ODP_MUST_USE   __attribute__((warn_unused_result))
#define ODP_NEVER_NULL __attribute__((returns_nonnull))

enum odp_status { ODP_OK = 0, ODP_DONE, ODP_BAD, ODP_FAIL };

/* Records why the machine failed. The first record of a thread wins; always returns ODP_FAIL. OP is a literal
 * such as "write", PATH may be NULL, ERRNUM is an errno value or 0. ESTALE is worded as what it means here:
 * PATH has changed while it was read. */
enum odp_status odp_failure_set(const char *op, const char *path, int errnum);
/* The same of an allocation that was refused; it stays known, whatever is done about it then, also after a
 * clear. */
enum odp_status odp_failure_memory(void);
/* FAIL once memory was refused anywhere in the process: asked before anything is published or put in place,
 * for what was made since then may lack what nobody missed. */
enum odp_status odp_memory_status(void) ODP_MUST_USE;
/* Between two rounds of one process, which share nothing that could lack something. */
void odp_memory_forget(void);

#define ODP_FAILURE_TOLD (-1) /* an ERRNUM: OP also says what to do */

/* "write build/site/x.json: No space left on device", or "" when nothing failed: this thread's record; where
 * it has none, the first one of all threads since the last clear, which is that of a thread it waited for.
 * Borrowed until the thread's odp_failure_clear, which forgets both. */
const char *odp_failure_text(void);
int odp_failure_errno(void); /* its ERRNUM: what to do about it depends on that */
void odp_failure_clear(void);

/* For libraries that end the process themselves where they get neither memory nor a thread (GLib): END is
 * told why, on any thread, and must not return. The program sets it, before it has threads; else the process
 * is aborted. */
void odp_failure_on_end(void (*end)(const char *why));
_Noreturn void odp_failure_end(const char *why);
