/* Fonts: see fonts.h.
 *
 * Pango chooses the family of characters that Noto Sans lacks. The layouts' language is `zxx`: for a script
 * that a language is not written in, pango takes a language from the environment. Out of memory, GLib and
 * with it pango end the process; cairo, and all our own functions, return a failure. */
#include "write/typesetting/fonts.h"

#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/utf8.h"

#define FAMILY      "Noto Sans"
#define REPLACEMENT "\xEF\xBF\xBD"

/* Belongs to no script that pango knows, so it holds for all of them: otherwise pango looks up the
 * environment (LANGUAGE) for the language of a script, and fontconfig and the fonts' features follow it.
 * Letters of Indonesian and English have no other forms by language. */
#define LANGUAGE "zxx"

static struct set {
    pthread_once_t once;
    FcConfig *config;       /* NULL: it could not be made */
    const FcCharSet *chars; /* of Noto Sans alone */
} main_set = {.once = PTHREAD_ONCE_INIT}, whole_set = {.once = PTHREAD_ONCE_INIT};

/* A font map and a context for layouts, on one of the sets. */
struct shelf {
    PangoFontMap *map;
    PangoContext *context;
};

struct odp_fonts {
    struct shelf main, whole; /* whole: NULL until it is needed */
    PangoLayout *scratch;     /* for measuring; on main */
    PangoAttrList *whole_words;
    struct odp_buffer text; /* a text made fit for pango */
};

/* The faces of NAMES (patterns of a shell), in their order. A file that cannot be read is left out: its
 * characters are then shown as missing, the document is still made. Optional ligatures are off: readers of a
 * PDF take "fi" apart only by a detour (ActualText) that not all of them know. And Noto Sans answers for
 * "monospace", the family by which pango measures the box of a character that no font has: it would else be a
 * font that fontconfig picks by the language of the environment. */
static FcConfig *load(const char *const *names, size_t n)
{
    FcConfig *config = FcConfigCreate();
    for (size_t i = 0; i < n; i++) {
        glob_t found;
        if (glob(names[i], 0, NULL, &found) != 0)
            continue;
        for (size_t k = 0; k < found.gl_pathc; k++)
            (void)FcConfigAppFontAddFile(config, (const FcChar8 *)found.gl_pathv[k]);
        globfree(&found);
    }
    FcFontSet *set = FcConfigGetFonts(config, FcSetApplication);
    for (int i = 0; set != NULL && i < set->nfont; i++) {
        FcPattern *face = set->fonts[i];
        FcChar8 *family;
        FcPatternAddString(face, FC_FONT_FEATURES, (const FcChar8 *)"liga=0");
        FcPatternAddString(face, FC_FONT_FEATURES, (const FcChar8 *)"clig=0");
        if (FcPatternGetString(face, FC_FAMILY, 0, &family) == FcResultMatch &&
            strcmp((const char *)family, FAMILY) == 0)
            FcPatternAddString(face, FC_FAMILY, (const FcChar8 *)"monospace");
    }
    return config;
}

/* The sets live until the process ends: pango uses fontconfig on a thread of its own, which we cannot join.
 * fontconfig's pointers are offsets, which a leak checker cannot follow: LeakSanitizer asks here what it
 * shall not report. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

static void load_main(void)
{
    static const char *const faces[] = {
        ODP_FONT_DIR "/NotoSans-Regular.ttf", ODP_FONT_DIR "/NotoSans-Bold.ttf",
        ODP_FONT_DIR "/NotoSans-Italic.ttf", ODP_FONT_DIR "/NotoSans-BoldItalic.ttf"};
    FcConfig *config = load(faces, 4);
    FcFontSet *set = FcConfigGetFonts(config, FcSetApplication);
    FcCharSet *chars;
    /* Pango loads the process' fontconfig configuration if it is missing: the machine's, with all its fonts,
     * which may take seconds and write caches. We never use that one here. */
    if (set == NULL || set->nfont < 4 ||
        FcPatternGetCharSet(set->fonts[0], FC_CHARSET, 0, &chars) != FcResultMatch ||
        FcConfigSetCurrent(config) != FcTrue) {
        FcConfigDestroy(config);
        return;
    }
    main_set.chars = chars;
    main_set.config = config;
}

