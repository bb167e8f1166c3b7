/* SPDX-License-Identifier: Apache-2.0
 * In place of xml_expat.c where the build leaves it out. */
#include "io/xml_parse.h"

bool clv_xml_present(void)
{
    return false;
}
const char *clv_part_expat(void)
{
    return "none";
}

bool clv_xml_parse(const clv_xml_events *events, const char *text, size_t size, clv_xml_fault *fault)
{
    (void)events, (void)text, (void)size;
    *fault =
        (clv_xml_fault){CLV_ERR_UNSUPPORTED, 1, 1, "this program was built without expat, which reads URDF and MJCF",
                        "install libexpat1-dev (Debian, Ubuntu) and build again"};
    return false;
}
