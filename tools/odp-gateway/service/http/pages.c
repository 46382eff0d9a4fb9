/* The service's templates and their model are compiled in; opened once, shared by all threads. */
#include "service/http/pages.h"

extern const struct odp_template_text odp_service_pages[]; /* of templates/service */
extern const unsigned char odp_service_model[];

enum odp_status odp_pages_open(struct odp_templates **out)
{
    return odp_templates_open_made(out, odp_service_pages, odp_service_model);
}