static void load_whole(void)
{
    static const char *const faces[] = {ODP_FONT_DIR "/NotoSans*-Regular.ttf",
                                        ODP_FONT_DIR "/NotoSans*-Bold.ttf"};
    whole_set.config = load(faces, 2);
}

/* GLib out of memory, or pango without a thread for fontconfig, end the process by a signal. So it ends here,
 * with a sentence; the unfinished site is invisible, and the next run clears it away like a killed one's. */
static void glib_said(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer ctx)
{
    if ((level & G_LOG_LEVEL_ERROR) != 0)
        odp_failure_end(message);
    g_log_default_handler(domain, level, message, ctx);
}

static void shelf_open(struct shelf *s, FcConfig *config)
{
    s->map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
    pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(s->map), config);
    pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(s->map), 72.0); /* a unit is a point */
    s->context = pango_font_map_create_context(s->map);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(s->context, options);
    cairo_font_options_destroy(options);
    pango_cairo_context_set_resolution(s->context, 72.0);
    pango_context_set_round_glyph_positions(s->context, FALSE);
    pango_context_set_language(s->context, pango_language_from_string(LANGUAGE));
    pango_context_set_base_dir(s->context, PANGO_DIRECTION_LTR);
}

static void shelf_close(struct shelf *s)
{
    g_clear_object(&s->context);
    if (s->map != NULL)
        pango_fc_font_map_set_config(PANGO_FC_FONT_MAP(s->map),
                                     NULL); /* pango 1.50 forgets to give it back */
    g_clear_object(&s->map);
}

enum odp_status odp_fonts_open(struct odp_fonts **out)
{
    *out = NULL;
    pthread_once(&main_set.once, load_main);
    if (main_set.config == NULL)
        return odp_failure_set(
            "the fonts of printed documents are missing: install the package fonts-noto-core "
            "(NotoSans-Regular.ttf, -Bold, -Italic and -BoldItalic are expected in",
            ODP_FONT_DIR ")", 0);
    (void)g_log_set_default_handler(glib_said, NULL);
    struct odp_fonts *f = g_new0(struct odp_fonts, 1);
    shelf_open(&f->main, main_set.config);
    f->scratch = pango_layout_new(f->main.context);
    f->whole_words = pango_attr_list_new();
    pango_attr_list_insert(f->whole_words, pango_attr_insert_hyphens_new(FALSE)); /* 0 in broken codes */
    *out = f;
    return ODP_OK;
}

void odp_fonts_close(struct odp_fonts *f)
{
    if (f == NULL)
        return;
    g_clear_object(&f->scratch);
    shelf_close(&f->main);
    shelf_close(&f->whole);
    pango_attr_list_unref(f->whole_words);
    odp_buffer_release(&f->text);
    g_free(f);
}

enum odp_status odp_fonts_status(const struct odp_fonts *f)
{
    return odp_buffer_status(&f->text);
}

static bool is_plain(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < 0x20 || (unsigned char)s.ptr[i] >= 0x7F)
            return false;
    return true;
}

/* Pango's input for CP (of N bytes at P): line ends as LF, a tab as a space, other control characters and
 * noncharacters visible as U+FFFD. */
static void add_char(struct odp_buffer *b, uint32_t cp, const char *p, size_t n)
{
    if (cp == '\r' || cp == 0x85 || cp == 0x2028 || cp == 0x2029 || cp == '\v' || cp == '\f')
        odp_buffer_add_char(b, '\n');
    else if (cp == '\t')
        odp_buffer_add_char(b, ' ');
    else if ((cp < 0x20 && cp != '\n') || (cp >= 0x7F && cp < 0xA0) || odp_utf8_is_noncharacter(cp))
        odp_buffer_add_str(b, REPLACEMENT);
    else
        odp_buffer_add(b, p, n);
}

