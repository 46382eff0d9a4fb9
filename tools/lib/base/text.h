/* Text for people, in both languages. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum odp_lang { ODP_LANG_ID, ODP_LANG_EN, ODP_LANGS };
/* "id", "en": as BCP 47 has it. */
static inline const char *odp_lang_code(enum odp_lang lang)
{
    return lang == ODP_LANG_EN ? "en" : "id";
}
/* Text in both languages, indexed by enum odp_lang: text.in[lang]. An empty one falls back on the other. */
struct odp_text {
    const char *in[ODP_LANGS];
};
/* Of a word (templates/words): odp_word(lang, W_…). Where both are formats their arguments are the same. */
static inline const char *odp_word(enum odp_lang lang, const char *id, const char *en)
    __attribute__((format_arg(2), format_arg(3)));
static inline const char *odp_word(enum odp_lang lang, const char *id, const char *en)
{
    return lang == ODP_LANG_EN ? en : id;
}
const char *odp_text_get(const struct odp_text *t, enum odp_lang lang); /* never NULL */
bool odp_text_is_empty(const struct odp_text *t);
/* DIGITS, or N, in groups of three as LANG has it: "1.204", "1,204". */
struct odp_buffer;
void odp_text_digits(struct odp_buffer *out, struct odp_slice digits, enum odp_lang lang);
void odp_text_number(struct odp_buffer *out, uint64_t n, enum odp_lang lang);
/* "1.204,5" or "1,204.5" of "1204.5"; TEXT as it is where it is no plain decimal. */
void odp_text_decimal(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang);
/* As people read it: "1,2 juta", "1.2 million" of "1234567.8"; "8.412", "24,9", "0,37" of less. TEXT as it is
 * where it is no plain decimal. */
void odp_text_amount(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang);
/* The same with six digits, "3,24 juta": where a class ends and the next begins, which must not read alike.
 * lib/format.js of the portal writes the same. */
void odp_text_bound(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang);
/* The first letter of TEXT within a sentence: 'l' of "Luas kumuh", 'P' of "PDB"; NUL of "". */
char odp_text_first_inside(struct odp_slice text);
/* "984,5 KB", "984.5 kB" of so many bytes. */
void odp_text_size(struct odp_buffer *out, uint64_t n, enum odp_lang lang);
/* S as a shell takes it: in single quotes where it needs them. */
void odp_text_shell(struct odp_buffer *out, struct odp_slice s);
/* Everything but letters, digits and -._~ as %XX. */
void odp_text_percent(struct odp_buffer *out, struct odp_slice s);
/* The same but for characters of KEEP. */
void odp_text_percent_but(struct odp_buffer *out, struct odp_slice s, const char *keep);
/* Decodes S into OUT, which has room for S.len bytes; *LEN gets the length. False: a broken escape, or a NUL
 * byte. */
bool odp_percent_decode(struct odp_slice s, char *out, size_t *len);
/* The next pair of *FORM, a query or form body, as it is sent; *VALUE is "" where there is none. False: no
 * more. */
bool odp_form_next(struct odp_slice *form, struct odp_slice *name, struct odp_slice *value);
/* S, one of these, decoded into OUT (emptied first). False: as odp_percent_decode says. */
bool odp_form_decode(struct odp_slice s, struct odp_buffer *out);
/* The parameter NAME of a query or form body (application/x-www-form-urlencoded, '+' is a space), decoded,
 * into OUT (emptied first). Returns how often it exists; -1: broken escapes. */
int odp_form_get(struct odp_slice form, const char *name, struct odp_buffer *out);
/* The number that S, digits alone, is; UINT64_MAX if it is larger. False: S is empty, or has anything
 * else. */
bool odp_number_read(struct odp_slice s, uint64_t *out);
/* A field of CSV (RFC 4180), in quotes only where it needs them: a delimiter, a quote or a line end in it,
 * a space or tab at an end, nothing at all. PTR NULL is null: nothing comes out. */
void odp_text_csv(struct odp_buffer *out, struct odp_slice s);
/* "A", "AB" of column 0, 27, as spreadsheet programs call it. BUF has room for 8. */
const char *odp_column_name(uint32_t column, char buf[8]);
