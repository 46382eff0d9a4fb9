/* The targets of addresses, resolved once, and the bytes of small files; of one worker.
 *
 *   aliases   (site, address, Accept-Encoding as sent) -> file. A fixed number of places, two for each hash;
 *             a newcomer takes the older one's. So no client can make it grow, and the worst that a flood of
 *             spellings does is the slow way: two bisections in the mapped control file.
 *   files     by path in a list ordered by use; when all of them together are larger than odp_cache, the last
 *             leave
 *
 * A file that leaves takes its aliases along and lives on as long as requests hold it; then it frees itself.
 */
#include "module/module_internal.h"

#include "base/file.h"

#define SETS      8192u /* of two aliases */
#define BUCKETS   4096u
#define ALIAS_MAX 512u /* longer addresses and headers go the slow way */

struct alias {
    ngx_queue_t of_file;
    struct odp_file *file;
    struct odp_site_place *site;
    struct alias **place;
    uint32_t hash;
    uint16_t uri_len, accept_len;
    bool keyed, open;
    u_char bytes[]; /* address, Accept-Encoding */
};

struct odp_cache {
    size_t used, cap;
    ngx_queue_t lru; /* the newest first */
    struct odp_file *buckets[BUCKETS];
    struct alias *aliases[SETS][2];
};

static struct odp_cache *cache_of(struct odp_main_conf *conf)
{
    if (conf->cache == NULL) {
        conf->cache = ngx_calloc(sizeof *conf->cache, ngx_cycle->log);
        if (conf->cache != NULL) {
            ngx_queue_init(&conf->cache->lru);
            conf->cache->cap = conf->cache_size;
        }
    }
    return conf->cache;
}

/* ---- files ---- */

void odp_file_hold(struct odp_file *f)
{
    f->refs++;
}

static void destroy(struct odp_file *f)
{
    ngx_free(f->body);
    ngx_free(f);
}

void odp_file_release(struct odp_file *f)
{
    if (f != NULL && --f->refs == 0 && !f->listed)
        destroy(f);
}

static void drop_alias(struct alias *a)
{
    if (a == NULL)
        return;
    *a->place = NULL;
    ngx_queue_remove(&a->of_file);
    ngx_free(a);
}

/* Out of the cache; gone at once if no request holds it. */
static void unlist(struct odp_cache *c, struct odp_file *f)
{
    struct odp_file **p = &c->buckets[f->hash % BUCKETS];
    while (*p != f)
        p = &(*p)->next;
    *p = f->next;
    while (!ngx_queue_empty(&f->aliases))
        drop_alias(ngx_queue_data(ngx_queue_head(&f->aliases), struct alias, of_file));
    ngx_queue_remove(&f->lru);
    c->used -= f->cost;
    f->listed = false;
    if (f->refs == 0)
        destroy(f);
}

static void make_room(struct odp_cache *c, struct odp_file *keep)
{
    while (c->used > c->cap) {
        struct odp_file *last = ngx_queue_data(ngx_queue_last(&c->lru), struct odp_file, lru);
        if (last == keep)
            return;
        unlist(c, last);
    }
}

void odp_cache_forget_site(struct odp_cache *c, struct odp_site_place *site)
{
    if (c == NULL)
        return;
    ngx_queue_t *q = ngx_queue_head(&c->lru);
    while (q != ngx_queue_sentinel(&c->lru)) {
        struct odp_file *f = ngx_queue_data(q, struct odp_file, lru);
        q = ngx_queue_next(q);
        if (f->site == site)
            unlist(c, f);
    }
}

void odp_cache_free(struct odp_cache *c)
{
    if (c == NULL)
        return;
    while (!ngx_queue_empty(&c->lru))
        unlist(c, ngx_queue_data(ngx_queue_head(&c->lru), struct odp_file, lru));
    ngx_free(c);
}

void odp_cache_forget_slots(struct odp_file *f, uint32_t generation)
{
    f->slots_generation = generation;
    for (int i = 0; i <= ODP_TIERS_MAX; i++)
        f->slots[i] = -2;
}

