/* Bodies of forms: as JSON, what was typed, where they come from. */
#pragma once

#include "service/http/field.h"
#include "service/http/http.h"

/* The one of the N FIELDS with NAME, or NULL. */
const struct odp_member *odp_member_find(const struct odp_member *fields, size_t n, const char *name);

/* BODY as a JSON object, without "lang". The caller decrefs *DOC in every case. BAD: it cannot be read;
 * *GUILTY is the field, if it is one of FIELDS. */
enum odp_status odp_form_doc(struct odp_slice body, const struct odp_member *fields, size_t n, json_t **doc,
                             const char **guilty) ODP_MUST_USE;
/* The text that was typed into NAME, for showing the form again; empty if it cannot be read or has more than
 * MAX characters. */
void odp_form_kept(struct odp_slice body, const char *name, size_t max, struct odp_buffer *out);
/* The language of the form's page. */
bool odp_form_lang(struct odp_slice body, enum odp_lang *lang);
void odp_form_release(struct odp_buffer *b); /* wiped first: it may have held a key */
/* The form was sent by a page of another site. */
bool odp_http_foreign(const struct odp_answer *a);
