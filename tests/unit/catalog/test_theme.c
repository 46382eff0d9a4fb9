/* The theme: contrast as WCAG 2.2 computes it, the built-in colours, and what a logo or a style sheet may not
 * hold. */
#include "answer_lines.h"
#include "catalog_folder.h"

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
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    folder_write(&f, "theme.json", "{\"light\": {}, \"dark\": {}}");
    must(folder_open(&f)); /* they can be read, each on its ground */
    assert_string_equal(folder_faults(&f), "");
    folder_write(&f, "theme.json", "{\"dark\": {\"muted\": \"#3a4450\"}}");
    must_refuse(folder_open(&f));
    assert_string_equal(odp_theme_get(&none, ODP_THEME_DARK, ODP_THEME_ACCENT_TEXT), "#06253a");
    assert_string_equal(odp_theme_name(ODP_THEME_ACCENT_TEXT), "accent-text");
    pale.colors[ODP_THEME_DARK][ODP_THEME_MUTED] = "#3a4450";
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

/* Questions of theme.txt: what is wrong with a picture ("svg") or a style sheet ("css"). */
static void ask(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    const struct odp_slice text = {question.ptr + 4, question.len - 4};
    struct odp_slice fault = *question.ptr == 's' ? odp_theme_svg_fault(text) : odp_theme_css_fault(text);
    odp_buffer_add_slice(out, fault.ptr != NULL ? fault : ODP_LIT("fine"));
}

TEST(files)
{
    answer_lines("catalog/theme.txt", ask, NULL);
}
