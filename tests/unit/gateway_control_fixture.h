/* A site with nothing but a control file, for tests of the gateway's way from a request to a line. */
#pragma once
#include "run.h"

#include <unistd.h>

#include "base/file.h"
#include "core/control/control.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEAD                                                                                                 \
    "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-control\tsize\tlink\n"
/* A line: PATH, its etag's one letter, encoding, class, state. */
#define LINE(path, etag, encoding, cls, state)                                                               \
    path "\t\"" etag "\"\ttype/" etag "\t" encoding "\t" cls "\t" state "\t-\t-\tno-cache\t12\t-\n"
#define OPEN(path)  LINE(path, "p", "-", "public", "active")
#define KEYED(path) LINE(path, "k", "-", "keyed", "active")
#define GONE(path, cls)                                                                                      \
    path "\t-\t-\t-\t" cls "\twithdrawn\t-\t-\tno-cache\t0\t<https://x/v1/kumuh>; "                          \
         "rel=\"successor-version\"\n"

#define MOVED(path, to, cls)                                                                                 \
    path "\t-\t-\t-\t" cls "\tmoved\t-\tSun, 01 Jun 2025 00:00:00 GMT\tpublic, max-age=300\t0\t" to "\n"

static const char *fixture_text = HEAD; /* what set_up writes */
static char dir[FRESH_FOLDER], site[96], build[192];

static inline void write_control(const void *bytes, size_t len)
{
    char path[256];
    snprintf(path, sizeof path, "%s/control", build);
    put_bytes(path, bytes, len);
}

static int set_up(void **state)
{
    char target[128];
    fresh_folder(dir, "control");
    snprintf(site, sizeof site, "%s/site", dir);
    snprintf(build, sizeof build, "%s/site.builds/" DIGEST, dir);
    must(odp_dir_make(build));
    assert_int_equal(symlink("site.builds/" DIGEST, site), 0);
    write_control(fixture_text, strlen(fixture_text));
    snprintf(target, sizeof target, "%s/manifest.json", site);
    must(odp_file_put(target, ODP_LIT("{\"files\":[]}\n"), 0644, NULL));
    return 0;
}

static int tear_down(void **state)
{
    return odp_dir_remove(dir) == ODP_OK ? 0 : -1;
}

static inline struct odp_control *open_site(void)
{
    struct odp_control *c = NULL;
    const char *why = "";
    if (odp_control_open(&c, site, &why) != ODP_OK)
        fail_msg("%s", why);
    return c;
}

static inline void expect_slice(struct odp_slice s, const char *expected)
{
    if (!odp_slice_is(s, expected))
        fail_msg("“%.*s” is not “%s”", (int)s.len, s.len > 0 ? s.ptr : "", expected);
}
