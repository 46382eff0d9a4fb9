/* katalog/<slug>/iso19139.xml: ISO 19115 metadata in the XML of ISO/TS 19139, with what the Indonesian profile (SNI 8843-1:2019) asks for; of
 * datasets that have a geometry. The order of elements is that of the schema gmd.xsd: it is a sequence everywhere. Texts are Indonesian, English
 * beside them (PT_FreeText).
 *
 * gmd.xsd is not in Debian: tests/e2e/metadata.py has the sequences. Lineage names the source's CRS and the
 * operation that made WGS 84 of it. topicCategory is planningCadastre for all: the ministry's field. */
#include "site/metadata/metadata_internal.h"

struct xml {
    struct odp_buffer *out;
    const char *open[32];
    size_t depth;
};

static void indent(struct xml *x)
{
    for (size_t i = 0; i < x->depth; i++)
        odp_buffer_add_char(x->out, ' ');
}

static void begin(struct xml *x, const char *name)
{
    indent(x);
    odp_buffer_printf(x->out, "<%s>\n", name);
    if (x->depth == sizeof x->open / sizeof *x->open)
        x->out->failed = true;
    else
        x->open[x->depth++] = name;
}

static void end(struct xml *x)
{
    const char *name = x->open[--x->depth];
    indent(x);
    odp_buffer_printf(x->out, "</%s>\n", name);
}

static void ends(struct xml *x, size_t n)
{
    while (n-- > 0)
        end(x);
}

/* <NAME><KIND>TEXT</KIND></NAME> */
static void put(struct xml *x, const char *name, const char *kind, const char *text)
{
    indent(x);
    odp_buffer_printf(x->out, "<%s><%s>", name, kind);
    odp_html_text(x->out, text);
    odp_buffer_printf(x->out, "</%s></%s>\n", kind, name);
}

static void put_string(struct xml *x, const char *name, const char *text)
{
    if (*text != '\0')
        put(x, name, "gco:CharacterString", text);
}

/* The Indonesian text, and the English one where it is another. */
static void put_text(struct xml *x, const char *name, const struct odp_text *t)
{
    const char *id = odp_text_get(t, ODP_LANG_ID), *en = odp_text_get(t, ODP_LANG_EN);
    if (strcmp(id, en) == 0) {
        put_string(x, name, id);
        return;
    }
    indent(x);
    odp_buffer_printf(x->out, "<%s xsi:type=\"gmd:PT_FreeText_PropertyType\"><gco:CharacterString>", name);
    odp_html_text(x->out, id);
    odp_buffer_add_str(x->out, "</gco:CharacterString><gmd:PT_FreeText><gmd:textGroup><gmd:LocalisedCharacterString locale=\"#en\">");
    odp_html_text(x->out, en);
    odp_buffer_printf(x->out, "</gmd:LocalisedCharacterString></gmd:textGroup></gmd:PT_FreeText></%s>\n", name);
}

/* <NAME><gmd:LIST codeList="…" codeListValue="VALUE">VALUE</gmd:LIST></NAME> */
static void put_code(struct xml *x, const char *name, const char *list, const char *value)
{
    const bool language = strcmp(list, "LanguageCode") == 0;
    indent(x);
    odp_buffer_printf(x->out, "<%s><gmd:%s codeList=\"%s%s\" codeListValue=\"", name, list,
                      language ? "http://www.loc.gov/standards/iso639-2/" : "http://standards.iso.org/iso/19139/resources/gmxCodelists.xml#",
                      language ? "" : list);
    odp_html_text(x->out, value);
    odp_buffer_add_str(x->out, "\">");
    odp_html_text(x->out, value);
    odp_buffer_printf(x->out, "</gmd:%s></%s>\n", list, name);
}

static void put_decimal(struct xml *x, const char *name, double value)
{
    indent(x);
    odp_buffer_printf(x->out, "<%s><gco:Decimal>%.10g</gco:Decimal></%s>\n", name, value, name);
}

static void put_date(struct xml *x, const char *day, const char *type)
{
    begin(x, "gmd:date");
    begin(x, "gmd:CI_Date");
    put(x, "gmd:date", "gco:Date", day);
    put_code(x, "gmd:dateType", "CI_DateTypeCode", type);
    ends(x, 2);
}

/* ---- parties -------------------------------------------------------------------------------------------------------------------- */

