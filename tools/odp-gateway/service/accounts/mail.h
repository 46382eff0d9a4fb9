/* Mail through a sendmail-compatible command: the message on its standard input, recipients from its headers
 * (-t). No shell. */
#pragma once

#include <stdatomic.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "service/state/state.h"

/* An address we are willing to hand to sendmail: one @, printable ASCII or UTF-8 without spaces, controls,
 * quotes, commas and brackets, at most 254 bytes (RFC 5321, section 4.5.3.1), a dot in the domain. */
bool odp_mail_address_ok(struct odp_slice address);
/* Subject and body are UTF-8; header injection is impossible (subject is encoded, RFC 2047). In a running
 * service the message is queued and the command run by the mailer, which reaps it; else it is run here. A
 * failure is counted, logged without the address, and not the caller's. DONE: no mail is configured. BAD: not
 * an address, or the queue is full. */
enum odp_status odp_mail_send(struct odp_state *s, const char *to, const char *subject,
                              const char *body) ODP_MUST_USE;
struct odp_issued;
/* PURPOSE "confirm" or "recover": to K's address the text in LANG with the link
 * <base_url>auth/<purpose>?token=… A link that confirms names the key by its shown part: only the owner of
 * that key should confirm it. */
enum odp_status odp_mail_link(struct odp_state *s, const char *purpose, const struct odp_issued *k,
                              enum odp_lang lang) ODP_MUST_USE;
/* Looks up who has that address, makes a recovery link and sends it, if there is somebody; in a running
 * service all of it later, so that the caller's answer takes as long either way. Results as for
 * odp_mail_send. */
enum odp_status odp_mail_recovery(struct odp_state *s, struct odp_slice email, enum odp_lang lang,
                                  int64_t now) ODP_MUST_USE;

/* The whole message (RFC 5322; lines end with a newline, as sendmail wants its input). NOW: Unix seconds. */
enum odp_status odp_mail_write(struct odp_buffer *out, const char *from, const char *to, const char *subject,
                               const char *body, int64_t now) ODP_MUST_USE;
/* Runs COMMAND (split at blanks) with MESSAGE on its standard input and waits for it, at most TIMEOUT_MS;
 * then it is killed. Its output goes nowhere: it could name the recipient. When *STOP (may be NULL) turns
 * true, a command that has the whole message is left to itself. BAD: it could not be started, said no, took
 * too long, or was left. */
enum odp_status odp_mail_run(const char *command, struct odp_slice message, int timeout_ms,
                             const _Atomic bool *stop) ODP_MUST_USE;

#define ODP_MAIL_TIMEOUT_MS 30000
#define ODP_MAIL_QUEUE      256
#define ODP_MAIL_THREADS    2
/* The mailer of a service: ODP_MAIL_THREADS messages in flight, ODP_MAIL_QUEUE waiting. Free waits up to 300
 * ms for what is queued; what is left then is counted as failed. */
struct odp_mailer;
enum odp_status odp_mailer_new(struct odp_mailer **out, struct odp_state *s) ODP_MUST_USE;
void odp_mailer_free(struct odp_mailer *m); /* NULL is allowed */
