/* Tokens of a text, as FTS5's tokenizer "unicode61 remove_diacritics 2" finds them. Where all of it is ASCII they are its letters and digits, in small letters: that is most of what
 * there is, and done here. Every other text goes through FTS5's own, so what is a letter and what it folds to is the library's word. */
#include "write/index/words_internal.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>

struct words_tokenizer {
    sqlite3 *db; /* FTS5 is asked for by way of a connection; it has nothing in it */
    fts5_tokenizer calls;
    Fts5Tokenizer *made;
    struct words *words; /* while a text is read */
    enum odp_status status;
};

/* ---- ASCII ------------------------------------------------------------------------------------------------------------------ */

/* What a byte is in a token; 0: it is in none. */
static unsigned char fold(unsigned char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
        return c;
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : 0;
}

static enum odp_status tokens_of_ascii(struct words *w, struct odp_slice text)
{
    odp_buffer_clear(&w->text);
    unsigned char *token = (unsigned char *)odp_buffer_reserve(&w->text, text.len);
    if (token == NULL)
        return odp_failure_set("write query index: words", w->job.path, ENOMEM);
    const unsigned char *p = (const unsigned char *)text.ptr, *end = p + text.len;
    while (p < end) {
        uint32_t hash = WORDS_HASH;
        size_t n = 0;
        for (unsigned char c; p < end && (c = fold(*p)) != 0; p++) {
            token[n++] = c;
            hash = words_hash_byte(hash, c);
        }
        if (n > 0 && words_token(w, token, n, hash) != ODP_OK)
            return ODP_FAIL;
        p++; /* what has ended the token */
    }
    return ODP_OK;
}

/* ---- all others ------------------------------------------------------------------------------------------------------------- */

static enum odp_status failed(const struct words *w, int rc)
{
    return odp_failure_set("write query index (FTS5's tokenizer)", w->job.path, (rc & 0xff) == SQLITE_NOMEM ? ENOMEM : 0);
}

/* FTS5 says what it offers by way of a pointer that a statement carries. */
static int find_api(sqlite3 *db, fts5_api **out)
{
    sqlite3_stmt *s = NULL;
    *out = NULL;
    int rc = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &s, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_pointer(s, 1, out, "fts5_api_ptr", NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s) == SQLITE_ROW ? SQLITE_OK : SQLITE_ERROR;
    int end = sqlite3_finalize(s);
    return rc != SQLITE_OK && end != SQLITE_OK ? end : rc;
}

static enum odp_status make_tokenizer(struct words *w)
{
    const char *options[] = {"remove_diacritics", "2"};
    struct words_tokenizer *t = w->tokenizer = calloc(1, sizeof *t);
    fts5_api *api = NULL;
    void *context = NULL;
    if (t == NULL)
        return failed(w, SQLITE_NOMEM);
    int rc = sqlite3_open_v2(":memory:", &t->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = find_api(t->db, &api);
    if (rc == SQLITE_OK && (api == NULL || api->iVersion < 2))
        rc = SQLITE_ERROR;
    if (rc == SQLITE_OK)
        rc = api->xFindTokenizer(api, "unicode61", &context, &t->calls);
    if (rc == SQLITE_OK)
        rc = t->calls.xCreate(context, options, 2, &t->made);
    if (rc != SQLITE_OK)
        t->made = NULL;
    return rc == SQLITE_OK ? ODP_OK : failed(w, rc);
}

void words_tokenizer_free(struct words_tokenizer *t)
{
    if (t == NULL)
        return;
    if (t->made != NULL)
        t->calls.xDelete(t->made);
    (void)sqlite3_close(t->db);
    free(t);
}

static int take_token(void *context, int flags, const char *token, int n, int start, int end)
{
    struct words_tokenizer *t = context;
    (void)flags;
    (void)start;
    (void)end;
    uint32_t hash = WORDS_HASH;
    for (int i = 0; i < n; i++)
        hash = words_hash_byte(hash, (unsigned char)token[i]);
    t->status = words_token(t->words, (const unsigned char *)token, (size_t)n, hash);
    return t->status == ODP_OK ? SQLITE_OK : SQLITE_ERROR;
}

static enum odp_status tokens_of_unicode(struct words *w, struct odp_slice text)
{
    if (text.len > INT32_MAX)
        return odp_failure_set("write query index: a text is too long", w->job.path, 0);
    if (w->tokenizer == NULL && make_tokenizer(w) != ODP_OK)
        return ODP_FAIL;
    struct words_tokenizer *t = w->tokenizer;
    t->words = w;
    t->status = ODP_OK;
    int rc = t->calls.xTokenize(t->made, t, FTS5_TOKENIZE_DOCUMENT, text.ptr, (int)text.len, take_token);
    if (t->status != ODP_OK)
        return t->status;
    return rc == SQLITE_OK ? ODP_OK : failed(w, rc);
}

enum odp_status words_tokens(struct words *w, struct odp_slice text, bool ascii)
{
    return ascii ? tokens_of_ascii(w, text) : tokens_of_unicode(w, text);
}
