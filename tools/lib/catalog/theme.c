#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/path.h"
#include "catalog/catalog_internal.h"
#include "catalog/theme_files.h"

enum { LOGO_MAX = 100 << 10, CSS_MAX = 256 << 10 };

static const struct {
    const char *name, *in[ODP_THEME_MODES];
} colors[ODP_THEME_COLORS] = {
#define ODP_THEME_COLOR(symbol, name, light, dark) [ODP_THEME_##symbol] = {name, {light, dark}},
#include "catalog/theme.def"
#undef ODP_THEME_COLOR
};

static const struct pair {
    enum odp_theme_color front, ground;
    int tenths;
} pairs[] = {
#define ODP_THEME_PAIR(front, ground, tenths) {ODP_THEME_##front, ODP_THEME_##ground, tenths},
#include "catalog/theme.def"
#undef ODP_THEME_PAIR
};
#define PAIRS ODP_COUNT(pairs)

static const char *const modes[ODP_THEME_MODES] = {"light", "dark"};

const char *odp_theme_name(enum odp_theme_color c)
{
    return colors[c].name;
}

const char *odp_theme_get(const struct odp_theme *t, enum odp_theme_mode mode, enum odp_theme_color c)
{
    return t->colors[mode][c] != NULL ? t->colors[mode][c] : colors[c].in[mode];
}

/* ---- contrast ---- */

struct rgb {
    unsigned v[3];
};

static struct rgb rgb_of(const char *hex)
{
    struct rgb c = {{0}};
    (void)sscanf(hex, "#%2x%2x%2x", &c.v[0], &c.v[1], &c.v[2]);
    return c;
}