static void put_online(struct xml *x, const char *name, const char *url, const char *protocol, const char *title, const char *function)
{
    begin(x, name);
    begin(x, "gmd:CI_OnlineResource");
    put(x, "gmd:linkage", "gmd:URL", url);
    put_string(x, "gmd:protocol", protocol);
    put_string(x, "gmd:name", title);
    put_code(x, "gmd:function", "CI_OnLineFunctionCode", function);
    ends(x, 2);
}

static void put_party(struct metadata *m, struct xml *x, const char *name, const struct odp_text *organisation, const char *role)
{
    const json_t *contact = json_object_get(m->catalog->portal.json, "contact");
    const char *email = metadata_text(contact, "email"), *phone = metadata_text(contact, "phone"), *url = metadata_text(contact, "url");
    begin(x, name);
    begin(x, "gmd:CI_ResponsibleParty");
    put_text(x, "gmd:organisationName", organisation);
    if (organisation == &m->catalog->portal.publisher)
        put_string(x, "gmd:positionName", metadata_text(contact, "name"));
    begin(x, "gmd:contactInfo");
    begin(x, "gmd:CI_Contact");
    if (*phone != '\0') {
        begin(x, "gmd:phone");
        begin(x, "gmd:CI_Telephone");
        put_string(x, "gmd:voice", phone);
        ends(x, 2);
    }
    if (*email != '\0') {
        begin(x, "gmd:address");
        begin(x, "gmd:CI_Address");
        put_string(x, "gmd:deliveryPoint", metadata_text(contact, "address"));
        put_string(x, "gmd:country", "Indonesia");
        put_string(x, "gmd:electronicMailAddress", email);
        ends(x, 2);
    }
    put_online(x, "gmd:onlineResource", *url != '\0' ? url : m->base, "WWW:LINK-1.0-http--link", "", "information");
    ends(x, 2);
    put_code(x, "gmd:role", "CI_RoleCode", role);
    ends(x, 2);
}

/* ---- identification --------------------------------------------------------------------------------------------------------------- */

/* EU frequency to MD_MaintenanceFrequencyCode. */
static const char *maintenance_of(const char *frequency)
{
    static const char *const codes[][2] = {
        {"CONT", "continual"},       {"UPDATE_CONT", "continual"}, {"HOURLY", "continual"}, {"DAILY", "daily"},
        {"DAILY_2", "daily"},        {"WEEKLY", "weekly"},         {"WEEKLY_2", "weekly"},  {"WEEKLY_3", "weekly"},
        {"BIWEEKLY", "fortnightly"}, {"MONTHLY_2", "fortnightly"}, {"MONTHLY", "monthly"},  {"QUARTERLY", "quarterly"},
        {"ANNUAL_2", "biannually"},  {"ANNUAL", "annually"},       {"IRREG", "irregular"},  {"NEVER", "notPlanned"}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i][0], frequency) == 0)
            return codes[i][1];
    return strcmp(frequency, "") == 0 || strcmp(frequency, "UNKNOWN") == 0 ? "unknown" : "irregular";
}

static void put_citation(struct metadata *m, struct xml *x, const json_t *entry)
{
    const char *slug = metadata_text(entry, "slug");
    const struct odp_text title = metadata_both(entry, "title");
    begin(x, "gmd:citation");
    begin(x, "gmd:CI_Citation");
    put_text(x, "gmd:title", &title);
    put_date(x, metadata_day(m, metadata_text(entry, "last_update")), "publication");
    put_string(x, "gmd:edition", metadata_text(entry, "version"));
    begin(x, "gmd:identifier");
    begin(x, "gmd:MD_Identifier");
    put_string(x, "gmd:code", metadata_printf(m, "%sdata/%s/", m->base, slug));
    ends(x, 2);
    put_code(x, "gmd:presentationForm", "CI_PresentationFormCode", "mapDigital");
    ends(x, 2);
}

