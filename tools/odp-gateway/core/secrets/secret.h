/* Secrets in files of their own: who may read such a file, what is in it, and how one secret replaces
 * another.
 *
 * A file has one secret a line, the newest first:
 *
 *     # words for people
 *     WORD [since 2026-03-01T00:00:00Z] [until 2026-03-08T00:00:00Z]
 *
 * The first whose `since` has come signs; all whose `until` has not come are accepted, also those that do not
 * sign yet, since clocks and copies of the file differ between machines. So nothing that was given out fails
 * while a secret is replaced. A secret's id is derived from it (8 hex digits), is part of what it signs, and
 * is no secret: it names the line that signed. A file that holds nothing but a secret, as older versions made
 * them, is a file with one line. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/slice.h"
#include "base/status.h"

#define ODP_SECRET_KEYS  8   /* in one file */
#define ODP_SECRET_WORD  512 /* bytes, with the terminator */
#define ODP_SECRET_BYTES 32
#define ODP_SECRET_ID    9 /* with the terminator */
#define ODP_SECRET_FILE  8192
#define ODP_SECRET_WHY   512

struct odp_secret {
    char word[ODP_SECRET_WORD];      /* as the file has it; empty: the file holds bytes that are no text */
    uint8_t bytes[ODP_SECRET_BYTES]; /* those that WORD is the base64 of, else its SHA-256 */
    char id[ODP_SECRET_ID];          /* of the SHA-256 of BYTES */
    int64_t since, until;            /* Unix seconds; 0: not said */
    size_t line;                     /* of the file, from 1; 0: it is the whole file */
};
struct odp_secrets { /* wipe when done */
    struct odp_secret items[ODP_SECRET_KEYS];
    size_t n;
};

/* ---- what is in a file ---- */

/* LEAST: bytes that a secret must have. BAD: WHY, which never quotes a secret; PATH is for WHY. At least one
 * has no end. */
enum odp_status odp_secrets_parse(struct odp_secrets *s, struct odp_slice text, size_t least,
                                  const char *path, enum odp_lang lang,
                                  char why[ODP_SECRET_WHY]) ODP_MUST_USE;
/* 44 characters of base64 that are the only way to write their 32 bytes. */
bool odp_secret_decode(struct odp_slice word, uint8_t out[ODP_SECRET_BYTES]) ODP_MUST_USE;
void odp_secrets_wipe(struct odp_secrets *s);
/* The one that signs now; there always is one. */
const struct odp_secret *odp_secrets_signs(const struct odp_secrets *s, int64_t now);
bool odp_secret_ended(const struct odp_secret *s, int64_t now);

/* ---- the file ---- */

/* The owner of the file, besides root, and who else may read it. */
struct odp_secret_owner {
    uid_t user;
    bool group_reads; /* for files that others share with a group (a TLS key of ssl-cert's); never for our own
                       */
};
/* The bytes of a regular file, no link, of OWNER's or root's, that no other user may open: checked is the
 * opened file, not what the path leads to later. DONE: missing. BAD: WHY. BYTES has room for
 * ODP_SECRET_FILE; the caller wipes it. */
enum odp_status odp_secret_file_bytes(const char *path, struct odp_secret_owner owner, char *bytes,
                                      size_t *len, enum odp_lang lang, char why[ODP_SECRET_WHY]) ODP_MUST_USE;
/* The same, and its secrets. BAD: also when it is missing. */
enum odp_status odp_secrets_read(struct odp_secrets *s, const char *path, struct odp_secret_owner owner,
                                 size_t least, enum odp_lang lang, char why[ODP_SECRET_WHY]) ODP_MUST_USE;
/* TEXT becomes PATH, 0600, whole or not at all; no other user may write to its folder. REPLACE: an old file
 * gives way (and its owner gets the new one, when root does it); else a file that has appeared meanwhile
 * stays. */
enum odp_status odp_secret_file_write(const char *path, struct odp_slice text, bool replace,
                                      struct odp_secret_owner owner, enum odp_lang lang,
                                      char why[ODP_SECRET_WHY]) ODP_MUST_USE;
/* base64 of 32 random bytes, and a terminator. */
enum { ODP_SECRET_NEW = 45 };
enum odp_status odp_secret_new(char word[ODP_SECRET_NEW]) ODP_MUST_USE;

/* ---- one in the place of another ---- */

struct odp_secret_change {
    const char *word;    /* the new one; NULL: made */
    const char *comment; /* the file's first line, without # */
    int64_t now, after;  /* signs so many seconds from now */
    int64_t grace;       /* the others are accepted so many seconds longer than they sign */
    bool plain;          /* words alone, without times: for a file whose reader has none
                            (service/webhooks/deliver/seal.h) */
};
/* S with the new one on top. Those that had ended go. BAD: WHY (too many, or the same again). */
enum odp_status odp_secrets_replace(struct odp_secrets *s, const struct odp_secret_change *change,
                                    const char *path, enum odp_lang lang,
                                    char why[ODP_SECRET_WHY]) ODP_MUST_USE;
/* S as a file's text, of at most ODP_SECRET_FILE bytes. */
enum odp_status odp_secrets_compose(const struct odp_secrets *s, const struct odp_secret_change *change,
                                    char *text, size_t *len) ODP_MUST_USE;