/* Relative luminance, as WCAG 2.2 defines it. */
static double luminance(struct rgb c)
{
    static const double weight[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (size_t i = 0; i < 3; i++) {
        double s = c.v[i] / 255.0;
        sum += weight[i] * (s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(struct rgb a, struct rgb b)
{
    double x = luminance(a), y = luminance(b);
    return ((x > y ? x : y) + 0.05) / ((x > y ? y : x) + 0.05);
}

double odp_theme_contrast(const char *a, const char *b)
{
    return contrast(rgb_of(a), rgb_of(b));
}

static bool pair_ok(const struct odp_theme *t, enum odp_theme_mode mode, const struct pair *p)
{
    return odp_theme_contrast(odp_theme_get(t, mode, p->front), odp_theme_get(t, mode, p->ground)) * 10 >=
           p->tenths;
}

/* Whether C instead of WHICH has enough contrast with all its partners. */
static bool would_do(const struct odp_theme *t, enum odp_theme_mode mode, enum odp_theme_color which,
                     struct rgb c)
{
    for (size_t i = 0; i < PAIRS; i++) {
        const struct pair *p = &pairs[i];
        if (p->front != which && p->ground != which)
            continue;
        enum odp_theme_color other = p->front == which ? p->ground : p->front;
        if (contrast(c, rgb_of(odp_theme_get(t, mode, other))) * 10 < p->tenths)
            return false;
    }
    return true;
}

/* The nearest colour on the way to black or to white that would do; false: none on either. */
static bool nearest_color(const struct odp_theme *t, enum odp_theme_mode mode, enum odp_theme_color which,
                          char out[8])
{
    enum { STEPS = 100 };
    struct rgb from = rgb_of(odp_theme_get(t, mode, which));
    for (unsigned step = 1; step <= STEPS; step++)
        for (unsigned end = 0; end <= 255; end += 255) {
            struct rgb c;
            for (size_t i = 0; i < 3; i++)
                c.v[i] = (from.v[i] * (STEPS - step) + end * step + STEPS / 2) / STEPS;
            if (would_do(t, mode, which, c)) {
                (void)snprintf(out, 8, "#%02x%02x%02x", c.v[0] & 0xffU, c.v[1] & 0xffU, c.v[2] & 0xffU);
                return true;
            }
        }
    return false;
}

/* Reports pairs at the colour in the file: the front, else its ground. */
static void check_pairs(struct node members[ODP_THEME_COLORS], struct odp_theme *t, enum odp_theme_mode mode)
{
    for (size_t i = 0; i < PAIRS; i++) {
        const struct pair *p = &pairs[i];
        if (pair_ok(t, mode, p))
            continue;
        enum odp_theme_color which = t->colors[mode][p->front] != NULL ? p->front : p->ground;
        struct node at = members[which];
        char proposal[8];
        double found =
            odp_theme_contrast(odp_theme_get(t, mode, p->front), odp_theme_get(t, mode, p->ground));
        char *what = doc_printf(at.doc, "%s: %s / %s, %.2f : 1", modes[mode], odp_theme_name(p->front),
                                odp_theme_name(p->ground),
                                floor(found * 100) / 100); /* never rounded up to what it is not */
        char *needed = doc_printf(at.doc, "≥ %d.%d : 1 (WCAG 2.2)", p->tenths / 10, p->tenths % 10);
        node_fault_near(at, ODP_C26, what, needed, nearest_color(t, mode, which, proposal) ? proposal : NULL);
    }
}

/* ---- what is made of the accent ---- */

void odp_theme_tint(const struct odp_theme *t, enum odp_theme_mode mode, unsigned percent, char out[8])
{
    const struct rgb accent = rgb_of(odp_theme_get(t, mode, ODP_THEME_ACCENT)),
                     page = rgb_of(odp_theme_get(t, mode, ODP_THEME_BG));
    struct rgb c;
    for (size_t i = 0; i < 3; i++)
        c.v[i] = (accent.v[i] * percent + page.v[i] * (100 - percent) + 50) / 100;
    (void)snprintf(out, 8, "#%02x%02x%02x", c.v[0] & 0xffU, c.v[1] & 0xffU, c.v[2] & 0xffU);
}

void odp_theme_ramp(const struct odp_theme *t, enum odp_theme_mode mode, int i, char out[8])
{
    static const unsigned percent[ODP_THEME_RAMP] = {22, 42, 62, 81, 100};
    odp_theme_tint(t, mode, percent[i], out);
}

/* ---- theme.json ---- */

/* "#0B5" and "#00BB55" are "#00bb55". */
static const char *read_color(struct node n)
{
    const char *s = node_string(n);
    size_t len = s != NULL ? strlen(s) : 0;
    if (s == NULL)
        return NULL;
    if ((len != 4 && len != 7) || *s != '#' || strspn(s + 1, "0123456789abcdefABCDEF") != len - 1) {
        node_fault(n, ODP_C26, doc_printf(n.doc, "%s: \"%s\"", n.key, s), "\"#rrggbb\"");
        return NULL;
    }
    char *out = doc_zero(n.doc, 8, 1);
    for (size_t i = 0; i < 6; i++) {
        char c = len == 4 ? s[1 + i / 2] : s[1 + i];
        out[1 + i] = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
    }
    out[0] = '#';
    return out;
}

static void read_mode(struct node n, struct odp_theme *t, enum odp_theme_mode mode)
{
    struct node members[ODP_THEME_COLORS];
    struct key keys[ODP_THEME_COLORS] = {{0}};
    for (int i = 0; i < ODP_THEME_COLORS; i++)
        keys[i].name = colors[i].name;
    if (!object_read(n, &TABLE(keys), t))
        return;
    for (int i = 0; i < ODP_THEME_COLORS; i++) {
        members[i] = node_get(n, keys[i].name);
        t->colors[mode][i] = read_color(members[i]);
    }
    check_pairs(members, t, mode);
}

/* The bytes of the file that N names in FOLDER; "": none (reported, or absent). */
static struct odp_slice read_beside(struct node n, const char *folder, size_t max, const char **path)
{
    struct odp_slice bytes = {"", 0};
    struct odp_buffer buffer = {0};
    int errnum = 0;
    const char *name = node_string(n);
    if (name == NULL)
        return bytes;
    if (!odp_path_is_safe(name) || strchr(name, '/') != NULL) {
        node_fault(n, ODP_C13, NULL, NULL);
        return bytes;
    }
    char *full = odp_path_join(n.doc->arena, folder, name);
    if (!odp_path_is_inside(n.doc->within, full)) {
        node_fault(n, ODP_C13, NULL, NULL);
        return bytes;
    }
    enum odp_status status = odp_file_read(full, max, &buffer, &errnum);
    if (status == ODP_OK) {
        bytes = doc_copy(n.doc, odp_buffer_slice(&buffer));
        *path = full;
    } else if (status == ODP_BAD && errnum == EFBIG) {
        node_fault(n, ODP_C26, name, doc_printf(n.doc, "≤ %zu KiB", max >> 10));
    } else if (status == ODP_BAD) {
        node_fault(n, ODP_C02, strerrorname_np(errnum), NULL);
    } else {
        n.doc->failed = true;
    }
    odp_buffer_release(&buffer);
    return bytes.ptr != NULL ? bytes : ODP_LIT("");
}

static void check_bytes(struct node n, struct odp_slice fault, const char *wanted)
{
    if (odp_memory_status() != ODP_OK)
        n.doc->failed = true; /* nothing is known of the file */
    else if (fault.ptr != NULL)
        node_fault(n, ODP_C26,
                   doc_printf(n.doc, "%s: %.*s", json_string_value(n.json),
                              (int)(fault.len < 60 ? fault.len : 60), fault.ptr),
                   wanted);
}

void theme_read(struct doc *d, const char *folder, struct odp_theme *t)
{
    static const struct key keys[] = {KNOWN("$schema"), KNOWN("logo"), KNOWN("light"), KNOWN("dark"),
                                      KNOWN("css")};
    static const char png[] = "\x89PNG\r\n\x1a\n";
    struct node n = doc_root(d);
    t->file = d->file;
    if (!object_read(n, &TABLE(keys), t))
        return;
    for (int mode = 0; mode < ODP_THEME_MODES; mode++)
        read_mode(node_get(n, modes[mode]), t, (enum odp_theme_mode)mode);
    struct node logo = node_get(n, "logo"), css = node_get(n, "css");
    t->logo = read_beside(logo, folder, LOGO_MAX, &t->logo_file);
    t->logo_is_png = t->logo.len >= sizeof png - 1 && memcmp(t->logo.ptr, png, sizeof png - 1) == 0;
    if (t->logo_file != NULL && !t->logo_is_png)
        check_bytes(logo, odp_theme_svg_fault(t->logo), "PNG; SVG: <path>, <g>, … href=\"#…\"");
    t->css = read_beside(css, folder, CSS_MAX, &t->css_file);
    if (t->css_file != NULL)
        check_bytes(css, odp_theme_css_fault(t->css), "url(\"data:…\")");
}