static void put_keywords(struct metadata *m, struct xml *x, const json_t *entry)
{
    const json_t *ours = json_object_get(entry, "odp:keywords"), *id = json_object_get(ours, "id"), *en = json_object_get(ours, "en");
    id = json_is_array(id) ? id : json_object_get(entry, "keywords");
    const bool pairs = json_array_size(id) == json_array_size(en);
    if (json_array_size(id) > 0) {
        begin(x, "gmd:descriptiveKeywords");
        begin(x, "gmd:MD_Keywords");
        for (size_t i = 0; i < json_array_size(id); i++) {
            const char *word = json_string_value(json_array_get(id, i));
            const struct odp_text t = {{word != NULL ? word : "", pairs ? json_string_value(json_array_get(en, i)) : NULL}};
            put_text(x, "gmd:keyword", &t);
        }
        put_code(x, "gmd:type", "MD_KeywordTypeCode", "theme");
        ends(x, 2);
    }
    begin(x, "gmd:descriptiveKeywords");
    begin(x, "gmd:MD_Keywords");
    put_string(x, "gmd:keyword", "Indonesia");
    put_code(x, "gmd:type", "MD_KeywordTypeCode", "place");
    ends(x, 2);
    (void)m;
}

static void put_constraints(struct metadata *m, struct xml *x, const json_t *entry)
{
    const json_t *license = json_object_get(entry, "license");
    const char *name = metadata_text(license, "name"), *path = metadata_text(license, "path"), *title = metadata_license(m, entry, ODP_LANG_ID);
    begin(x, "gmd:resourceConstraints");
    begin(x, "gmd:MD_LegalConstraints");
    put_string(x, "gmd:useLimitation", metadata_printf(m, "%s (%s). %s", *title != '\0' ? title : name, name, path));
    put_code(x, "gmd:accessConstraints", "MD_RestrictionCode", "otherRestrictions");
    put_code(x, "gmd:useConstraints", "MD_RestrictionCode", "license");
    const struct odp_text open = {{"Tidak ada pembatasan akses publik: data terbuka.", "No limitations to public access: open data."}};
    put_text(x, "gmd:otherConstraints", &open);
    ends(x, 2);
}

static void put_extent(struct metadata *m, struct xml *x, const json_t *entry)
{
    static const char *const names[4] = {"gmd:westBoundLongitude", "gmd:eastBoundLongitude", "gmd:southBoundLatitude", "gmd:northBoundLatitude"};
    static const size_t order[4] = {0, 2, 1, 3};
    const json_t *box = json_object_get(entry, "bbox");
    const char *interval[2];
    if (metadata_interval(m, entry, interval) != ODP_OK)
        m->doc.failed = true;
    begin(x, "gmd:extent");
    begin(x, "gmd:EX_Extent");
    begin(x, "gmd:geographicElement");
    begin(x, "gmd:EX_GeographicBoundingBox");
    for (size_t i = 0; i < 4; i++)
        put_decimal(x, names[i], json_number_value(json_array_get(box, order[i])));
    ends(x, 2);
    if (*interval[0] != '\0' && *interval[1] != '\0') {
        begin(x, "gmd:temporalElement");
        begin(x, "gmd:EX_TemporalExtent");
        begin(x, "gmd:extent");
        indent(x);
        odp_buffer_printf(
            x->out,
            "<gml:TimePeriod gml:id=\"waktu\"><gml:beginPosition>%s</gml:beginPosition><gml:endPosition>%s</gml:endPosition></gml:TimePeriod>\n",
            interval[0], interval[1]);
        ends(x, 3);
    }
    ends(x, 2);
}

static void put_identification(struct metadata *m, struct xml *x, const json_t *entry)
{
    const struct odp_text abstract = metadata_both(entry, "description"), producer = metadata_both(entry, "producer");
    const struct odp_text purpose = {{metadata_printf(m, "Data terbuka menurut %s", odp_text_get(&m->catalog->portal.legal_basis, ODP_LANG_ID)),
                                      metadata_printf(m, "Open data under %s", odp_text_get(&m->catalog->portal.legal_basis, ODP_LANG_EN))}};
    begin(x, "gmd:identificationInfo");
    begin(x, "gmd:MD_DataIdentification");
    put_citation(m, x, entry);
    put_text(x, "gmd:abstract", &abstract);
    put_text(x, "gmd:purpose", &purpose);
    put_code(x, "gmd:status", "MD_ProgressCode", strcmp(metadata_text(entry, "state"), "deprecated") == 0 ? "obsolete" : "onGoing");
    put_party(m, x, "gmd:pointOfContact", odp_text_is_empty(&producer) ? &m->catalog->portal.publisher : &producer, "owner");
    begin(x, "gmd:resourceMaintenance");
    begin(x, "gmd:MD_MaintenanceInformation");
    put_code(x, "gmd:maintenanceAndUpdateFrequency", "MD_MaintenanceFrequencyCode", maintenance_of(metadata_text(entry, "frequency")));
    ends(x, 2);
    put_keywords(m, x, entry);
    put_constraints(m, x, entry);
    put_code(x, "gmd:spatialRepresentationType", "MD_SpatialRepresentationTypeCode", "vector");
    put_code(x, "gmd:language", "LanguageCode", "ind");
    put_code(x, "gmd:characterSet", "MD_CharacterSetCode", "utf8");
    put(x, "gmd:topicCategory", "gmd:MD_TopicCategoryCode", "planningCadastre");
    put_extent(m, x, entry);
    ends(x, 2);
}