void odp_fonts_clean(struct odp_slice text, struct odp_buffer *out)
{
    while (text.len > 0) {
        size_t valid = odp_utf8_valid(text), i = 0;
        while (i < valid) {
            uint32_t cp;
            size_t n = odp_utf8_decode(text.ptr + i, valid - i, &cp);
            if (!(cp == '\r' && i + 1 < valid && text.ptr[i + 1] == '\n'))
                add_char(out, cp, text.ptr + i, n);
            i += n;
        }
        text.ptr += valid, text.len -= valid;
        if (text.len > 0) {
            odp_buffer_add_str(out, REPLACEMENT);
            text.ptr++, text.len--;
        }
    }
}

/* Does Noto Sans have all characters of S? */
static bool is_covered(struct odp_slice s)
{
    for (size_t i = 0; i < s.len;) {
        uint32_t cp;
        i += odp_utf8_decode(s.ptr + i, s.len - i, &cp);
        if (cp >= 0x80 && cp != '\n' && !FcCharSetHasChar(main_set.chars, cp) && !pango_is_zero_width(cp))
            return false;
    }
    return true;
}

static PangoFontDescription *describe(struct odp_face face)
{
    PangoFontDescription *d = pango_font_description_new();
    pango_font_description_set_family(d, FAMILY);
    pango_font_description_set_weight(d, face.bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_style(d, face.italic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL);
    pango_font_description_set_absolute_size(d, face.size * PANGO_SCALE);
    return d;
}

static void fill(const struct odp_fonts *f, PangoLayout *l, struct odp_face face, struct odp_slice text,
                 double width, PangoAlignment align)
{
    PangoFontDescription *d = describe(face);
    pango_layout_set_font_description(l, d);
    pango_layout_set_attributes(l, f->whole_words);
    pango_font_description_free(d);
    pango_layout_set_width(l, width < 0 ? -1 : (int)(width * PANGO_SCALE));
    pango_layout_set_wrap(l, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_alignment(l, align);
    pango_layout_set_text(l, text.len != 0 ? text.ptr : "", (int)text.len);
}

PangoLayout *odp_fonts_layout(struct odp_fonts *f, struct odp_face face, struct odp_slice text, double width,
                              PangoAlignment align)
{
    if (text.len > INT_MAX / 4) /* pango counts bytes in int */
        text.len = INT_MAX / 4;
    struct shelf *shelf = &f->main;
    if (!is_plain(text)) {
        odp_buffer_clear(&f->text);
        odp_fonts_clean(text, &f->text);
        text = odp_buffer_slice(&f->text);
        if (!is_covered(text)) {
            pthread_once(&whole_set.once, load_whole);
            shelf = &f->whole;
        }
    }
    if (shelf->map == NULL)
        shelf_open(shelf, whole_set.config);
    PangoLayout *l = pango_layout_new(shelf->context);
    fill(f, l, face, text, width, align);
    return l;
}

struct odp_extent odp_fonts_extent(PangoLayout *layout)
{
    PangoRectangle r;
    pango_layout_get_extents(layout, NULL, &r);
    return (struct odp_extent){(double)r.width / PANGO_SCALE, (double)r.height / PANGO_SCALE};
}

struct odp_extent odp_fonts_measure(struct odp_fonts *f, struct odp_face face, struct odp_slice text,
                                    double width)
{
    PangoLayout *l = f->scratch;
    if (text.len < INT_MAX / 4 && is_plain(text))
        fill(f, l, face, text, width, PANGO_ALIGN_LEFT);
    else
        l = odp_fonts_layout(f, face, text, width, PANGO_ALIGN_LEFT);
    struct odp_extent e = odp_fonts_extent(l);
    if (l != f->scratch)
        g_object_unref(l);
    return e;
}
