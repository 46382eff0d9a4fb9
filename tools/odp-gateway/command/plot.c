#include <stdlib.h>
#include <sys/ioctl.h>

#include "command/table.h"

void plot_bar(struct odp_buffer *b, double value, double largest, size_t width, bool unicode)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    double share = largest > 0 && value > 0 ? value / largest : 0;
    share = share > 1 ? 1 : share;
    size_t units = (size_t)(share * (double)width * (unicode ? 8 : 1) + 0.5);
    if (units == 0 && value > 0)
        units = 1;
    if (!unicode) {
        for (size_t i = 0; i < units; i++)
            odp_buffer_add_char(b, '#');
        return;
    }
    for (size_t i = 0; i < units / 8; i++)
        odp_buffer_add_str(b, "█");
    odp_buffer_add_str(b, eighths[units % 8]);
}

size_t plot_width(int fd)
{
    struct winsize w;
    const char *columns = getenv("COLUMNS");
    if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
        return w.ws_col;
    long n = columns != NULL ? strtol(columns, NULL, 10) : 0;
    return n >= 20 && n <= 1000 ? (size_t)n : 80;
}
