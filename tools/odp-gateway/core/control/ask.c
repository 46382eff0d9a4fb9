/* From a request to a line: a file, a query for the engine, or an OGC document and its form.
 *
 * The form of an address decides what it may ask for; whether that exists, and where it has gone, the line of
 * the dataset's or resource's first page says. */
#include "base/text.h"
#include "core/accept.h"
#include "core/control/control_internal.h"
#include "core/problem.h"

#define starts control_starts
#define ends   control_ends

enum { COLLECTION_MAX = 240 }; /* bytes of a collection's id: two names of at most 100 (tools/lib/catalog) */

/* ---- lines ---- */

static bool usable(const struct odp_entry *e)
{
    return e->cls != ODP_ENTRY_INTERNAL;
}

/* The entry still has data. */
static bool in_use(const struct odp_entry *e)
{
    return e->state == ODP_ENTRY_ACTIVE || e->state == ODP_ENTRY_DEPRECATED;
}

/* v1/A.json, or with B v1/A/B.json. */
static bool find_page(const struct odp_control *c, struct odp_slice a, struct odp_slice b,
                      struct odp_entry *e)
{
    char name[COLLECTION_MAX + 8] = "v1/";
    size_t n = 3;
    memcpy(name + n, a.ptr, a.len);
    n += a.len;
    if (b.len > 0) {
        name[n++] = '/';
        memcpy(name + n, b.ptr, b.len);
        n += b.len;
    }
    return control_find_exact(c, (struct odp_slice){name, n}, ODP_LIT(".json"), e) && usable(e);
}

/* v1/NAME.json */
static bool find_name(const struct odp_control *c, struct odp_slice name, struct odp_entry *e)
{
    struct odp_slice slug = control_segment(name);
    return slug.len > 0 && name.len <= COLLECTION_MAX &&
           find_page(c, slug, control_after(name, slug.len + 1), e);
}

/* Of v1/ID.json or v1/SLUG/RESOURCE.json where ID is SLUG-RESOURCE; of a dataset that moved or was
 * withdrawn. */
static bool find_collection(const struct odp_control *c, struct odp_slice id, struct odp_entry *e)
{
    static const struct odp_slice nothing = {"", 0};
    if (id.len == 0 || id.len > COLLECTION_MAX)
        return false;
    if (find_page(c, id, nothing, e))
        return true;
    for (size_t i = 1; i + 1 < id.len; i++)
        if (id.ptr[i] == '-' && find_page(c, (struct odp_slice){id.ptr, i}, control_after(id, i + 1), e))
            return true;
    for (size_t i = 1; i + 1 < id.len; i++)
        if (id.ptr[i] == '-' && find_page(c, (struct odp_slice){id.ptr, i}, nothing, e) && !in_use(e))
            return true;
    return false;
}

/* ---- OGC documents ---- */

enum form { FORM_UNSAID, FORM_JSON, FORM_HTML, FORM_WRONG };

/* The form that the parameters name: only f is known, once. */
static enum form form_said(struct odp_slice query)
{
    struct odp_slice name, value;
    enum form form = FORM_UNSAID;
    while (odp_form_next(&query, &name, &value)) {
        bool json = odp_slice_is(value, "json");
        if (form != FORM_UNSAID || !odp_slice_is(name, "f") || !(json || odp_slice_is(value, "html")))
            return FORM_WRONG;
        form = json ? FORM_JSON : FORM_HTML;
    }
    return form;
}

/* A range that names HTML goes before one that names everything, and JSON before HTML of the same weight. */
static bool prefers_html(struct odp_slice accept)
{
    struct odp_slice name;
    int q, html = 0, json = 0, any = 0;
    while (odp_accept_next(&accept, &name, &q)) {
        if (odp_accept_is(name, "text/html") || odp_accept_is(name, "application/xhtml+xml") ||
            odp_accept_is(name, "text/*"))
            html = q > html ? q : html;
        else if (odp_accept_is(name, "application/json") || (name.len > 5 && ends(name, "+json")))
            json = q > json ? q : json;
        else if (odp_accept_is(name, "*/*") || odp_accept_is(name, "application/*"))
            any = q > any ? q : any;
    }
    return html > json && html >= any;
}

static bool find_form(const struct odp_control *c, struct odp_slice stem, const char *extension,
                      struct odp_entry *e)
{
    return control_find_exact(c, stem, odp_slice_of(extension), e) && usable(e);
}

/* The document STEM in the form that is wanted; NONE: it is not there in this form. */
static enum odp_route choose_form(const struct odp_control *c, const struct odp_ask *ask,
                                  struct odp_slice stem, enum form form, struct odp_entry *e, unsigned *vary)
{
    struct odp_entry html, en;
    bool json = find_form(c, stem, ".json", e),
         page = form != FORM_JSON && find_form(c, stem, ".html", &html);
    if (form == FORM_UNSAID && json && page)
        *vary |= ODP_VARY_ACCEPT;
    if (!page || (form == FORM_UNSAID && json && !prefers_html(ask->accept)))
        return json && form != FORM_HTML ? ODP_ROUTE_OPEN : ODP_ROUTE_NONE;
    *e = html;
    if (find_form(c, stem, ".en.html", &en)) {
        *vary |= ODP_VARY_LANGUAGE;
        if (odp_lang_accept(ask->accept_language) == ODP_LANG_EN)
            *e = en;
    }
    return ODP_ROUTE_OPEN;
}