/* ---- making a file ---- */

static void add_header(struct odp_file *f, const char *key, struct odp_slice value)
{
    if (value.len == 0)
        return;
    ngx_table_elt_t *h = &f->headers[f->nheaders++];
    h->hash = 1;
    h->key = odp_str(odp_slice_of(key));
    h->value = odp_str(value);
}

/* The order is what content.c relies on: the first is the ETag, the second Cache-Control; what a 304 has
 * comes before what it has not. */
static void make_headers(struct odp_file *f)
{
    static const struct odp_slice codings[] = {{"", 0}, ODP_LIT("gzip"), ODP_LIT("br")},
                                  vary[] = {{"", 0},
                                            ODP_LIT("Accept"),
                                            ODP_LIT("Accept-Language"),
                                            ODP_LIT("Accept, Accept-Language"),
                                            ODP_LIT("Accept-Encoding"),
                                            ODP_LIT("Accept, Accept-Encoding"),
                                            ODP_LIT("Accept-Encoding, Accept-Language"),
                                            ODP_LIT("Accept, Accept-Encoding, Accept-Language")};
    const struct odp_entry *e = &f->entry;
    add_header(f, "ETag", e->etag);
    add_header(f, "Cache-Control", e->cache_control.len != 0 ? e->cache_control : ODP_LIT("no-cache"));
    add_header(f, "Access-Control-Allow-Origin", ODP_LIT("*"));
    add_header(f, "Access-Control-Expose-Headers", odp_slice_of(odp_exposed));
    add_header(f, "X-Content-Type-Options", ODP_LIT("nosniff"));
    for (size_t i = 0; i < ODP_PAGE_HEADERS && odp_page_is(e->type); i++)
        add_header(f, odp_page_headers[i].name, odp_slice_of(odp_page_header_value(i, e->path)));
    add_header(f, "Vary", vary[f->varies & 7u]);
    add_header(f, "Deprecation", e->deprecation);
    add_header(f, "Sunset", e->sunset);
    add_header(f, "Link", e->link);
    f->nshared = f->nheaders;
    add_header(f, "Content-Encoding", codings[e->coding]);
    add_header(f, "Accept-Ranges", ODP_LIT("bytes"));
}

static struct odp_slice copy(u_char **to, struct odp_slice s)
{
    struct odp_slice made = {(char *)*to, s.len};
    if (s.len != 0)
        *to = ngx_cpymem(*to, s.ptr, s.len);
    return made;
}

static struct odp_file *make_file(struct odp_site_place *site, const struct odp_entry *e, unsigned varies)
{
    const char *dir = odp_control_dir(site->control);
    size_t text = e->path.len + e->etag.len + e->type.len + e->deprecation.len + e->sunset.len +
                  e->cache_control.len + e->link.len + e->dataset.len + e->format.len + strlen(dir) + 1 +
                  e->path.len + 1;
    struct odp_file *f = ngx_calloc(sizeof *f + text, ngx_cycle->log);
    if (f == NULL)
        return NULL;
    u_char *p = (u_char *)(f + 1);
    f->site = site;
    f->varies = varies;
    f->cost = sizeof *f + text;
    f->entry = *e;
    f->entry.path = copy(&p, e->path);
    f->entry.etag = copy(&p, e->etag);
    f->entry.type = copy(&p, e->type);
    f->entry.deprecation = copy(&p, e->deprecation);
    f->entry.sunset = copy(&p, e->sunset);
    f->entry.cache_control = copy(&p, e->cache_control);
    f->entry.link = copy(&p, e->link);
    f->entry.dataset = copy(&p, e->dataset);
    f->entry.format = copy(&p, e->format);
    f->full.data = p;
    f->full.len = (size_t)(ngx_sprintf(p, "%s/%*s%Z", dir, e->path.len, e->path.ptr) - p) - 1;
    ngx_queue_init(&f->aliases);
    odp_cache_forget_slots(f, 0);
    make_headers(f);
    return f;
}

