/* Assets of pages: under the digests of their bytes, with integrity; folders made by hand, hostile ones too.
 * And what a build's recipe notices of templates and theme. */
#include "emit_fixture.h"

#include <utime.h>

#include "site/pages/pages_internal.h"

struct site {
    struct fixture fx;
    char out[512], share[512], catalog[512];
    struct odp_diags *diags;
    struct odp_site_job job;
    struct portal portal;
};

static void site_init(struct site *s)
{
    memset(s, 0, sizeof *s);
    fx_init(&s->fx);
    fx_path(&s->fx, "site", s->out);
    fx_path(&s->fx, "share", s->share);
    fx_path(&s->fx, "catalog", s->catalog);
    must(odp_dir_make(s->catalog));
    must(odp_diags_new(&s->diags, 10));
    s->fx.catalog.share = s->share;
    s->fx.catalog.dir = s->catalog;
    s->job = (struct odp_site_job){.catalog = &s->fx.catalog, .diags = s->diags};
    s->portal = (struct portal){.job = &s->job, .catalog = &s->fx.catalog};
    odp_arena_init(&s->portal.arena);
    must(odp_stage_open(&s->job.stage, s->out, s->diags));
}

static void site_release(struct site *s)
{
    json_decref(s->portal.assets);
    odp_arena_release(&s->portal.arena);
    odp_stage_close(s->job.stage);
    odp_diags_free(s->diags);
    fx_release(&s->fx);
}
#define SITE(v) OWNED(site, v, site, &v)

/* BYTES as PATH ("share/assets/a.js") in the test's folder. */
static void put(struct site *s, const char *path, struct odp_slice bytes)
{
    char full[512];
    fx_path(&s->fx, path, full);
    char *slash = strrchr(full, '/');
    *slash = '\0';
    must(odp_dir_make(full));
    *slash = '/';
    (void)unlink(full);
    must(odp_file_put(full, bytes, 0644, NULL));
}

static const char *member(const struct site *s, const char *key, const char *name)
{
    return odp_text_of(json_object_get(s->portal.assets, key), name);
}

/* Code, value, file's end and line of the only group of diagnostics. */
static void expect_fault(const struct site *s, const char *words, const char *file_end, const char *value,
                         uint64_t line)
{
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(s->diags, &n);
    assert_int_equal(n, 1);
    assert_int_equal(groups[0]->count, 1);
    const struct odp_diag *d = &groups[0]->examples->diag;
    assert_int_equal(d->code, ODP_C30);
    assert_int_equal(d->severity, ODP_SEVERITY_ERROR);
    assert_non_null(strstr(odp_text_get(d->message, ODP_LANG_EN), words));
    assert_true(strlen(d->file) > strlen(file_end));
    assert_string_equal(d->file + strlen(d->file) - strlen(file_end), file_end);
    if (value != NULL)
        assert_true(odp_slice_is(d->value, value));
    assert_int_equal(d->line, line);
}

