/* Writes a file with its patches. Bytes outside patches are copied as they are. If the text is decoded,
 * iconv gets room for exactly the text before the next patch and tells how many bytes of the file that took:
 * so places in the text become places in the file without encoding anything anew. Bytes that cannot be
 * decoded count as the reader counts them (U+FFFD), and are copied too. */
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/file.h"
#include "base/utf8.h"
#include "repair/rewrite/rewrite_internal.h"

enum { BLOCK = 64 * 1024, REPLACEMENT = 3 /* bytes of U+FFFD */ };

struct walker {
    const struct plan *plan;
    struct odp_reader *in;
    struct odp_file *out;
    char raw[BLOCK];
    size_t at, n;
    bool end;       /* the file has ended */
    uint64_t place; /* in the text, of raw[at] */
    iconv_t cd;
    bool open;
    char text[BLOCK]; /* decoded, unused */
};

/* Reads more of the file. */
static enum odp_status fill(struct walker *w)
{
    size_t got = 0;
    if (w->end)
        return ODP_OK;
    memmove(w->raw, w->raw + w->at, w->n - w->at);
    w->n -= w->at;
    w->at = 0;
    enum odp_status status = odp_reader_read(w->in, w->raw + w->n, sizeof w->raw - w->n, &got);
    if (status == ODP_FAIL)
        return ODP_FAIL;
    w->n += got;
    w->end = status == ODP_DONE || got == 0;
    return ODP_OK;
}

/* Passes N bytes of the file, KEEP: into the new one. */
static enum odp_status pass(struct walker *w, size_t n, bool keep)
{
    enum odp_status status = keep ? odp_file_write(w->out, w->raw + w->at, n) : ODP_OK;
    w->at += n;
    return status;
}

static enum odp_status place_lost(const struct walker *w)
{
    return odp_failure_set("find the place again in", w->plan->target, 0);
}

/* Decodes one step towards TO. */
static enum odp_status step(struct walker *w, uint64_t to, bool keep)
{
    char *in = w->raw + w->at, *out = w->text;
    size_t left = w->n - w->at,
           room = to - w->place < sizeof w->text ? (size_t)(to - w->place) : sizeof w->text, space = room;
    size_t r = iconv(w->cd, &in, &left, &out, &space);
    int error = errno;
    size_t took = (size_t)(in - (w->raw + w->at)), made = room - space;
    w->place += made;
    if (pass(w, took, keep) != ODP_OK)
        return ODP_FAIL;
    if (r != (size_t)-1 || took > 0 || made > 0)
        return ODP_OK;
    if (error == E2BIG) /* a place within a character: no patch begins there */
        return room < sizeof w->text ? place_lost(w) : ODP_OK;
    if (error == EINVAL && !w->end)
        return fill(w);
    size_t skip = error == EINVAL || left < w->plan->unit ? left : w->plan->unit;
    if (to - w->place < REPLACEMENT)
        return place_lost(w);
    (void)iconv(w->cd, NULL, NULL, NULL, NULL);
    w->place += REPLACEMENT;
    return pass(w, skip, keep);
}

/* Goes on to TO (in the text), or to the end of the file. */
static enum odp_status go(struct walker *w, uint64_t to, bool keep)
{
    enum odp_status status = ODP_OK;
    while (status == ODP_OK && w->place < to) {
        if (w->at == w->n) {
            status = fill(w);
            if (w->at == w->n && w->end)
                return status == ODP_OK && to != UINT64_MAX ? place_lost(w) : status;
        } else if (w->open && to != UINT64_MAX) {
            status = step(w, to, keep);
        } else {
            size_t n = to - w->place < w->n - w->at ? (size_t)(to - w->place) : w->n - w->at;
            w->place += n;
            status = pass(w, n, keep);
        }
    }
    return status;
}

static enum odp_status copy(struct walker *w)
{
    const struct plan *p = w->plan;
    enum odp_status status = ODP_OK;
    /* The byte order mark is not text. */
    for (uint64_t left = p->skip; left > 0 && status == ODP_OK; left--) {
        if (w->at == w->n)
            status = fill(w);
        if (status == ODP_OK)
            status = w->at < w->n ? pass(w, 1, true) : place_lost(w);
    }
    for (size_t i = 0; i < p->n && status == ODP_OK; i++) {
        const struct patch *patch = &p->patches[i];
        status = go(w, patch->start, true);
        if (status == ODP_OK && patch->nbytes > 0)
            status = odp_file_write(w->out, p->bytes.ptr + patch->bytes, patch->nbytes);
        if (status == ODP_OK)
            status = go(w, patch->end, false);
    }
    return status == ODP_OK ? go(w, UINT64_MAX, true) : status;
}

