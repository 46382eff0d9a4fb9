/* The last step of a document: additions that cairo cannot write, made with qpdf, in memory. All comes from
 * the input: the same bytes always.
 *
 * The number of figures must be that of the structure tree: a description of the wrong picture is worse than
 * no description. XMP is not compressed: programs that know no PDF find it. qpdf's warnings count as
 * failures: it is our own file. */
#include "write/typesetting/finish_internal.h"

#include <errno.h>
#include <qpdf/qpdf-c.h>
#include <string.h>

#include "base/nearest.h"

/* Elements within elements within the structure tree; documents of ours have some ten. */
#define DEEP 64

struct finisher {
    qpdf_data q;
    const struct odp_finish *f;
    qpdf_oh scope;          /* <</O /Table /Scope /Column>>, one for all */
    size_t figures;         /* seen */
    enum odp_status status; /* of qpdf, and of what is made for it */
};

/* The next thing to visit: the entry K of an element, one value or an array of them. */
struct level {
    qpdf_oh kids;
    int at, n; /* n < 0: KIDS is the one value */
};

/* Keeps qpdf's own words of the first failure; true without a failure. */
static bool check(struct finisher *w)
{
    if (w->status == ODP_OK && qpdf_has_error(w->q)) {
        const char *why = qpdf_get_error_message_detail(w->q, qpdf_get_error(w->q));
        int errnum = why != NULL && strcmp(why, "std::bad_alloc") == 0 ? ENOMEM : 0;
        w->status = odp_failure_set("finish the PDF:", why != NULL && *why != '\0' ? why : "qpdf", errnum);
    }
    return w->status == ODP_OK;
}

/* DICT[KEY] = VALUE, which is given back. */
static void put(const struct finisher *w, qpdf_oh dict, const char *key, qpdf_oh value)
{
    qpdf_oh_replace_key(w->q, dict, key, value);
    qpdf_oh_release(w->q, value);
}

static void put_text(struct finisher *w, qpdf_oh dict, const char *key, const char *text)
{
    struct odp_buffer b = {0};
    odp_finish_pdf_text(&b, text);
    if (b.failed)
        w->status = ODP_FAIL;
    else if (b.len > 0)
        put(w, dict, key, qpdf_oh_new_binary_string(w->q, odp_buffer_cstr(&b), b.len));
    odp_buffer_release(&b);
}

/* ---- the catalogue, Info and XMP ---- */

static void add_xmp(struct finisher *w, qpdf_oh root)
{
    struct odp_buffer xmp = {0};
    if (odp_finish_xmp(&xmp, w->f) != ODP_OK || odp_buffer_status(&xmp) != ODP_OK) {
        w->status = ODP_FAIL;
    } else {
        qpdf_oh stream = qpdf_oh_new_stream(w->q), null = qpdf_oh_new_null(w->q);
        qpdf_oh_replace_stream_data(w->q, stream, (const unsigned char *)xmp.ptr, xmp.len, null, null);
        qpdf_oh dict = qpdf_oh_get_dict(w->q, stream);
        put(w, dict, "/Type", qpdf_oh_new_name(w->q, "/Metadata"));
        put(w, dict, "/Subtype", qpdf_oh_new_name(w->q, "/XML"));
        put(w, root, "/Metadata", stream);
        qpdf_oh_release(w->q, dict);
        qpdf_oh_release(w->q, null);
    }
    odp_buffer_release(&xmp);
}

static void add_info(struct finisher *w)
{
    qpdf_oh trailer = qpdf_get_trailer(w->q), info = qpdf_oh_new_dictionary(w->q);
    struct odp_buffer date = {0};
    odp_finish_pdf_date(&date, w->f->date);
    const char *at = odp_buffer_cstr(&date);
    const char *const entries[][2] = {{"/Title", w->f->title},
                                      {"/Author", w->f->publisher},
                                      {"/Subject", w->f->description},
                                      {"/CreationDate", at},
                                      {"/ModDate", at},
                                      {"/Creator", ODP_FINISH_PRODUCER},
                                      {"/Producer", ODP_FINISH_PRODUCER}};
    for (size_t i = 0; i < ODP_COUNT(entries); i++)
        put_text(w, info, entries[i][0], entries[i][1]);
    put(w, trailer, "/Info", qpdf_make_indirect_object(w->q, info));
    qpdf_oh_release(w->q, info);
    qpdf_oh_release(w->q, trailer);
    odp_buffer_release(&date);
}