TEST(staged)
{
    struct odp_buffer bytes = {0};
    SITE(s);
    put(&s, "share/assets/portal.js", ODP_LIT("alert(1)\n"));
    put(&s, "share/assets/a-b.min.css", ODP_LIT("p{}"));
    put(&s, "share/assets/empty.txt", ODP_LIT(""));
    put(&s, "share/assets/.hidden~", ODP_LIT("x"));
    put(&s, "share/assets/icon.svg", ODP_LIT("<svg/>"));
    put(&s, "share/assets/icon-2.svg", ODP_LIT("<svg/>"));
    put(&s, "share/assets/binary.png", ODP_LIT("\x89PNG\0\xff"));
    must(portal_assets(&s.portal));
    assert_int_equal(json_object_size(s.portal.assets), 7); /* and theme_css */
    /* printf 'alert(1)\n' | sha256sum; … | openssl dgst -sha256 -binary | base64 */
    assert_string_equal(member(&s, "portal_js", "path"), "assets/31a783eed424fd837277a3e6f49d7644.js");
    assert_string_equal(member(&s, "portal_js", "integrity"),
                        "sha256-MaeD7tQk/YNyd6Pm9J12ROmv0Z93QwNN4VH7v3gI+RI=");
    assert_string_equal(member(&s, "empty_txt", "path"), "assets/e3b0c44298fc1c149afbf4c8996fb924.txt");
    assert_string_equal(member(&s, "empty_txt", "integrity"),
                        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    assert_non_null(json_object_get(s.portal.assets, "a_b_min_css"));
    assert_non_null(json_object_get(s.portal.assets, "theme_css"));
    /* Equal bytes are one file. */
    assert_string_equal(member(&s, "icon_svg", "path"), member(&s, "icon_2_svg", "path"));
    const char *key;
    json_t *value;
    json_object_foreach(s.portal.assets, key, value)
    {
        const struct odp_site_file *f = odp_stage_find(s.job.stage, odp_text_of(value, "path"));
        assert_non_null(f);
        assert_int_equal(f->cls, ODP_CLASS_PUBLIC);
    }
    assert_string_equal(odp_stage_find(s.job.stage, member(&s, "portal_js", "path"))->media_type,
                        "text/javascript; charset=utf-8");
    assert_string_equal(odp_stage_find(s.job.stage, member(&s, "a_b_min_css", "path"))->media_type,
                        "text/css; charset=utf-8");
    assert_string_equal(odp_stage_find(s.job.stage, member(&s, "icon_svg", "path"))->media_type,
                        "image/svg+xml");
    must(odp_stage_read(s.job.stage, member(&s, "binary_png", "path"), 1 << 20, NULL, &bytes, s.diags));
    assert_true(odp_slice_eq(odp_buffer_slice(&bytes), ODP_LIT("\x89PNG\0\xff")));
    odp_buffer_release(&bytes);
    size_t n;
    (void)odp_diags_groups(s.diags, &n);
    assert_int_equal(n, 0);
}

/* A check has no stage: the same faults, the same names, no file. */
TEST(only_looking)
{
    SITE(s);
    struct odp_stage *stage = s.job.stage;
    s.job.stage = NULL;
    put(&s, "share/assets/portal.js", ODP_LIT("alert(1)\n"));
    put(&s, "share/assets/B.js", ODP_LIT("2"));
    must_refuse(portal_assets(&s.portal));
    expect_fault(&s, "cannot have this name", "B.js", NULL, 0);
    assert_string_equal(member(&s, "portal_js", "path"), "assets/31a783eed424fd837277a3e6f49d7644.js");
    s.job.stage = stage;
    assert_null(odp_stage_find(stage, member(&s, "portal_js", "path")));
}

TEST(no_folder)
{
    struct site s;
    site_init(&s);
    must_refuse(portal_assets(&s.portal));
    expect_fault(&s, "not there", "share/assets", NULL, 0);
    site_release(&s);
    site_init(&s);
    put(&s, "share/assets", ODP_LIT("a file in its place"));
    must_refuse(portal_assets(&s.portal));
    expect_fault(&s, "not there", "share/assets", NULL, 0);
    site_release(&s);
}

TEST(empty_folder)
{
    SITE(s);
    put(&s, "share/assets/.gitignore", ODP_LIT("*"));
    must_refuse(portal_assets(&s.portal));
    expect_fault(&s, "is empty", "share/assets", NULL, 0);
}

TEST(hostile)
{
    static const struct {
        const char *name, *words;
    } cases[] = {
        {"Portal.js", "cannot have this name"},
        {"a b.js", "cannot have this name"},
        {"-a.js", "cannot have this name"},
        {"1.js", "cannot have this name"},
        {"a\"onload=.js", "cannot have this name"},
        {"a{{x}}.js", "cannot have this name"},
        {"\xc3\xa9.js", "cannot have this name"},
        {"a\n.js", "cannot have this name"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.js", "cannot have this name"},
        {"page.html", "cannot be an asset"},
        {"script", "cannot be an asset"},
        {"a.js.map", "cannot be an asset"},
        {"a.", "cannot be an asset"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        char path[200];
        SITE(s);
        put(&s, "share/assets/ok.js", ODP_LIT("1"));
        snprintf(path, sizeof path, "share/assets/%s", cases[i].name);
        put(&s, path, ODP_LIT("2"));
        must_refuse(portal_assets(&s.portal));
        expect_fault(&s, cases[i].words, cases[i].name, NULL, 0);
    }
}

TEST(longest_name)
{
    SITE(s);
    put(&s, "share/assets/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.js", ODP_LIT("1"));
    must(portal_assets(&s.portal));
}

TEST(same_key)
{
    SITE(s);
    put(&s, "share/assets/a-b.js", ODP_LIT("1"));
    put(&s, "share/assets/a_b.js", ODP_LIT("2"));
    must_refuse(portal_assets(&s.portal));
    expect_fault(&s, "become one name", "a_b.js", "a_b_js", 0);
}

TEST(unreadable)
{
    struct site s;
    char path[512];
    site_init(&s);
    put(&s, "share/assets/folder.js/x", ODP_LIT("1"));
    must_refuse(portal_assets(&s.portal));
    expect_fault(&s, "cannot be read", "folder.js", NULL, 0);
    site_release(&s);

    site_init(&s);
    put(&s, "share/assets/a.js", ODP_LIT("1"));
    fx_path(&s.fx, "share/assets/loop.js", path);
    assert_int_equal(symlink("loop.js", path), 0);
    must_refuse(portal_assets(&s.portal));
    expect_fault(&s, "cannot be read", "loop.js", NULL, 0);
    site_release(&s);
}

TEST(size)
{
    enum { MOST = 8 << 20 };
    for (int over = 0; over < 2; over++) {
        char path[512];
        SITE(s);
        put(&s, "share/assets/big.js", ODP_LIT(" "));
        fx_path(&s.fx, "share/assets/big.js", path);
        assert_int_equal(truncate(path, MOST + over), 0);
        assert_int_equal(portal_assets(&s.portal), over ? ODP_BAD : ODP_OK);
        if (over)
            expect_fault(&s, "up to 8 MB", "big.js", NULL, 0);
    }
}

TEST(what_templates_want)
{
    struct site s;
    site_init(&s);
    put(&s, "share/assets/portal.js", ODP_LIT("1"));
    put(&s, "share/parts/head.html",
        ODP_LIT("<p>Our assets.are "
                "many.</p>{{assets.theme_css.path}}{{#assets.portal_js}}{{/assets.portal_js}}"));
    put(&s, "share/pages/home.html",
        ODP_LIT("\n\n<script src=\"{{root}}{{ assets.portal_js.path }}\">\n{{assets.home_js.path}}"));
    must_refuse(portal_assets(&s.portal));
    expect_fault(&s, "uses an asset", "pages/home.html", "home_js", 4);
    site_release(&s);

    site_init(&s); /* a name that the catalogue's own template gets wrong is for who opens the templates */
    put(&s, "share/assets/portal.js", ODP_LIT("1"));
    put(&s, "catalog/templates/pages/home.html", ODP_LIT("{{assets.home_js.path}}"));
    must(portal_assets(&s.portal));
    site_release(&s);
}

static void inputs(const struct site *s, uint8_t out[ODP_SHA256_SIZE])
{
    must(odp_portal_inputs(&s->fx.catalog, out));
}

/* Whether the recipe is another one than BEFORE; it becomes the new one. */
static bool changed(const struct site *s, uint8_t before[ODP_SHA256_SIZE])
{
    uint8_t now[ODP_SHA256_SIZE];
    inputs(s, now);
    bool is = memcmp(before, now, sizeof now) != 0;
    memcpy(before, now, sizeof now);
    return is;
}

TEST(inputs)
{
    uint8_t recipe[ODP_SHA256_SIZE];
    char path[512];
    const struct utimbuf old = {1000000000, 1000000000};
    SITE(s);
    inputs(&s, recipe); /* nothing there yet */
    assert_false(changed(&s, recipe));
    static const char *const files[] = {
        "share/pages/a.html",
        "share/parts/a.html",
        "share/words/a.json",
        "share/assets/a.js",
        "catalog/templates/pages/a.html",
        "catalog/templates/words/deep/a.json",
    };
    for (size_t i = 0; i < ODP_COUNT(files); i++) {
        put(&s, files[i], ODP_LIT("1"));
        assert_true(changed(&s, recipe));
        assert_false(changed(&s, recipe));
        put(&s, files[i], ODP_LIT("2"));
        assert_true(changed(&s, recipe));
    }
    /* The catalogue's are known by what is in them: a checkout changes times. */
    put(&s, "catalog/templates/pages/a.html", ODP_LIT("2"));
    fx_path(&s.fx, "catalog/templates/pages/a.html", path);
    assert_int_equal(utime(path, &old), 0);
    assert_false(changed(&s, recipe));
    /* A name counts, also of an empty file. */
    put(&s, "catalog/templates/pages/b.html", ODP_LIT(""));
    assert_true(changed(&s, recipe));
    fx_path(&s.fx, "catalog/templates/pages/b.html", path);
    assert_int_equal(unlink(path), 0);
    assert_true(changed(&s, recipe));
    /* The theme's files, wherever they are. */
    put(&s, "catalog/theme.json", ODP_LIT("{}"));
    assert_false(changed(&s, recipe)); /* not opened as a theme: no input */
    fx_path(&s.fx, "catalog/theme.json", path);
    s.fx.catalog.theme.file = path;
    assert_true(changed(&s, recipe));
    put(&s, "catalog/theme.json", ODP_LIT("{ }"));
    assert_true(changed(&s, recipe));
    s.fx.catalog.theme.logo_file = s.fx.catalog.theme.css_file = path;
    assert_true(changed(&s, recipe));
    /* No portal is not a portal without files. */
    s.fx.catalog.share = "/nowhere";
    assert_true(changed(&s, recipe));
    s.fx.catalog.share = NULL;
    assert_true(changed(&s, recipe));
}

/* A folder in itself, by a link: the recipe ends. */
TEST(inputs_loop)
{
    char path[512];
    uint8_t recipe[ODP_SHA256_SIZE];
    SITE(s);
    put(&s, "catalog/templates/pages/a.html", ODP_LIT("1"));
    fx_path(&s.fx, "catalog/templates/pages/again", path);
    assert_int_equal(symlink(".", path), 0);
    inputs(&s, recipe);
    put(&s, "catalog/templates/pages/a.html", ODP_LIT("2"));
    assert_true(changed(&s, recipe));
}
