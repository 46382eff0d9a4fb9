/* Mail through a sendmail-compatible command: the message on its standard input, recipients from its headers (-t). No shell. */
#ifndef ODP_GATEWAY_SERVICE_MAIL_H
#define ODP_GATEWAY_SERVICE_MAIL_H

#include "base/diag.h"
#include "service/state.h"

/* An address we are willing to hand to sendmail: one @, printable ASCII or UTF-8 without spaces, controls, quotes, commas and brackets, at most 254
 * bytes (RFC 5321, section 4.5.3.1), a dot in the domain. */
bool odp_mail_address_ok(struct odp_slice address);
/* Subject and body are UTF-8; header injection is impossible (subject is encoded, RFC 2047). Runs the command in the background of the
 * service and reaps it; a failure is counted, logged without the address, and not the caller's. */
enum odp_status odp_mail_send(struct odp_state *s, const char *to, const char *subject, const char *body) ODP_MUST_USE;
/* PURPOSE "confirm" or "recover": the text in LANG with the link <base_url>auth/<purpose>?token=… */
enum odp_status odp_mail_link(struct odp_state *s, const char *to, const char *purpose, const char *token, enum odp_lang lang) ODP_MUST_USE;

#endif