static void add_catalogue(struct finisher *w, qpdf_oh root)
{
    qpdf_oh preferences = qpdf_oh_get_key(w->q, root, "/ViewerPreferences");
    if (!qpdf_oh_is_dictionary(w->q, preferences)) {
        qpdf_oh_release(w->q, preferences);
        preferences = qpdf_oh_new_dictionary(w->q);
    }
    put(w, preferences, "/DisplayDocTitle", qpdf_oh_new_bool(w->q, QPDF_TRUE));
    put(w, root, "/ViewerPreferences", preferences);
    if (!qpdf_oh_has_key(w->q, root, "/MarkInfo")) {
        qpdf_oh mark = qpdf_oh_new_dictionary(w->q);
        put(w, mark, "/Marked", qpdf_oh_new_bool(w->q, QPDF_TRUE));
        put(w, root, "/MarkInfo", mark);
    }
    put_text(w, root, "/Lang", w->f->lang);
    add_xmp(w, root);
    add_info(w);
}

/* With the tab key, from link to link in the order of the structure (ISO 14289-1, 7.18.3). */
static void order_tabs(const struct finisher *w)
{
    int n = qpdf_get_num_pages(w->q);
    for (int i = 0; i < n; i++) {
        qpdf_oh page = qpdf_get_page_n(w->q, (size_t)i);
        put(w, page, "/Tabs", qpdf_oh_new_name(w->q, "/S"));
        qpdf_oh_release(w->q, page);
    }
}

/* ---- the structure tree ---- */

/* Most elements are cells: elements that cannot hold another one we look for are not entered. (The count of
 * figures would tell of a picture in one.) */
static bool is_leaf(const char *kind)
{
    static const char *const leaves[] = {"/TD", "/TH", "/Figure", "/Link", "/LBody", "/H1", "/H2", "/H3"};
    return odp_word_index(odp_slice_of(kind), leaves, ODP_COUNT(leaves)) >= 0;
}

static bool is_element(const struct finisher *w, qpdf_oh kids, int at)
{
    qpdf_oh kid = qpdf_oh_get_array_item(w->q, kids, at);
    bool is = qpdf_oh_is_dictionary(w->q, kid) && qpdf_oh_has_key(w->q, kid, "/S");
    qpdf_oh_release(w->q, kid);
    return is;
}

/* An element that holds elements holds no content (tags.c). Since 1.18 cairo puts untagged content into the
 * open element: running heads and feet, which screen readers should not read on every page. */
static void drop_content(const struct finisher *w, qpdf_oh element)
{
    qpdf_oh kids = qpdf_oh_get_key(w->q, element, "/K");
    int n = qpdf_oh_is_array(w->q, kids) ? qpdf_oh_get_array_n_items(w->q, kids) : 0, first = 0;
    while (first < n && !is_element(w, kids, first))
        first++;
    for (int i = n - 1; first < n && i >= 0; i--)
        if (i < first || !is_element(w, kids, i))
            qpdf_oh_erase_item(w->q, kids, i);
    qpdf_oh_release(w->q, kids);
}

/* An element of the structure: heads of columns get their scope, figures what they show. Returns whether its
 * children are to be visited. What is no element (numbers of marked content, references to it and to
 * annotations) has no /S. */
static bool take_element(struct finisher *w, qpdf_oh element)
{
    qpdf_oh name = qpdf_oh_get_key(w->q, element, "/S");
    const char *kind = "";
    size_t len = 0;
    bool enter = qpdf_oh_get_value_as_name(w->q, name, &kind, &len) && !is_leaf(kind);
    if (enter)
        drop_content(w, element);
    else if (len > 0 && strcmp(kind, "/TH") == 0)
        qpdf_oh_replace_key(w->q, element, "/A", w->scope);
    else if (len > 0 && strcmp(kind, "/Figure") == 0 && w->figures++ < w->f->nfigures)
        put_text(w, element, "/Alt", w->f->figures[w->figures - 1].alternative);
    qpdf_oh_release(w->q, name);
    return enter;
}

