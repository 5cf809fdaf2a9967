#pragma once
#include <libxml/parser.h>
#include <libxml/SAX2.h>
#include <libxml/xmlerror.h>

// In some releases a macro.
static inline const char *postern_xml_version(void) { return xmlParserVersion; }
