#include "unicodetext.h"

#include <unicode/uchar.h>
#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/usprep.h>
#include <unicode/ustring.h>

int32_t postern_utf16_from_utf8(const uint8_t *bytes, int32_t count, uint16_t *units, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t length = 0;
    u_strFromUTF8((UChar *)units, capacity, &length, (const char *)bytes, count, &status);
    return U_FAILURE(status) ? -1 : length;
}

int32_t postern_utf8_from_utf16(const uint16_t *units, int32_t count, uint8_t *bytes, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t length = 0;
    u_strToUTF8((char *)bytes, capacity, &length, (const UChar *)units, count, &status);
    return U_FAILURE(status) ? -1 : length;
}

int32_t postern_nfc(const uint16_t *units, int32_t count, uint16_t *out, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *form = unorm2_getNFCInstance(&status);
    if (U_FAILURE(status)) return -1;
    int32_t length = unorm2_normalize(form, (const UChar *)units, count, (UChar *)out, capacity, &status);
    return U_FAILURE(status) ? -1 : length;
}

int32_t postern_lower(const uint16_t *units, int32_t count, uint16_t *out, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t length = u_strToLower((UChar *)out, capacity, (const UChar *)units, count, "", &status);
    return U_FAILURE(status) ? -1 : length;
}

int32_t postern_width_mapping(uint32_t point, uint16_t *out, int32_t capacity) {
    int32_t type = u_getIntPropertyValue((UChar32)point, UCHAR_DECOMPOSITION_TYPE);
    if (type != U_DT_WIDE && type != U_DT_NARROW) return 0;
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *form = unorm2_getNFKCInstance(&status);
    if (U_FAILURE(status)) return -1;
    int32_t length = unorm2_getRawDecomposition(form, (UChar32)point, (UChar *)out, capacity, &status);
    if (U_FAILURE(status)) return -1;
    return length < 0 ? 0 : length;
}

int32_t postern_saslprep(const uint16_t *units, int32_t count, bool stored, uint16_t *out, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    UStringPrepProfile *profile = usprep_openByType(USPREP_RFC4013_SASLPREP, &status);
    if (U_FAILURE(status)) return -1;
    int32_t options = stored ? USPREP_DEFAULT : USPREP_ALLOW_UNASSIGNED;
    int32_t length =
        usprep_prepare(profile, (const UChar *)units, count, (UChar *)out, capacity, options, NULL, &status);
    usprep_close(profile);
    return U_FAILURE(status) ? -1 : length;
}

int32_t postern_domain(const uint8_t *name, int32_t count, bool ascii, uint8_t *out, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    UIDNA *idna = uidna_openUTS46(
        UIDNA_USE_STD3_RULES | UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_CHECK_CONTEXTO |
            UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE,
        &status);
    if (U_FAILURE(status)) return -1;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    int32_t length =
        ascii ? uidna_nameToASCII_UTF8(idna, (const char *)name, count, (char *)out, capacity, &info, &status)
              : uidna_nameToUnicodeUTF8(idna, (const char *)name, count, (char *)out, capacity, &info, &status);
    uidna_close(idna);
    return U_FAILURE(status) || info.errors != 0 ? -1 : length;
}

postern_category postern_category_of(uint32_t point) {
    uint32_t mask = U_MASK(u_charType((UChar32)point));
    if (mask & U_GC_CN_MASK) return POSTERN_UNASSIGNED;
    if (mask & U_GC_CC_MASK) return POSTERN_CONTROL;
    if (mask & (U_GC_LL_MASK | U_GC_LU_MASK | U_GC_LO_MASK | U_GC_ND_MASK | U_GC_LM_MASK | U_GC_MN_MASK | U_GC_MC_MASK))
        return POSTERN_LETTER_DIGIT;
    if (mask & U_GC_ZS_MASK) return POSTERN_SPACE;
    if (mask & (U_GC_LT_MASK | U_GC_NL_MASK | U_GC_NO_MASK | U_GC_ME_MASK | U_GC_S_MASK | U_GC_P_MASK))
        return POSTERN_SYMBOL;
    return POSTERN_OTHER_CATEGORY;
}

bool postern_has_compatibility_form(uint32_t point) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *form = unorm2_getNFKCInstance(&status);
    if (U_FAILURE(status)) return true;
    UChar units[2];
    int32_t count = 0;
    U16_APPEND_UNSAFE(units, count, (UChar32)point);
    bool is_normalized = unorm2_isNormalized(form, units, count, &status);
    return !is_normalized || U_FAILURE(status);
}

bool postern_is_old_jamo(uint32_t point) {
    int32_t type = u_getIntPropertyValue((UChar32)point, UCHAR_HANGUL_SYLLABLE_TYPE);
    return type == U_HST_LEADING_JAMO || type == U_HST_VOWEL_JAMO || type == U_HST_TRAILING_JAMO;
}

bool postern_is_default_ignorable(uint32_t point) {
    return u_hasBinaryProperty((UChar32)point, UCHAR_DEFAULT_IGNORABLE_CODE_POINT);
}

bool postern_is_virama(uint32_t point) { return u_getCombiningClass((UChar32)point) == 9; }

postern_script postern_script_of(uint32_t point) {
    UErrorCode status = U_ZERO_ERROR;
    switch (uscript_getScript((UChar32)point, &status)) {
    case USCRIPT_GREEK: return POSTERN_GREEK;
    case USCRIPT_HEBREW: return POSTERN_HEBREW;
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_HAN: return POSTERN_KANA_OR_HAN;
    default: return POSTERN_OTHER_SCRIPT;
    }
}

postern_joining postern_joining_of(uint32_t point) {
    switch (u_getIntPropertyValue((UChar32)point, UCHAR_JOINING_TYPE)) {
    case U_JT_TRANSPARENT: return POSTERN_JOINS_TRANSPARENTLY;
    case U_JT_LEFT_JOINING: return POSTERN_JOINS_LEFT;
    case U_JT_RIGHT_JOINING: return POSTERN_JOINS_RIGHT;
    case U_JT_DUAL_JOINING: return POSTERN_JOINS_BOTH;
    default: return POSTERN_JOINS_NOTHING;
    }
}

postern_bidi postern_bidi_of(uint32_t point) {
    switch (u_charDirection((UChar32)point)) {
    case U_LEFT_TO_RIGHT: return POSTERN_BIDI_L;
    case U_RIGHT_TO_LEFT: return POSTERN_BIDI_R;
    case U_RIGHT_TO_LEFT_ARABIC: return POSTERN_BIDI_AL;
    case U_ARABIC_NUMBER: return POSTERN_BIDI_AN;
    case U_EUROPEAN_NUMBER: return POSTERN_BIDI_EN;
    case U_DIR_NON_SPACING_MARK: return POSTERN_BIDI_NSM;
    case U_EUROPEAN_NUMBER_SEPARATOR:
    case U_EUROPEAN_NUMBER_TERMINATOR:
    case U_COMMON_NUMBER_SEPARATOR:
    case U_OTHER_NEUTRAL:
    case U_BOUNDARY_NEUTRAL: return POSTERN_BIDI_NEUTRAL;
    default: return POSTERN_BIDI_OTHER;
    }
}

const char *postern_icu_version(void) {
    static char text[U_MAX_VERSION_STRING_LENGTH];
    UVersionInfo version;
    u_getVersion(version);
    u_versionToString(version, text);
    return text;
}
