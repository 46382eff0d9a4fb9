#include "core/control/control_internal.h"
#include "base/nearest.h"
#include "base/text.h"

enum {
    PATH,
    ETAG,
    TYPE,
    ENCODING,
    CLASS,
    STATE,
    DEPRECATION,
    SUNSET,
    CACHE_CONTROL,
    SIZE, /* this and the next came later: a line may end before them */
    LINK,
    COLUMNS
};

bool control_path_ok(struct odp_slice path)
{
    size_t start = 0; /* of the segment */
    for (size_t i = 0; i <= path.len; i++) {
        unsigned char c = i < path.len ? (unsigned char)path.ptr[i] : '/';
        if (c < 0x20 || c == 0x7f || c == '\\')
            return false;
        if (c != '/')
            continue;
        size_t len = i - start;
        if ((len == 0 && (i < path.len || path.len == 0)) || (len == 1 && path.ptr[start] == '.') ||
            (len == 2 && memcmp(path.ptr + start, "..", 2) == 0))
            return false;
        start = i + 1;
    }
    return true;
}

/* No control character in S: eight bytes at a time, since every request reads lines. */
static bool is_plain(struct odp_slice s)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t bad = 0;
    size_t i = 0;
    for (; i + sizeof bad <= s.len; i += sizeof bad) {
        uint64_t x, del;
        memcpy(&x, s.ptr + i, sizeof x);
        del = x ^ (ones * 0x7f);
        bad |= ((x - ones * 0x20) & ~x & tops) |
               ((del - ones) & ~del & tops); /* a byte below 0x20; a byte 0x7f */
    }
    for (; i < s.len; i++)
        bad |= (unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f;
    return bad == 0;
}

/* The columns go into headers as they are: no control character may come with them. */
static size_t split(struct odp_slice line, struct odp_slice column[COLUMNS])
{
    size_t n = 0;
    for (const char *p = line.ptr, *end = line.ptr + line.len; n < COLUMNS;) {
        const char *tab = memchr(p, '\t', (size_t)(end - p));
        struct odp_slice c = {p, (size_t)((tab != NULL ? tab : end) - p)};
        if (!is_plain(c))
            return 0;
        if (c.len == 1 && *p == '-')
            c.len = 0;
        column[n++] = c;
        if (tab == NULL)
            break;
        p = tab + 1;
    }
    return n;
}

static bool read_size(struct odp_slice s, uint64_t *size)
{
    return s.len == 0 || (s.len <= 18 && odp_number_read(s, size));
}

static bool etag_ok(struct odp_slice s)
{
    return s.len == 0 ||
           (s.len > 2 && s.ptr[0] == '"' && memchr(s.ptr + 1, '"', s.len - 1) == s.ptr + s.len - 1);
}

static struct odp_slice until(struct odp_slice s, const char *any)
{
    size_t n = 0;
    while (n < s.len && strchr(any, s.ptr[n]) == NULL)
        n++;
    return (struct odp_slice){s.ptr, n};
}

static bool take_off(struct odp_slice *s, const char *end)
{
    bool has = s->len > strlen(end) && control_ends(*s, end);
    s->len -= has ? strlen(end) : 0;
    return has;
}

bool control_reserved(struct odp_slice name)
{
    static const char *const words[] = {"id",       "v",      "p",   "search",  "versions",
                                        "webhooks", "events", "ogc", "openapi", "index"};
    return odp_word_index(name, words, ODP_COUNT(words)) >= 0;
}

/* PATH without .gz or .br, where that says no more than the encoding does. */
static struct odp_slice without_coding(struct odp_slice path, enum odp_coding coding)
{
    if (coding != ODP_CODING_NONE)
        (void)(take_off(&path, ".gz") || take_off(&path, ".br"));
    return path;
}

/* data/<slug>/<version>/<slug>[-<resource>].<ext>, both names may have dots; other files there go by their
 * first word: schema, changes, latest. */
