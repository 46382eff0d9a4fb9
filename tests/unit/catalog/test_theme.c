/* The theme: contrast as WCAG 2.2 computes it, the built-in colours, and what a logo or a style sheet may not
 * hold. */
#include "run.h"

#include <math.h>

#include "catalog/theme.h"
#include "catalog/theme_files.h"

TEST(contrast)
{
    static const struct {
        const char *a, *b;
        double ratio; /* as other tools have it, to two decimals */
    } cases[] = {
        {"#000000", "#ffffff", 21.0}, {"#ffffff", "#ffffff", 1.0},  {"#777777", "#ffffff", 4.48},
        {"#767676", "#ffffff", 4.54}, {"#0000ff", "#ffffff", 8.59}, {"#ff0000", "#ffffff", 4.0},
        {"#00ff00", "#000000", 15.3}, {"#0a0a0a", "#000000", 1.06},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        double there = odp_theme_contrast(cases[i].a, cases[i].b),
               back = odp_theme_contrast(cases[i].b, cases[i].a);
        assert_true(there == back);
        if (fabs(there - cases[i].ratio) > 0.006)
            fail_msg("%s on %s: %.3f, not %.2f", cases[i].a, cases[i].b, there, cases[i].ratio);
    }
}

TEST(built_in_colors)
{
    struct odp_theme none = {0}, pale = {0};
    assert_true(odp_theme_readable(&none));
    assert_string_equal(odp_theme_get(&none, ODP_THEME_DARK, ODP_THEME_ACCENT_TEXT), "#06253a");
    assert_string_equal(odp_theme_name(ODP_THEME_ACCENT_TEXT), "accent-text");
    pale.colors[ODP_THEME_DARK][ODP_THEME_MUTED] = "#3a4450";
    assert_false(odp_theme_readable(&pale));
    assert_string_equal(odp_theme_get(&pale, ODP_THEME_DARK, ODP_THEME_MUTED), "#3a4450");
    assert_string_equal(odp_theme_get(&pale, ODP_THEME_LIGHT, ODP_THEME_MUTED), "#4c5966");
}

/* Another accent moves the classes of maps and the tint; neighbours can be told apart, light and dark. */
TEST(made_of_the_accent)
{
    struct odp_theme green = {.colors = {[ODP_THEME_LIGHT] = {[ODP_THEME_ACCENT] = "#1b6e3c"}}}, none = {0};
    const struct odp_theme *themes[] = {&green, &none};
    char before[8], c[8];
    for (int mode = 0; mode < ODP_THEME_MODES; mode++)
        for (size_t k = 0; k < 2; k++) {
            memcpy(before, odp_theme_get(themes[k], mode, ODP_THEME_BG), 8);
            for (int i = 0; i < ODP_THEME_RAMP; i++) {
                odp_theme_ramp(themes[k], mode, i, c);
                assert_true(odp_theme_contrast(before, c) > 1.2);
                memcpy(before, c, 8);
            }
            assert_string_equal(c, odp_theme_get(themes[k], mode, ODP_THEME_ACCENT));
        }
    odp_theme_tint(&green, ODP_THEME_LIGHT, 8, c);
    assert_string_equal(c, "#edf3ef");
}

static void expect(struct odp_slice fault, const char *text, const char *wanted)
{
    if ((fault.ptr == NULL) != (wanted == NULL) ||
        (wanted != NULL && (fault.len < strlen(wanted) || memcmp(fault.ptr, wanted, strlen(wanted)) != 0)))
        fail_msg("%s\n  is %.*s, not %s", text, (int)fault.len, fault.ptr != NULL ? fault.ptr : "",
                 wanted != NULL ? wanted : "(nothing)");
}

#define SVG(inside) "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\">" inside "</svg>"

