/* Usage by day as a picture, said in words, and as a table. */
#include <stdio.h>

#include "base/html.h"
#include "service/accounts/accounts_internal.h"

enum { WIDTH = 660, HEIGHT = 160, STEP = WIDTH / ODP_USAGE_DAYS, BAR = STEP - 5 };

static void add_day(struct odp_buffer *b, const struct odp_call *c, int64_t day)
{
    char date[ODP_TIME_SIZE];
    odp_day_iso(day, date);
    odp_html_plain_date(b, date, c->lang);
}

/* "Dari 24 Oktober 2026 sampai 22 November 2026: 1.204 permintaan; paling banyak 300 pada 3 November 2026." */
static void write_summary(struct odp_buffer *b, const struct odp_call *c, const uint64_t counts[ODP_USAGE_DAYS], int64_t first)
{
    uint64_t sum = 0;
    int most = 0;
    for (int i = 0; i < ODP_USAGE_DAYS; i++) {
        sum += counts[i];
        most = counts[i] >= counts[most] ? i : most;
    }
    odp_page_say(b, c, "", "Dari ", "From ", "");
    add_day(b, c, first);
    odp_page_say(b, c, "", " sampai ", " to ", "");
    add_day(b, c, first + ODP_USAGE_DAYS - 1);
    odp_buffer_add_str(b, ": ");
    if (sum == 0) {
        odp_page_say(b, c, "", "belum ada permintaan.", "no requests yet.", "");
        return;
    }
    odp_page_number(b, c, sum);
    odp_page_say(b, c, "", " permintaan; paling banyak ", " requests; at most ", "");
    odp_page_number(b, c, counts[most]);
    odp_page_say(b, c, "", " pada ", " on ", "");
    add_day(b, c, first + most);
    odp_buffer_add_char(b, '.');
}

/* A day with requests is seen, however few: at least 3 of 160. Today's bar is solid, the others are lighter. */
static void write_bars(struct odp_buffer *b, const struct odp_call *c, const uint64_t counts[ODP_USAGE_DAYS], int64_t first)
{
    uint64_t most = 1;
    for (int i = 0; i < ODP_USAGE_DAYS; i++)
        most = counts[i] > most ? counts[i] : most;
    odp_buffer_printf(b,
                      "<svg class=\"usage\" preserveAspectRatio=\"none\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-labelledby=\"pemakaian-judul "
                      "pemakaian-isi\" fill=\"currentColor\" focusable=\"false\">\n",
                      WIDTH, HEIGHT, WIDTH, HEIGHT);
    odp_page_say(b, c, "<title id=\"pemakaian-judul\">", "Permintaan per hari", "Requests by day", "</title>\n<desc id=\"pemakaian-isi\">");
    write_summary(b, c, counts, first);
    odp_buffer_add_str(b, "</desc>\n");
    for (int i = 0; i < ODP_USAGE_DAYS; i++) {
        if (counts[i] == 0)
            continue;
        int height = (int)((double)counts[i] / (double)most * (HEIGHT - 3)) + 3;
        odp_buffer_printf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"%s/>\n", i * STEP + 2, HEIGHT - height, BAR, height,
                          i + 1 < ODP_USAGE_DAYS ? " fill-opacity=\".65\"" : "");
    }
    odp_buffer_add_str(b, "</svg>\n");
}

static void write_table(struct odp_buffer *b, const struct odp_call *c, const uint64_t counts[ODP_USAGE_DAYS], int64_t first)
{
    odp_page_say(b, c, "<details>\n<summary>", "Angka per hari", "Figures by day", "</summary>\n");
    odp_buffer_add_str(b, "<div class=\"table-wrap\" role=\"region\" aria-labelledby=\"pemakaian-tabel\" tabindex=\"0\">\n<table>\n");
    odp_page_say(b, c, "<caption id=\"pemakaian-tabel\">", "Permintaan yang dihitung, hari terbaru di atas", "Requests that counted, the latest day first",
                 "</caption>\n");
    odp_page_say(b, c, "<thead><tr><th scope=\"col\">", "Tanggal", "Day", "</th>");
    odp_page_say(b, c, "<th scope=\"col\" class=\"number\">", "Permintaan", "Requests", "</th></tr></thead>\n<tbody>\n");
    for (int i = ODP_USAGE_DAYS - 1; i >= 0; i--) {
        char date[ODP_TIME_SIZE];
        odp_day_iso(first + i, date);
        odp_page_text(b, "<tr><th scope=\"row\"><time datetime=\"", date, "\">");
        odp_html_plain_date(b, date, c->lang);
        odp_buffer_add_str(b, "</time></th><td class=\"number\">");
        odp_page_number(b, c, counts[i]);
        odp_buffer_add_str(b, "</td></tr>\n");
    }
    odp_buffer_add_str(b, "</tbody>\n</table>\n</div>\n</details>\n");
}

void odp_page_usage(struct odp_buffer *b, const struct odp_call *c, const uint64_t counts[ODP_USAGE_DAYS], int64_t first)
{
    odp_page_say(b, c, "<section aria-labelledby=\"pemakaian\">\n<h2 id=\"pemakaian\">", "Pemakaian 30 hari terakhir", "Usage of the last 30 days",
                 "</h2>\n<figure>\n");
    write_bars(b, c, counts, first);
    odp_buffer_add_str(b, "<figcaption>");
    write_summary(b, c, counts, first);
    odp_buffer_add_str(b, "</figcaption>\n</figure>\n");
    write_table(b, c, counts, first);
    odp_buffer_add_str(b, "</section>\n");
}