static struct odp_slice format_of(struct odp_slice slug, struct odp_slice path)
{
    size_t slash = path.len;
    while (slash > 0 && path.ptr[slash - 1] != '/')
        slash--;
    struct odp_slice name = control_after(path, slash);
    if (name.len <= slug.len || memcmp(name.ptr, slug.ptr, slug.len) != 0 ||
        strchr(".-", name.ptr[slug.len]) == NULL)
        return until(name, ".-");
    size_t dot = name.len - 1;
    while (dot > slug.len && name.ptr[dot] != '.')
        dot--;
    if (name.ptr[dot] != '.')
        return (struct odp_slice){name.ptr, 0};
    struct odp_slice stem = {name.ptr, dot};
    if (take_off(&stem, ".excel"))
        dot = stem.len;
    return control_after(name, dot + 1);
}

static void name_parts(struct odp_entry *e)
{
    struct odp_slice path = without_coding(e->path, e->coding);
    e->dataset = e->format = (struct odp_slice){e->path.ptr, 0};
    if (path.len > 3 && control_starts(path, "v1/")) {
        e->format = ODP_LIT("api");
        struct odp_slice rest = control_after(path, 3), name = until(rest, "/");
        if (name.len == rest.len)
            (void)take_off(&name, ".json");
        if (!control_reserved(name))
            e->dataset = name;
    } else if (path.len > 5 && control_starts(path, "data/")) {
        struct odp_slice name = until(control_after(path, 5), "/");
        if (name.len + 5 == path.len)
            return; /* a file right under data/ */
        e->dataset = name;
        e->format = format_of(name, path);
    }
}

/* As the catalogue takes names of datasets: what may go into a Location header as it is. */
static bool slug_ok(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!((s.ptr[i] >= 'a' && s.ptr[i] <= 'z') || (s.ptr[i] >= '0' && s.ptr[i] <= '9') ||
              (i > 0 && s.ptr[i] != '\0' && strchr("-_.", s.ptr[i]) != NULL)))
            return false;
    return s.len > 0;
}

/* "v1/old.json", "v1/old/" or "data/old/", and the same of another dataset. */
static bool moved_ok(struct odp_slice path, struct odp_slice to)
{
    static const struct {
        const char *before, *after;
    } forms[] = {{"v1/", ".json"}, {"v1/", "/"}, {"data/", "/"}};
    for (size_t i = 0; i < ODP_COUNT(forms); i++) {
        struct odp_slice old = path, now = to;
        size_t n = strlen(forms[i].before);
        if (take_off(&old, forms[i].after) && take_off(&now, forms[i].after) &&
            control_starts(old, forms[i].before) && control_starts(now, forms[i].before))
            return slug_ok(control_after(old, n)) && slug_ok(control_after(now, n));
    }
    return false;
}

bool control_entry_read(struct odp_slice line, struct odp_entry *e)
{
    static const char *const classes[] = {"public", "keyed", "internal"},
                             *const states[] = {"active", "deprecated", "withdrawn", "moved"},
                             *const codings[] = {"", "gzip", "br"};
    struct odp_slice column[COLUMNS] = {0};
    size_t n = split(line, column);
    int cls = odp_word_index(column[CLASS], classes, ODP_COUNT(classes)),
        state = odp_word_index(column[STATE], states, ODP_COUNT(states)),
        coding = odp_word_index(column[ENCODING], codings, ODP_COUNT(codings));
    *e = (struct odp_entry){.path = column[PATH],
                            .etag = column[ETAG],
                            .type = column[TYPE],
                            .deprecation = column[DEPRECATION],
                            .sunset = column[SUNSET],
                            .cache_control = column[CACHE_CONTROL],
                            .link = n > LINK ? column[LINK] : (struct odp_slice){line.ptr, 0}};
    if (n < SIZE || !control_path_ok(e->path) || cls < 0 || state < 0 || coding < 0 || !etag_ok(e->etag) ||
        (n > SIZE && !read_size(column[SIZE], &e->size)) ||
        (state == ODP_ENTRY_MOVED && !moved_ok(e->path, column[LINK])))
        return false;
    e->cls = (enum odp_entry_class)cls;
    e->state = (enum odp_entry_state)state;
    e->coding = (enum odp_coding)coding;
    name_parts(e);
    return true;
}
