#include "service/http/web.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "service/http/pages.h"
#include "service/queries/queries.h"
#include "service/state/log.h"

static void site_free(void *value)
{
    struct odp_web_site *site = value;
    odp_shell_free(site->shell);
    if (site->control != NULL)
        odp_control_close(site->control);
    free(site);
}

enum odp_status odp_web_new(struct odp_web **out)
{
    *out = NULL;
    struct odp_web *w = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_set("web", NULL, ENOMEM);
    if (odp_holder_init(&w->site, site_free) != ODP_OK) {
        free(w);
        return ODP_FAIL;
    }
    int e = pthread_mutex_init(&w->mutex, NULL);
    if (e != 0 || odp_limit_new(&w->limit) != ODP_OK) {
        if (e == 0)
            pthread_mutex_destroy(&w->mutex);
        odp_holder_release(&w->site);
        free(w);
        return odp_failure_set("mutex", NULL, e);
    }
    if (odp_pages_open(&w->pages) != ODP_OK) {
        odp_web_free(w);
        return ODP_FAIL;
    }
    w->flush_ok = true;
    w->room = "ok";
    atomic_store(&w->writer_reachable, true);
    *out = w;
    return ODP_OK;
}

void odp_web_free(struct odp_web *w)
{
    if (w == NULL)
        return;
    odp_holder_release(&w->site);
    odp_queries_free(w->queries);
    odp_limit_free(w->limit);
    odp_templates_close(w->pages);
    pthread_mutex_destroy(&w->mutex);
    free(w);
}

enum odp_status odp_web_site(struct odp_web *w, const char *site, const char **why)
{
    const struct odp_web_site *before = w->site.now;
    char broken[128] = "";
    if (before != NULL && !odp_control_switched(before->control, site))
        return ODP_DONE;
    struct odp_web_site *now = calloc(1, sizeof *now);
    if (now == NULL)
        return odp_failure_set("site", site, ENOMEM);
    enum odp_status st = odp_control_open(&now->control, site, why);
    if (st == ODP_OK)
        st = odp_shell_read(&now->shell, now->control, broken);
    if (st != ODP_OK) {
        site_free(now);
        return st;
    }
    if (broken[0] != '\0')
        odp_log("warning", "site: %s cannot be used; pages of the service are plain", broken);
    odp_holder_set_take(&w->site, now);
    return ODP_OK;
}

const char *odp_web_writes(const struct odp_state *s)
{
    struct odp_web *w = s->web;
    if (w == NULL)
        return s->writer && s->db == NULL ? "failing" : "ok";
    pthread_mutex_lock(&w->mutex);
    const char *word = w->room;
    if (strcmp(word, "ok") == 0 && (!w->flush_ok || (s->writer && s->db == NULL)))
        word = "failing";
    pthread_mutex_unlock(&w->mutex);
    if (strcmp(word, "ok") == 0 && !s->writer && !atomic_load(&w->writer_reachable))
        word = "writer-unreachable";
    return word;
}