struct odp_file *odp_file_readdress(const struct odp_file *f, struct odp_slice body, struct odp_slice origin)
{
    char tag[64];
    struct odp_entry e = f->entry;
    e.size = body.len;
    e.cache_control = ODP_LIT("private, max-age=60");
    if (e.etag.len > 2 && e.etag.len < sizeof tag - 12) { /* these bytes and their links are another thing */
        int n = snprintf(tag, sizeof tag, "%.*s-%08x\"", (int)e.etag.len - 1, e.etag.ptr,
                         ngx_murmur_hash2((u_char *)(uintptr_t)origin.ptr, origin.len));
        e.etag = (struct odp_slice){tag, (size_t)n};
    }
    struct odp_file *made = make_file(f->site, &e, f->varies);
    if (made == NULL || (made->body = ngx_alloc(body.len + 1, ngx_cycle->log)) == NULL) {
        ngx_free(made);
        return NULL;
    }
    ngx_memcpy(made->body, body.ptr, body.len);
    made->readdressed = true;
    return made;
}

/* The file of entry E, from the cache or new in it. */
static struct odp_file *file_of(struct odp_cache *c, struct odp_site_place *site, const struct odp_entry *e,
                                unsigned varies)
{
    uint32_t hash = ngx_murmur_hash2((u_char *)(uintptr_t)e->path.ptr, e->path.len) ^ varies;
    struct odp_file **bucket = &c->buckets[hash % BUCKETS];
    for (struct odp_file *f = *bucket; f != NULL; f = f->next) {
        if (f->hash == hash && f->site == site && f->varies == varies && odp_slice_eq(f->entry.path, e->path))
            return f;
    }
    struct odp_file *f = make_file(site, e, varies);
    if (f == NULL)
        return NULL;
    f->hash = hash;
    f->next = *bucket;
    *bucket = f;
    f->listed = true;
    ngx_queue_insert_head(&c->lru, &f->lru);
    c->used += f->cost;
    make_room(c, f);
    return f;
}

enum odp_status odp_cache_load(struct odp_main_conf *conf, struct odp_file *f, size_t limit, ngx_log_t *log)
{
    struct odp_buffer b = {0};
    int errnum = 0;
    /* A file larger than a quarter of the cache would only push all others out. */
    if (f->body != NULL || !f->listed || f->entry.size > limit || f->entry.size > conf->cache_size / 4)
        return ODP_OK;
    enum odp_status st = odp_file_read((const char *)f->full.data, f->entry.size + 1, &b, &errnum);
    if (st == ODP_OK && b.len != f->entry.size)
        st = ODP_BAD;
    u_char *body = st == ODP_OK ? ngx_alloc(b.len + 1, log) : NULL;
    if (body != NULL) {
        ngx_memcpy(body, b.ptr, b.len);
        f->body = body;
        f->cost += b.len;
        conf->cache->used += b.len;
        make_room(conf->cache, f);
    } else {
        ngx_log_error(NGX_LOG_CRIT, log, errnum,
                      "odp: \"%V\" cannot be read as the %uL bytes that control promises %s", &f->full,
                      f->entry.size, odp_failure_text());
        odp_failure_clear();
    }
    odp_buffer_release(&b);
    return body != NULL ? ODP_OK : ODP_FAIL;
}

/* ---- addresses ---- */

static struct alias *find_alias(struct odp_cache *c, uint32_t hash, const struct odp_site_place *site,
                                const ngx_str_t *uri, const ngx_str_t *accept)
{
    for (int i = 0; i < 2; i++) {
        struct alias *a = c->aliases[hash % SETS][i];
        if (a != NULL && a->hash == hash && a->site == site && a->uri_len == uri->len &&
            a->accept_len == accept->len && ngx_memcmp(a->bytes, uri->data, uri->len) == 0 &&
            ngx_memcmp(a->bytes + uri->len, accept->data, accept->len) == 0)
            return a;
    }
    return NULL;
}

