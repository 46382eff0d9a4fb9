/* Text in the encoding of a file. */
#pragma once

#include "base/buffer.h"
#include "base/diagnostic.h"

/* Appends S in the file's encoding to OUT. OK; DONE: a character is missing there (*BAD, in S); FAIL. CD: of
 * iconv. */
struct odp_encoder {
    void *cd;
    bool open;
};
enum odp_status odp_encoder_open(struct odp_encoder *c, const char *encoding) ODP_MUST_USE;
void odp_encoder_close(struct odp_encoder *c);
enum odp_status odp_encode(const struct odp_encoder *c, struct odp_slice s, struct odp_buffer *out,
                           size_t *bad) ODP_MUST_USE;
/* A01, in D whose args[1] is the encoding: what of TEXT it lacks, from byte BAD on. SECRET: it is not
 * shown. NAME has room for the character's code; ALL: what is being written. */
void odp_encode_fault(struct odp_diag *d, struct odp_slice text, size_t bad, struct odp_slice all,
                      bool secret, char name[16]);
/* Encodings whose bytes depend on earlier ones: a piece cannot be inserted. */
bool odp_encoding_has_states(const char *encoding);
