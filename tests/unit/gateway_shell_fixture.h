/* A site whose pages are put into the portal's frame: two shells, without what else a site has. */
#pragma once

#include "gateway_http_fixture.h"
#include "service/http/shell.h"

#define SHELL                                                                                                \
    "<!doctype html><html lang=\"%s\"><title>@TITLE@</title><base "                                          \
    "data-root=\"@ROOT@\"><main>@CONTENT@</main>@ @ROOT @@\n"

/* A site of two shells; the service has switched to it. */
static inline void open_site(struct fixture *f)
{
    char dir[256], path[512], text[ODP_LANGS][512], hex[ODP_LANGS][ODP_SHA256_HEX];
    static const char *const names[] = {"id", "en"};
    struct odp_buffer control = {0};
    const char *why = "";
    snprintf(dir, sizeof dir, "%s/site", f->dir);
    assert_int_equal(mkdir(dir, 0700), 0);
    snprintf(path, sizeof path, "%s/service", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    odp_buffer_add_str(
        &control,
        "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-control\tsize\tlink\n"
        "daftar.html\t\"x\"\ttext/html\t-\tpublic\tactive\t-\t-\tno-cache\t1\t-\n");
    for (int i = ODP_LANGS - 1; i >= 0; i--) {
        uint8_t digest[ODP_SHA256_SIZE];
        int n = snprintf(text[i], sizeof text[i], SHELL, names[i]);
        snprintf(path, sizeof path, "%s/service/page.%s.html", dir, names[i]);
        must(odp_file_put(path, (struct odp_slice){text[i], (size_t)n}, 0644, NULL));
        must(odp_digest_of(text[i], (size_t)n, digest));
        odp_digest_hex(digest, hex[i]);
        odp_buffer_printf(
            &control,
            "service/page.%s.html\t\"%.32s\"\ttext/html\t-\tinternal\tactive\t-\t-\tno-store\t%d\t-\n",
            names[i], hex[i], n);
    }
    odp_buffer_add_str(
        &control,
        "v1/index.json\t\"x\"\ta/b\t-\tpublic\tactive\t-\t-\tno-cache\t1\t-\nv1/kumuh.json\t\"x\"\ta/"
        "b\t-\tkeyed\tactive\t-\t-\tno-cache\t1\t-\n");
    snprintf(path, sizeof path, "%s/control", dir);
    must(odp_file_put(path, odp_buffer_slice(&control), 0644, NULL));
    odp_buffer_release(&control);
    must(odp_web_site(f->s.web, dir, &why));
}