/* ---- the rest ------------------------------------------------------------------------------------------------------------------------ */

/* What the geometries are, as far as the schema says. */
static void put_representation(struct xml *x, const json_t *schema, const json_t *resource)
{
    const json_t *types = json_object_get(json_object_get(schema, "odp:geometry"), "types");
    const char *type = json_string_value(json_array_get(types, 0));
    const char *kind = type == NULL                      ? "complex"
                       : strstr(type, "Point") != NULL   ? "point"
                       : strstr(type, "Line") != NULL    ? "curve"
                       : strstr(type, "Polygon") != NULL ? "surface"
                                                         : "complex";
    begin(x, "gmd:spatialRepresentationInfo");
    begin(x, "gmd:MD_VectorSpatialRepresentation");
    put_code(x, "gmd:topologyLevel", "MD_TopologyLevelCode", "geometryOnly");
    begin(x, "gmd:geometricObjects");
    begin(x, "gmd:MD_GeometricObjects");
    put_code(x, "gmd:geometricObjectType", "MD_GeometricObjectTypeCode", kind);
    indent(x);
    odp_buffer_printf(x->out, "<gmd:geometricObjectCount><gco:Integer>%" JSON_INTEGER_FORMAT "</gco:Integer></gmd:geometricObjectCount>\n",
                      json_integer_value(json_object_get(resource, "rows")));
    ends(x, 4);
}

static void put_reference_system(struct xml *x)
{
    begin(x, "gmd:referenceSystemInfo");
    begin(x, "gmd:MD_ReferenceSystem");
    begin(x, "gmd:referenceSystemIdentifier");
    begin(x, "gmd:RS_Identifier");
    put_string(x, "gmd:code", "4326");
    put_string(x, "gmd:codeSpace", "EPSG");
    ends(x, 4);
}

static void put_distribution(struct metadata *m, struct xml *x, const json_t *entry)
{
    const json_t *files = json_object_get(json_array_get(json_object_get(entry, "resources"), 0), "files");
    begin(x, "gmd:distributionInfo");
    begin(x, "gmd:MD_Distribution");
    for (size_t i = 0; i < json_array_size(files); i++) {
        begin(x, "gmd:distributionFormat");
        begin(x, "gmd:MD_Format");
        put_string(x, "gmd:name", metadata_text(json_array_get(files, i), "name"));
        put_string(x, "gmd:version", metadata_text(json_array_get(files, i), "media_type"));
        ends(x, 2);
    }
    begin(x, "gmd:distributor");
    begin(x, "gmd:MD_Distributor");
    put_party(m, x, "gmd:distributorContact", &m->catalog->portal.publisher, "distributor");
    ends(x, 2);
    begin(x, "gmd:transferOptions");
    begin(x, "gmd:MD_DigitalTransferOptions");
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        put_online(x, "gmd:onLine", metadata_url(m, metadata_path(metadata_text(file, "url"))), "WWW:DOWNLOAD-1.0-http--download",
                   metadata_text(file, "format"), "download");
    }
    put_online(x, "gmd:onLine", metadata_url(m, metadata_printf(m, METADATA_PAGE_ID, metadata_text(entry, "slug"))), "WWW:LINK-1.0-http--link",
               metadata_in(entry, "title", ODP_LANG_ID), "information");
    put_online(x, "gmd:onLine", metadata_url(m, "v1/ogc/"), "OGC API - Features", metadata_text(entry, "slug"), "search");
    ends(x, 4);
}

