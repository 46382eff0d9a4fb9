/* Sites without data whose log grows, for the tests of webhooks: manifest, index, settings, releases.log. */
#pragma once

#include "gateway_state_fixture.h"

#include "base/buffer.h"
#include "base/digest.h"

struct made_site {
    char dir[200]; /* builds are DIR/1, DIR/2 … */
    int builds, lines;
    struct odp_buffer log;
    char previous[80];
};

static inline void made_site_line(struct made_site *m, const char *dataset, const char *version)
{
    uint8_t digest[ODP_SHA256_SIZE];
    char hex[ODP_SHA256_HEX];
    size_t at = m->log.len;
    odp_buffer_printf(
        &m->log,
        "{\"n\":%d,\"previous\":%s,\"base\":null,\"date\":\"2024-03-15\",\"release\":\"2.5.0\",\"changes\":"
        "[{\"dataset\":\"%s\",\"version\":\"%s\",\"what\":\"published\"}]}",
        ++m->lines, m->previous[0] != '\0' ? m->previous : "null", dataset, version);
    must(odp_digest_of(m->log.ptr + at, m->log.len - at, digest));
    odp_digest_hex(digest, hex);
    snprintf(m->previous, sizeof m->previous, "\"sha256:%s\"", hex);
    odp_buffer_add_char(&m->log, '\n');
}

static inline void made_site_put(struct odp_buffer *manifest, const char *dir, const char *name,
                                 struct odp_slice bytes)
{
    char path[512], hex[ODP_SHA256_HEX];
    struct odp_file_info info;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    must(odp_file_put(path, bytes, 0644, &info));
    odp_digest_hex(info.sha256, hex);
    odp_buffer_printf(manifest,
                      "%s{\"path\":\"%s\",\"type\":\"application/"
                      "json\",\"class\":\"public\",\"size\":%llu,\"sha256\":\"%s\"}",
                      manifest->len > 10 ? "," : "", name, (unsigned long long)info.size, hex);
}

/* A build with all lines so far; TIERS: of gateway.json. */
static inline void made_site_build(struct made_site *m, const char *tiers, char dir[300])
{
    char path[512], text[4096];
    struct odp_buffer manifest = {0};
    snprintf(dir, 300, "%s/%d", m->dir, ++m->builds);
    snprintf(path, sizeof path, "%s/v1", dir);
    must(odp_dir_make(path));
    odp_buffer_add_str(&manifest, "{\"files\":[");
    snprintf(text, sizeof text,
             "{\"base_url\":\"https://data.example.go.id/\",\"zone_minutes\":420,\"tiers\":[%s]}", tiers);
    made_site_put(&manifest, dir, "gateway.json", odp_slice_of(text));
    made_site_put(&manifest, dir, "releases.log", m->log.len > 0 ? odp_buffer_slice(&m->log) : ODP_LIT(""));
    made_site_put(&manifest, dir, "v1/index.json",
                  ODP_LIT("{\"data\":[],\"status\":\"success\",\"meta\":{\"release\":\"2.5.0\"}}"));
    odp_buffer_add_str(&manifest, "]}");
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    must(odp_file_put(path, odp_buffer_slice(&manifest), 0644, NULL));
    odp_buffer_release(&manifest);
}