static enum odp_route route_document(const struct odp_control *c, const struct odp_ask *ask,
                                     struct odp_slice path, struct odp_slice name, struct odp_entry *e,
                                     unsigned *vary)
{
    enum form form = form_said(ask->query);
    struct odp_slice stem = {path.ptr, path.len - (path.len > 7 && ends(path, "/"))};
    if (name.len == 0)
        stem = ODP_LIT("v1/ogc/index");
    if (form == FORM_WRONG) { /* the service says so */
        if (find_form(c, stem, "", e) || find_form(c, stem, ".json", e))
            return ODP_ROUTE_QUERY;
    } else if (find_form(c, stem, "", e) || choose_form(c, ask, stem, form, e, vary) == ODP_ROUTE_OPEN) {
        return ODP_ROUTE_OPEN;
    } else if (find_form(c, stem, ".json", e)) {
        return ODP_ROUTE_QUERY;
    }
    if (starts(name, "collections/") && find_collection(c, control_segment(control_after(name, 12)), e) &&
        !in_use(e))
        return odp_control_needs_key(ask->uri) ? ODP_ROUTE_FILE : ODP_ROUTE_OPEN;
    return ODP_ROUTE_NONE;
}

/* ---- requests ---- */

static enum odp_route engine_or_gone(const struct odp_entry *e)
{
    return in_use(e) ? ODP_ROUTE_QUERY : ODP_ROUTE_FILE;
}

/* NAME without an extension, of which E is the first page: that page, or the form that Accept prefers. */
static enum odp_route route_form(const struct odp_control *c, const struct odp_ask *ask,
                                 struct odp_slice name, struct odp_entry *e, unsigned *vary)
{
    struct odp_slice ext;
    struct odp_entry whole;
    if (!ask->engine || !in_use(e))
        return ODP_ROUTE_FILE;
    *vary |= ODP_VARY_ACCEPT;
    enum control_wanted wanted = control_form_wanted(ask->accept, &ext);
    if (wanted == CONTROL_WANTS_WHOLE && control_find_whole(c, name, ext, &whole))
        *e = whole;
    else if (wanted != CONTROL_WANTS_PAGE)
        return ODP_ROUTE_QUERY;
    return ODP_ROUTE_FILE;
}

/* The dataset that took the place of E's has a whole file in the format EXT. */
static bool moved_whole(const struct odp_control *c, const struct odp_entry *e, struct odp_slice ext)
{
    struct odp_entry whole;
    struct odp_slice to = control_after(e->link, 3); /* "v1/new.json" */
    to.len -= ends(to, ".json") ? 5 : 0;
    return control_find_whole(c, to, ext, &whole);
}

/* NAME has an extension that is not .json: the longest name of a first page counts. */
static enum odp_route route_extension(const struct odp_control *c, struct odp_slice name, bool asked,
                                      struct odp_entry *e)
{
    struct odp_entry whole;
    for (size_t cut = name.len; cut-- > 0 && name.ptr[cut] != '/';) {
        struct odp_slice stem = {name.ptr, cut}, ext = control_after(name, cut + 1);
        if (name.ptr[cut] != '.' || !find_name(c, stem, e))
            continue;
        bool engine = control_extension(name) == ext.len + 1,
             found = in_use(e) && control_find_whole(c, stem, ext, &whole);
        if (found && !asked)
            *e = whole;
        else if (engine)
            return engine_or_gone(e);
        else if (in_use(e) || (e->state == ODP_ENTRY_MOVED && !moved_whole(c, e, ext)))
            return ODP_ROUTE_NONE;
        return ODP_ROUTE_FILE;
    }
    return ODP_ROUTE_NONE;
}

/* A dataset or resource, whose path is v1/NAME. */
static enum odp_route route_plain(const struct odp_control *c, const struct odp_ask *ask,
                                  struct odp_slice path, struct odp_slice name, struct odp_entry *e,
                                  unsigned *vary)
{
    bool json = ends(path, ".json"), asked = ask->query.len > 0,
         found = control_find_exact(c, path, json ? (struct odp_slice){"", 0} : ODP_LIT(".json"), e);
    if (!found) {
        enum odp_route route = route_extension(c, name, asked, e);
        return route != ODP_ROUTE_NONE ? route : control_route_file(c, path, e);
    }
    if (!usable(e))
        return ODP_ROUTE_NONE;
    if (asked)
        return engine_or_gone(e);
    return json ? ODP_ROUTE_FILE : route_form(c, ask, name, e, vary);
}

enum odp_route odp_control_ask(const struct odp_control *c, const struct odp_ask *ask, struct odp_entry *e,
                               unsigned *vary)
{
    *vary = 0;
    if (ask->uri.len == 0 || ask->uri.ptr[0] != '/')
        return ODP_ROUTE_NONE;
    struct odp_slice path = control_path_of(ask->uri);
    struct control_parts p = control_parts_of(path);
    switch (p.form) {
    case CONTROL_DOCUMENT:
        return route_document(c, ask, path, p.name, e, vary);
    case CONTROL_ITEMS:
        return find_collection(c, p.name, e) ? engine_or_gone(e) : ODP_ROUTE_NONE;
    case CONTROL_PLAIN:
        return route_plain(c, ask, path, p.name, e, vary);
    case CONTROL_SEARCH:
    case CONTROL_ID:
        if (control_find_exact(c, (struct odp_slice){path.ptr, 3 + p.name.len}, ODP_LIT(".json"), e) &&
            usable(e))
            return engine_or_gone(e);
        break;
    default:
        break;
    }
    return control_route_file(c, path, e);
}

enum odp_route odp_control_route(const struct odp_control *c, struct odp_slice uri, struct odp_entry *e)
{
    const struct odp_ask ask = {.uri = uri};
    unsigned vary;
    return odp_control_ask(c, &ask, e, &vary);
}