/* The second place is the older one's: it goes, the first moves there. */
static void add_alias(struct odp_cache *c, uint32_t hash, struct odp_file *f, const ngx_str_t *uri,
                      const ngx_str_t *accept, const struct odp_look *look)
{
    struct alias **set = c->aliases[hash % SETS];
    if (uri->len + accept->len > ALIAS_MAX)
        return;
    struct alias *a = ngx_alloc(sizeof *a + uri->len + accept->len, ngx_cycle->log);
    if (a == NULL)
        return;
    drop_alias(set[1]);
    set[1] = set[0];
    if (set[1] != NULL)
        set[1]->place = &set[1];
    set[0] = a;
    a->place = &set[0];
    a->file = f;
    a->site = f->site;
    a->hash = hash;
    a->uri_len = (uint16_t)uri->len;
    a->accept_len = (uint16_t)accept->len;
    a->keyed = look->keyed;
    a->open = look->route == ODP_ROUTE_OPEN;
    ngx_memcpy(a->bytes, uri->data, uri->len);
    ngx_memcpy(a->bytes + uri->len, accept->data, accept->len);
    ngx_queue_insert_head(&f->aliases, &a->of_file);
}

/* The address decided by itself, so that the next look will find the same. */
static bool lasts(const struct odp_ask *ask, const struct odp_look *look)
{
    return look->route != ODP_ROUTE_QUERY && ask->accept.len == 0 &&
           !odp_control_asks(ask->uri, ask->query.len != 0);
}

static enum odp_status resolve(struct odp_cache *c, uint32_t hash, struct odp_site_place *site,
                               const struct odp_ask *ask, ngx_str_t *accept, struct odp_look *look)
{
    ngx_str_t uri = odp_str(ask->uri);
    struct odp_entry e, chosen;
    unsigned varies;
    bool twins = false;
    look->keyed = odp_control_needs_key(ask->uri);
    look->route = odp_control_ask(site->control, ask, &e, &varies);
    if (look->route == ODP_ROUTE_NONE)
        return ODP_OK;
    if (e.cls == ODP_ENTRY_KEYED && look->route == ODP_ROUTE_FILE)
        look->keyed = true;
    if (e.state == ODP_ENTRY_WITHDRAWN) {
        look->gone = true;
        look->link = e.link;
        return ODP_OK;
    }
    if (e.state == ODP_ENTRY_MOVED) {
        look->moved = true;
        look->entry = e;
        return ODP_OK;
    }
    chosen = e;
    if (look->route != ODP_ROUTE_QUERY)
        odp_control_negotiate(site->control, &e, odp_slice_from(accept), &chosen, &twins);
    look->file = file_of(c, site, &chosen, varies | (twins ? ODP_VARY_ENCODING : 0u));
    if (look->file == NULL)
        return ODP_FAIL;
    if (lasts(ask, look))
        add_alias(c, hash, look->file, &uri, accept, look);
    return ODP_OK;
}

enum odp_status odp_cache_look(struct odp_main_conf *conf, struct odp_site_place *site,
                               const struct odp_ask *ask, ngx_str_t *accept, struct odp_look *look)
{
    struct odp_cache *c = cache_of(conf);
    ngx_str_t address = odp_str(ask->uri), *uri = &address;
    if (c == NULL)
        return ODP_FAIL;
    uint32_t hash = ngx_murmur_hash2(uri->data, uri->len);
    if (accept->len != 0)
        hash ^= ngx_murmur_hash2(accept->data, accept->len) * 31u;
    struct alias *a =
        ask->query.len == 0 && ask->accept.len == 0 ? find_alias(c, hash, site, uri, accept) : NULL;
    *look = (struct odp_look){0};
    if (a == NULL)
        return resolve(c, hash, site, ask, accept, look);
    look->file = a->file;
    look->route = a->open ? ODP_ROUTE_OPEN : ODP_ROUTE_FILE;
    look->keyed = a->keyed;
    ngx_queue_t *q = &a->file->lru;
    if (ngx_queue_head(&c->lru) != q) {
        ngx_queue_remove(q);
        ngx_queue_insert_head(&c->lru, q);
    }
    return ODP_OK;
}