static struct level level_of(const struct finisher *w, qpdf_oh element)
{
    qpdf_oh kids = qpdf_oh_get_key(w->q, element, "/K");
    return (struct level){kids, 0, qpdf_oh_is_array(w->q, kids) ? qpdf_oh_get_array_n_items(w->q, kids) : -1};
}

/* Moves to the next child in *L; false at the end. */
static bool next_child(const struct finisher *w, struct level *l, qpdf_oh *child)
{
    if (l->at >= (l->n < 0 ? 1 : l->n))
        return false;
    *child = l->n < 0 ? qpdf_oh_new_object(w->q, l->kids) : qpdf_oh_get_array_item(w->q, l->kids, l->at);
    l->at++;
    return true;
}

static void walk(struct finisher *w, qpdf_oh tree)
{
    struct level levels[DEEP];
    size_t n = 0;
    levels[n++] = level_of(w, tree);
    while (n > 0 && w->status == ODP_OK) {
        qpdf_oh child;
        if (!next_child(w, &levels[n - 1], &child)) {
            qpdf_oh_release(w->q, levels[--n].kids);
            continue;
        }
        bool enter =
            qpdf_oh_is_dictionary(w->q, child) && take_element(w, child); /* numbers: marked content */
        if (enter && n == DEEP)
            w->status = odp_failure_set("finish the PDF:", "the structure is nested too deep", 0);
        else if (enter)
            levels[n++] = level_of(w, child);
        qpdf_oh_release(w->q, child);
    }
}

static void describe_structure(struct finisher *w, qpdf_oh root)
{
    qpdf_oh tree = qpdf_oh_get_key(w->q, root, "/StructTreeRoot"),
            scope = qpdf_oh_parse(w->q, "<< /O /Table /Scope /Column >>");
    w->scope = qpdf_make_indirect_object(w->q, scope);
    if (qpdf_oh_is_dictionary(w->q, tree))
        walk(w, tree);
    if (check(w) && w->figures != w->f->nfigures)
        w->status =
            odp_failure_set("finish the PDF:", "its figures are not those that have a description", 0);
    qpdf_oh_release(w->q, w->scope);
    qpdf_oh_release(w->q, scope);
    qpdf_oh_release(w->q, tree);
}

/* ---- all of it ---- */

static void write_pdf(struct finisher *w, struct odp_buffer *out)
{
    if (qpdf_init_write_memory(w->q) == QPDF_SUCCESS) {
        qpdf_set_object_stream_mode(w->q, qpdf_o_generate);
        qpdf_set_compress_streams(w->q, QPDF_TRUE);
        qpdf_set_preserve_unreferenced_objects(w->q, QPDF_FALSE);
        qpdf_set_deterministic_ID(w->q, QPDF_TRUE);
        (void)qpdf_write(w->q);
    }
    if (check(w) && qpdf_more_warnings(w->q)) /* it is our own file */
        w->status = odp_failure_set(
            "finish the PDF:", qpdf_get_error_message_detail(w->q, qpdf_next_warning(w->q)), 0);
    if (w->status == ODP_OK)
        odp_buffer_add(out, qpdf_get_buffer(w->q), qpdf_get_buffer_length(w->q));
}

enum odp_status odp_print_finish(const struct odp_buffer *pdf, const struct odp_finish *f,
                                 struct odp_buffer *out)
{
    struct finisher w = {.q = qpdf_init(), .f = f};
    qpdf_silence_errors(w.q);
    qpdf_set_suppress_warnings(w.q, QPDF_TRUE);
    qpdf_set_attempt_recovery(w.q, QPDF_FALSE);
    (void)qpdf_read_memory(w.q, "PDF", pdf->ptr, pdf->len, NULL);
    if (check(&w)) {
        qpdf_oh root = qpdf_get_root(w.q);
        add_catalogue(&w, root);
        describe_structure(&w, root);
        order_tabs(&w);
    }
    if (check(&w))
        write_pdf(&w, out);
    qpdf_cleanup(&w.q);
    return w.status == ODP_OK ? odp_buffer_status(out) : w.status;
}
