/* Looking into a PDF that somebody supplied. The file is read once, whole, and what was read is hashed and
 * parsed: nothing that changes on the disk meanwhile can come between. qpdf's repairs are switched off; what
 * it would warn of is damage, but for a few that touch no object. */
#include <errno.h>
#include <pthread.h>

#include "read/pdf/pdf_internal.h"

#define DEEP  64         /* nodes above a page */
#define LARGE (16 << 20) /* larger ones are held in memory one at a time */
#define TEXT  200        /* of odp_document_info.why */

static pthread_mutex_t large = PTHREAD_MUTEX_INITIALIZER;

/* ---- what qpdf says ---- */

static void set_damage(struct odp_document_info *out, const char *why)
{
    if (out->fault != ODP_DOCUMENT_OK)
        return;
    out->fault = ODP_DOCUMENT_DAMAGED;
    size_t n = 0;
    if (why == NULL || *why == '\0')
        why = "its structure is broken";
    for (; why[n] != '\0' && n + 1 < TEXT; n++)
        out->why[n] = why[n] >= ' ' && why[n] <= '~' ? why[n] : '?'; /* it may quote the file */
    out->why[n] = '\0';
}

/* Readers agree on what such a file holds. */
static bool is_harmless(const char *warning)
{
    static const char *const known[] = {
        "reported number of objects",             /* /Size is too large or too small */
        "accepting invalid xref table entry",     /* white space within the table */
        "extraneous whitespace seen before xref", /* likewise */
        "stream keyword followed by",             /* followed by a space or a lone CR */
    };
    for (size_t i = 0; i < ODP_COUNT(known); i++)
        if (strncmp(warning, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* Takes what qpdf has to say since the last call. False: no further step makes sense. */
static bool is_sound(qpdf_data q, struct odp_document_info *out)
{
    if (qpdf_has_error(q)) {
        qpdf_error e = qpdf_get_error(q);
        enum qpdf_error_code_e code = qpdf_get_error_code(q, e);
        const char *detail = qpdf_get_error_message_detail(q, e);
        if (detail != NULL && strcmp(detail, "std::bad_alloc") == 0)
            out->errnum = ENOMEM; /* the machine's fault, not the file's: see inspect */
        if (code == qpdf_e_password || (code == qpdf_e_unsupported && qpdf_is_encrypted(q)))
            out->fault = ODP_DOCUMENT_ENCRYPTED;
        else
            set_damage(out, detail);
    }
    while (qpdf_more_warnings(q)) {
        const char *detail = qpdf_get_error_message_detail(q, qpdf_next_warning(q));
        if (detail == NULL || !is_harmless(detail))
            set_damage(out, detail);
    }
    return out->fault == ODP_DOCUMENT_OK;
}

/* ---- the pages ---- */

struct node {
    qpdf_oh kids;
    int at, n;
};

struct walk {
    qpdf_data q;
    struct odp_document_info *out;
    struct node nodes[DEEP];
    size_t depth;
    int budget;       /* of annotations */
    uint64_t visited; /* kids */
};

/* Pages' lists may hold the same list again and again, so kids are counted, not only pages. */
static bool enter(struct walk *w, qpdf_oh node)
{
    if (w->depth == DEEP) {
        set_damage(w->out, "the page tree is nested too deep, or contains itself");
        return false;
    }
    qpdf_oh kids = qpdf_oh_get_key(w->q, node, "/Kids");
    bool good = qpdf_oh_is_array(w->q, kids);
    if (good)
        w->nodes[w->depth++] = (struct node){kids, 0, qpdf_oh_get_array_n_items(w->q, kids)};
    else
        qpdf_oh_release(w->q, kids);
    if (!good && is_sound(w->q, w->out))
        set_damage(w->out, "a node of the page tree has no /Kids");
    return good;
}

/* A page: its contents are there, as streams. */
static bool take_page(struct walk *w, qpdf_oh page)
{
    qpdf_oh contents = qpdf_oh_get_key(w->q, page, "/Contents");
    bool good = qpdf_oh_is_null(w->q, contents) || qpdf_oh_is_stream(w->q, contents) ||
                qpdf_oh_is_array(w->q, contents);
    qpdf_oh_release(w->q, contents);
    w->out->has_scripts = w->out->has_scripts || odp_document_page_has_scripts(w->q, page, &w->budget);
    w->out->pages++;
    if (is_sound(w->q, w->out) && !good)
        set_damage(w->out, "the contents of a page are no stream");
    return w->out->fault == ODP_DOCUMENT_OK;
}

static bool take_kid(struct walk *w, qpdf_oh kid)
{
    if (++w->visited > ODP_DOCUMENT_PAGES_MAX) {
        set_damage(w->out, "the page tree has too many entries, or contains itself");
        return false;
    }
    if (!qpdf_oh_is_dictionary(w->q, kid)) {
        if (is_sound(w->q, w->out))
            set_damage(w->out, "the page tree names a page that is not there");
        return false;
    }
    return qpdf_oh_has_key(w->q, kid, "/Kids") ? enter(w, kid) : take_page(w, kid);
}

static void walk_pages(struct walk *w, qpdf_oh tree)
{
    bool good = qpdf_oh_is_dictionary(w->q, tree) && enter(w, tree);
    while (good && w->depth > 0) {
        struct node *top = &w->nodes[w->depth - 1];
        if (top->at == top->n) {
            qpdf_oh_release(w->q, top->kids);
            w->depth--;
            continue;
        }
        qpdf_oh kid = qpdf_oh_get_array_item(w->q, top->kids, top->at++);
        good = take_kid(w, kid);
        qpdf_oh_release(w->q, kid);
    }
    while (w->depth > 0)
        qpdf_oh_release(w->q, w->nodes[--w->depth].kids);
    if (!is_sound(w->q, w->out))
        return;
    qpdf_oh count = odp_document_get(w->q, tree, "/Count");
    if (w->out->pages == 0)
        set_damage(w->out, "it has no page");
    else if (!qpdf_oh_is_integer(w->q, count) ||
             (uint64_t)qpdf_oh_get_int_value(w->q, count) != w->out->pages)
        set_damage(w->out, "it does not have as many pages as it says");
    qpdf_oh_release(w->q, count);
}

static void parse(qpdf_data q, const struct odp_buffer *file, struct odp_document_info *out)
{
    qpdf_silence_errors(q);
    qpdf_set_suppress_warnings(q, QPDF_TRUE);
    qpdf_set_attempt_recovery(q, QPDF_FALSE);
    (void)qpdf_read_memory(q, "PDF", file->ptr, file->len, NULL);
    if (is_sound(q, out) && qpdf_is_encrypted(q))
        out->fault = ODP_DOCUMENT_ENCRYPTED;
    if (out->fault != ODP_DOCUMENT_OK)
        return;
    qpdf_oh root = qpdf_get_root(q), tree = odp_document_get(q, root, "/Pages");
    if (is_sound(q, out)) {
        struct walk w = {.q = q, .out = out, .budget = ODP_DOCUMENT_PAGES_MAX};
        walk_pages(&w, tree);
    }
    if (out->fault == ODP_DOCUMENT_OK && !out->has_scripts)
        out->has_scripts = odp_document_root_has_scripts(q, root);
    (void)is_sound(q, out);
    qpdf_oh_release(q, tree);
    qpdf_oh_release(q, root);
}

/* ---- the file ---- */

static enum odp_status inspect(const char *path, struct odp_document_info *out)
{
    struct odp_buffer file = {0};
    enum odp_status status = odp_file_read(path, ODP_DOCUMENT_BYTES_MAX, &file, &out->errnum);
    if (status == ODP_BAD) {
        out->fault = out->errnum == EFBIG ? ODP_DOCUMENT_LARGE : ODP_DOCUMENT_ABSENT;
        out->bytes = odp_file_size_of(path);
        status = ODP_OK;
        goto done;
    }
    if (status != ODP_OK)
        goto done;
    out->bytes = file.len;
    status = odp_digest_of(file.ptr, file.len, out->sha256);
    if (status != ODP_OK)
        goto done;
    if (file.len < 8 || memcmp(file.ptr, "%PDF-", 5) != 0) {
        out->fault = ODP_DOCUMENT_NO_PDF;
        goto done;
    }
    qpdf_data q = qpdf_init();
    parse(q, &file, out);
    qpdf_cleanup(&q);
    if (out->fault != ODP_DOCUMENT_OK)
        out->pages = 0;
    if (out->errnum == ENOMEM)
        status = odp_failure_set("examine", path, ENOMEM);
done:
    odp_buffer_release(&file);
    return status;
}

enum odp_status odp_document_inspect(const char *path, struct odp_document_info *out)
{
    *out = (struct odp_document_info){0};
    bool alone = odp_file_size_of(path) > LARGE;
    if (alone)
        pthread_mutex_lock(&large);
    enum odp_status status = inspect(path, out);
    if (alone)
        pthread_mutex_unlock(&large);
    return status;
}
