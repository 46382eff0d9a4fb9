/* odp-gateway pull URL --to DIR: fetch a published site, check it, switch it in. */
#include <curl/curl.h>
#include <string.h>

#include "command/messages.h"
#include "command/pull/pull.h"
#include "words/gateway_command.h"

static int run_pull(struct invocation *inv)
{
    const char *url = inv->line.words[0];
    if (inv->to == NULL)
        return complain(EXIT_USAGE, "%s", say(inv, W_gwc_pull_needs_dir));
    if (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0 &&
        strncmp(url, "file:///", 8) != 0)
        return complain(EXIT_USAGE, say(inv, W_gwc_write_https_http_file), url);
    if (inv->jobs < 1 || inv->keep < 1)
        return complain(EXIT_USAGE, "%s", say(inv, W_gwc_jobs_keep_least_1));
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return complain(EXIT_MACHINE, "%s", curl_words(inv));
    int code = pull_run(inv, url);
    curl_global_cleanup();
    return code;
}

const struct command command_pull = {"pull", "URL --to DIR", {{W_gwc_fetch_published_site_check}}, run_pull};