enum odp_status odp_copy_patched(const struct plan *p, const char *temporary)
{
    int errnum = 0;
    struct walker *w = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_memory();
    w->plan = p;
    enum odp_status status = odp_reader_open(&w->in, p->target, &errnum);
    if (status == ODP_BAD)
        status = odp_failure_set("open", p->target, errnum);
    if (status == ODP_OK && p->encoding != NULL) {
        w->cd = iconv_open("UTF-8", p->encoding);
        w->open = w->cd != (iconv_t)-1;
        if (!w->open)
            status = odp_failure_set("iconv", NULL, errno);
    }
    if (status == ODP_OK)
        status = odp_file_create(&w->out, temporary, 0600); /* gets the source's mode when complete */
    if (status == ODP_OK)
        status = copy(w);
    if (status == ODP_OK) {
        status = odp_file_close(w->out, NULL);
        w->out = NULL;
    }
    odp_file_discard(w->out);
    if (w->open)
        iconv_close(w->cd);
    odp_reader_close(w->in);
    free(w);
    return status;
}

/* ---- text in the encoding of the file ---- */

bool odp_encoding_has_states(const char *encoding)
{
    static const char *const names[] = {"ISO-2022", "ISO2022", "UTF-7", "UTF7", "HZ", "UTF-16", "UTF-32"};
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        if (strncasecmp(encoding, names[i], strlen(names[i])) == 0)
            return i < 5 || strlen(encoding) == 6; /* UTF-16LE names its byte order, UTF-16 does not */
    return false;
}

enum odp_status odp_encoder_open(struct odp_encoder *c, const char *encoding)
{
    *c = (struct odp_encoder){0};
    if (encoding == NULL)
        return ODP_OK;
    iconv_t cd = iconv_open(encoding, "UTF-8");
    if (cd == (iconv_t)-1)
        return odp_failure_set("iconv", NULL, errno);
    *c = (struct odp_encoder){cd, true};
    return ODP_OK;
}

void odp_encoder_close(struct odp_encoder *c)
{
    if (c->open)
        iconv_close(c->cd);
    c->open = false;
}

enum odp_status odp_encode(const struct odp_encoder *c, struct odp_slice s, struct odp_buffer *out,
                           size_t *bad)
{
    *bad = 0;
    if (!c->open) {
        odp_buffer_add_slice(out, s);
        return odp_buffer_status(out);
    }
    char *in = (char *)(size_t)s.ptr;
    size_t left = s.len;
    (void)iconv(c->cd, NULL, NULL, NULL, NULL);
    while (left > 0) {
        size_t room = left * 4 + 16, space = room;
        char *to = odp_buffer_reserve(out, room);
        if (to == NULL)
            return ODP_FAIL;
        size_t r = iconv(c->cd, &in, &left, &to, &space);
        int error = errno;
        out->len += room - space;
        if (r != (size_t)-1 && r != 0) { /* iconv has used another character */
            *bad = 0;
            return ODP_DONE;
        }
        if (r == (size_t)-1 && error != E2BIG) {
            *bad = s.len - left;
            return ODP_DONE;
        }
    }
    return odp_buffer_status(out);
}

void odp_encode_fault(struct odp_diag *d, struct odp_slice text, size_t bad, struct odp_slice all,
                      bool secret, char name[16])
{
    uint32_t cp = 0xFFFD;
    size_t n = bad < text.len ? odp_utf8_decode(text.ptr + bad, text.len - bad, &cp) : 0;
    (void)snprintf(name, 16, "U+%04X", (unsigned)cp);
    d->code = ODP_A01;
    d->args[0] = n > 0 ? (struct odp_slice){text.ptr + bad, n} : all;
    d->args[2] = odp_slice_of(name);
    d->args[3] = all;
    if (secret)
        d->args[0] = d->args[2] = d->args[3] = ODP_LIT("***");
}