TEST(pictures)
{
    static const struct {
        const char *svg, *fault;
    } cases[] = {
        {SVG("<path d=\"M0 0h9\"/>"), NULL},
        {"<?xml version=\"1.0\"?>\n<!-- by <script> hand -->\n" SVG(
             "<g fill='url(#a)'><use xlink:href='#b'/></g>"),
         NULL},
        {SVG("<style>.a{fill:#fff}</style><image href=\"data:image/png;base64,AAAA\"/>"), NULL},
        {SVG("<text>a &lt;script&gt; b</text>"), NULL},
        {"", "SVG?"},
        {"plain text", "SVG?"},
        {"<html><svg/></html>", "<html"},
        {SVG("<script>1</script>"), "<script"},
        {SVG("<SCRIPT>1</SCRIPT>"), "<SCRIPT"},
        {SVG("<x:script xmlns:x=\"http://www.w3.org/2000/svg\"/>"), "<x:script"},
        {SVG("<foreignObject/>"), "<foreignObject"},
        {SVG("<a href=\"#b\"/>"), "<a"},
        {SVG("<set attributeName=\"href\" to=\"x\"/>"), "<set"},
        {SVG("<g onload=\"x()\"/>"), "onload="},
        {SVG("<g OnClick='x()'/>"), "OnClick="},
        {SVG("<use href=\"https://example.org/a.svg#b\"/>"), "href="},
        {SVG("<image xlink:href=\"a.png\"/>"), "xlink:href="},
        {SVG("<image href=\"data:image/svg+xml,x\"/>"), "href="},
        {SVG("<use href=\"&#104;ttps://example.org\"/>"), "href="},
        {SVG("<g style=\"fill:url(https://example.org/a)\"/>"), "style="},
        {SVG("<g fill=\"url(#a)\" mask=\"u\\72l(//example.org)\"/>"), "mask="},
        {SVG("<metadata resource=\"http://purl.org/dc/dcmitype/StillImage\"/>"), NULL},
        {SVG("<style>@import 'a.css';</style>"), "@import"},
        {SVG("<style>a{b:url(//example.org/a)}</style>"), "url("},
        {"<!DOCTYPE svg [<!ENTITY a \"b\">]>" SVG(""), "<"},
        {"<?xml-stylesheet href=\"a.css\"?>" SVG(""), "<"},
        {SVG("<g a=b/>"), "SVG?"},
        {SVG("<g a=\"b/>"), "SVG?"},
        /* what an XML parser reads otherwise than as it looks */
        {SVG("<style><script>1</script></style>"), "<style>"},
        {SVG("<style><!-- </style><g id=\"--><script>1</script>\"/>"), "<style>"},
        {SVG("<style>@im<!-- -->port 'a'</style>"), "<style>"},
        {SVG("<style>&#64;import 'a'</style>"), "<style>"},
        {SVG("<!--> <g id=\"--><script>1</script>\"/>"), "<script"},
        {SVG("<g class=\"<script>\"/>"), "class="},
        {SVG("<g style=\"fill:url(&quot;//example.org/a&quot;)\"/>"), "style="},
        {SVG("<h:img xmlns:h=\"http://www.w3.org/1999/xhtml\"/>"), "xmlns:h="},
        {"<?xml version=\"1.0\" encoding=\"ISO-2022-JP\"?>" SVG(""), "<?xml"},
        {"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone='no'?>" SVG("<title>é &amp; &quot;</title>"),
         NULL},
        {SVG("<g id=\"\x1b$B\"/>"), "SVG?"},
        {SVG("<g id=\"\xff\"/>"), "SVG?"},
        {"<svg", "SVG?"},
        {"<svg a", "SVG?"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        expect(odp_theme_svg_fault(odp_slice_of(cases[i].svg)), cases[i].svg, cases[i].fault);
}

TEST(style_sheets)
{
    static const struct {
        const char *css, *fault;
    } cases[] = {
        {"", NULL},
        {"/* from https://example.org, @import */ .a{color:var(--color-text)}", NULL},
        {".a{background:url(data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>)}", NULL},
        {".a{background:url( \"data:image/svg+xml,<svg xmlns='http://x'/>\" )}", NULL},
        {".a{background:url(../gambar/portal.png)}.b{mask:url(#c)}", NULL},
        {"@import url(a.css);", "@import"},
        {"@IMPORT 'a.css';", "@import"},
        {"@\\69mport 'a.css';", "@import"},
        {"@im/**/port 'a.css'", "@import"}, /* not what a browser reads; refused all the same */
        {".a{background:url(https://example.org/a)}", "url("},
        {".a{background:url( '//example.org/a' )}", "url("},
        {".a{background:URL(HTTP:a)}", "url("},
        {".a{background:u\\72 l(https:a)}", "url("},
        {".a{background:url(data:x) , url(ftp:a)}", "url("},
        {".a{background:image-set(\"https://example.org/a\" 1x)}", "//"},
        {".a{background:image-set('//example.org/a' 1x)}", "//"},
        {"a{content:\"/*\"}@font-face{src:url(https://example.org/a)}b{content:\"*/\"}", "url("},
        {"a{b:url(x/*)}@import 'a';/**/", "@import"},
        {"a{b:url( \"x/*\" )}@import 'a';/**/", "@import"},
        {"a{b:url(\"\\\\\\\\example.org/a\")}", "url("},
        {"a{b:url(\"/\\\n/example.org/a\")}", "url("},
        {"a{content:\"a\n}/* \"//x\" */", NULL}, /* a line ends what is quoted */
        {"a{content:'\"'}/* @import */b{content:'/*'}c{}", NULL},
        {"\\", NULL},
        {"/* never closed", NULL},
        {"url(", NULL},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        expect(odp_theme_css_fault(odp_slice_of(cases[i].css)), cases[i].css, cases[i].fault);
}
