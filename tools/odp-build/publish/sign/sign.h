/* Signatures: ed25519 in minisign's forms, so that anybody can check them with minisign (libsodium does the
 * work).
 *
 * A secret key file is minisign's (encrypted with a password by scrypt, or unencrypted where the caller says
 * so: CI has no keyboard). A signature is prehashed ("ED": ed25519 over BLAKE2b-512) with a trusted comment.
 * Secrets are wiped after use, never logged. */
#pragma once

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"

enum { ODP_SIGN_ID = 8, ODP_SIGN_PUBLIC = 32 };

struct odp_public_key {
    uint8_t id[ODP_SIGN_ID];
    uint8_t key[ODP_SIGN_PUBLIC];
};
/* minisign's base64 line "RW…"; BAD: not a public key. */
enum odp_status odp_public_key_parse(struct odp_public_key *k, struct odp_slice text) ODP_MUST_USE;
void odp_public_key_text(struct odp_buffer *out, const struct odp_public_key *k);
/* A public key file: "untrusted comment: minisign public key <id>", then the key. */
void odp_public_key_file(struct odp_buffer *out, const struct odp_public_key *k);
/* "1A2B3C…": the key's id as minisign shows it. */
struct odp_key_id {
    char text[2 * ODP_SIGN_ID + 1];
};
struct odp_key_id odp_key_id(const struct odp_public_key *k);
bool odp_public_key_same(const struct odp_public_key *a, const struct odp_public_key *b);

struct odp_secret_key; /* locked memory, wiped by free */
enum odp_status odp_secret_key_generate(struct odp_secret_key **out, struct odp_public_key *pub) ODP_MUST_USE;
/* PASSWORD NULL: the file is not encrypted. BAD: not a key, wrong password (WHY, in A). */
enum odp_status odp_secret_key_read(struct odp_secret_key **out, const char *path, const char *password,
                                    struct odp_arena *a, struct odp_text *why) ODP_MUST_USE;
/* What is to be known before a password is asked for. BAD: not a secret key file. */
struct odp_secret_key_file {
    bool encrypted;
    bool exposed; /* others than its owner may read the file */
};
enum odp_status odp_secret_key_look(struct odp_secret_key_file *out, const char *path, struct odp_arena *a,
                                    struct odp_text *why) ODP_MUST_USE;
/* Mode 0600; PATH must not exist. PASSWORD NULL: not encrypted. */
enum odp_status odp_secret_key_write(const struct odp_secret_key *k, const char *path, const char *password,
                                     const char *comment) ODP_MUST_USE;
void odp_secret_key_public(const struct odp_secret_key *k, struct odp_public_key *pub);
void odp_secret_key_free(struct odp_secret_key *k);

/* The text of a .minisig file for BYTES. TRUSTED is one line, covered by the signature. Deterministic. */
enum odp_status odp_sign(struct odp_buffer *out, const struct odp_secret_key *k, struct odp_slice bytes,
                         const char *untrusted, const char *trusted) ODP_MUST_USE;
/* Who may have signed, and who has. */
struct odp_signers {
    const struct odp_public_key *keys;
    size_t nkeys;
    size_t which;        /* the key that has */
    const char *trusted; /* the trusted comment */
    struct odp_text why; /* BAD: what is wrong */
};
/* OK: SIGNATURE is one of BYTES by one of the keys of S, which gets the rest (in A). BAD: it is not. */
enum odp_status odp_verify(struct odp_slice bytes, struct odp_slice signature, struct odp_signers *s,
                           struct odp_arena *a) ODP_MUST_USE;