/* Where the data come from, and by which operation their coordinates became WGS 84. */
static const char *lineage_of(struct metadata *m, const json_t *entry, const json_t *schema)
{
    const json_t *sources = json_object_get(entry, "sources"), *geometry = json_object_get(schema, "odp:geometry");
    const char *crs = metadata_text(geometry, "sourceCrs"), *operation = metadata_text(geometry, "crsOperation");
    const char *text = metadata_printf(m, "Produsen data: %s.", metadata_in(entry, "producer", ODP_LANG_ID));
    for (size_t i = 0; i < json_array_size(sources); i++)
        text = metadata_printf(m, "%s %s", text, metadata_text(json_array_get(sources, i), "title"));
    if (*crs != '\0')
        text = metadata_printf(m, "%s Koordinat sumber: %s%s%s.", text, crs, *operation != '\0' ? "; diubah ke WGS 84 dengan " : "", operation);
    return text;
}

static void put_quality(struct metadata *m, struct xml *x, const json_t *entry, const json_t *schema)
{
    begin(x, "gmd:dataQualityInfo");
    begin(x, "gmd:DQ_DataQuality");
    begin(x, "gmd:scope");
    begin(x, "gmd:DQ_Scope");
    put_code(x, "gmd:level", "MD_ScopeCode", "dataset");
    ends(x, 2);
    begin(x, "gmd:lineage");
    begin(x, "gmd:LI_Lineage");
    put_string(x, "gmd:statement", lineage_of(m, entry, schema));
    ends(x, 4);
}

static void put_locale(struct xml *x)
{
    begin(x, "gmd:locale");
    indent(x);
    odp_buffer_add_str(x->out, "<gmd:PT_Locale id=\"en\">\n");
    put_code(x, "gmd:languageCode", "LanguageCode", "eng");
    put_code(x, "gmd:characterEncoding", "MD_CharacterSetCode", "utf8");
    indent(x);
    odp_buffer_add_str(x->out, "</gmd:PT_Locale>\n");
    end(x);
}

static void put_metadata(struct metadata *m, struct xml *x, const json_t *entry, const json_t *schema)
{
    const char *slug = metadata_text(entry, "slug");
    const json_t *resource = json_array_get(json_object_get(entry, "resources"), 0);
    odp_buffer_add_str(x->out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                               "<gmd:MD_Metadata xmlns:gmd=\"http://www.isotc211.org/2005/gmd\" xmlns:gco=\"http://www.isotc211.org/2005/gco\" "
                               "xmlns:gml=\"http://www.opengis.net/gml/3.2\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
                               "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n");
    put_string(x, "gmd:fileIdentifier", metadata_printf(m, "%sdata/%s/", m->base, slug));
    put_code(x, "gmd:language", "LanguageCode", "ind");
    put_code(x, "gmd:characterSet", "MD_CharacterSetCode", "utf8");
    put_code(x, "gmd:hierarchyLevel", "MD_ScopeCode", "dataset");
    put_string(x, "gmd:hierarchyLevelName", "dataset");
    put_party(m, x, "gmd:contact", &m->catalog->portal.publisher, "pointOfContact");
    put(x, "gmd:dateStamp", "gco:Date", metadata_day(m, metadata_text(entry, "last_update")));
    put_string(x, "gmd:metadataStandardName", "SNI 8843-1:2019 Profil Metadata Spasial Indonesia (ISO 19115-1, ISO/TS 19139)");
    put_string(x, "gmd:metadataStandardVersion", "2019");
    put_locale(x);
    put_representation(x, schema, resource);
    put_reference_system(x);
    put_identification(m, x, entry);
    put_distribution(m, x, entry);
    put_quality(m, x, entry, schema);
    odp_buffer_add_str(x->out, "</gmd:MD_Metadata>\n");
}

enum odp_status metadata_iso19139(struct metadata *m, const json_t *entry)
{
    const json_t *resource = json_array_get(json_object_get(entry, "resources"), 0);
    struct odp_buffer out;
    json_t *schema;
    if (!json_is_true(json_object_get(resource, "geometry")) || json_array_size(json_object_get(entry, "bbox")) != 4)
        return ODP_OK;
    enum odp_status status = metadata_schema(m, entry, resource, &schema);
    odp_buffer_init(&out);
    struct xml x = {.out = &out, .depth = 0};
    if (status == ODP_OK) {
        put_metadata(m, &x, entry, schema);
        status = metadata_put(m, metadata_printf(m, METADATA_FOLDER "iso19139.xml", metadata_text(entry, "slug")), "application/xml", &out);
    }
    odp_buffer_release(&out);
    json_decref(schema);
    return status;
}
