/// What the program needs of ICU, without ICU's own headers: ICU renames every function with its version, and its
/// types clash with the copy that Foundation brings along. Lengths are in UTF-16 units or bytes; a negative result
/// is an error or no room.
#pragma once
#include <stdbool.h>
#include <stdint.h>

int32_t postern_utf16_from_utf8(const uint8_t *bytes, int32_t count, uint16_t *units, int32_t capacity);
int32_t postern_utf8_from_utf16(const uint16_t *units, int32_t count, uint8_t *bytes, int32_t capacity);
/// Normalisation form C.
int32_t postern_nfc(const uint16_t *units, int32_t count, uint16_t *out, int32_t capacity);
/// Lower case of no particular language.
int32_t postern_lower(const uint16_t *units, int32_t count, uint16_t *out, int32_t capacity);
/// The decomposition of a fullwidth or halfwidth code point; 0 where it is neither.
int32_t postern_width_mapping(uint32_t point, uint16_t *out, int32_t capacity);
/// RFC 4013. `stored` refuses code points that Unicode 3.2 has not assigned.
int32_t postern_saslprep(const uint16_t *units, int32_t count, bool stored, uint16_t *out, int32_t capacity);
/// A domain name by UTS 46, non-transitional, with the checks of IDNA2008; to A-labels or to U-labels.
int32_t postern_domain(const uint8_t *name, int32_t count, bool ascii, uint8_t *out, int32_t capacity);

/// General categories as RFC 8264, section 9 groups them.
typedef enum {
    POSTERN_UNASSIGNED,
    POSTERN_CONTROL,
    /// Ll, Lu, Lo, Nd, Lm, Mn, Mc
    POSTERN_LETTER_DIGIT,
    /// Zs
    POSTERN_SPACE,
    /// Lt, Nl, No, Me, symbols, punctuation
    POSTERN_SYMBOL,
    POSTERN_OTHER_CATEGORY
} postern_category;
postern_category postern_category_of(uint32_t point);

/// Whether NFKC changes the code point.
bool postern_has_compatibility_form(uint32_t point);
bool postern_is_old_jamo(uint32_t point);
bool postern_is_default_ignorable(uint32_t point);
bool postern_is_virama(uint32_t point);

typedef enum {
    POSTERN_GREEK,
    POSTERN_HEBREW,
    /// Hiragana, Katakana, Han
    POSTERN_KANA_OR_HAN,
    POSTERN_OTHER_SCRIPT
} postern_script;
postern_script postern_script_of(uint32_t point);

typedef enum {
    POSTERN_JOINS_NOTHING,
    POSTERN_JOINS_TRANSPARENTLY,
    POSTERN_JOINS_LEFT,
    POSTERN_JOINS_RIGHT,
    POSTERN_JOINS_BOTH
} postern_joining;
postern_joining postern_joining_of(uint32_t point);

/// Bidirectional classes as RFC 5893 names them.
typedef enum {
    POSTERN_BIDI_L,
    POSTERN_BIDI_R,
    POSTERN_BIDI_AL,
    POSTERN_BIDI_AN,
    POSTERN_BIDI_EN,
    POSTERN_BIDI_NSM,
    /// ES, CS, ET, ON, BN
    POSTERN_BIDI_NEUTRAL,
    POSTERN_BIDI_OTHER
} postern_bidi;
postern_bidi postern_bidi_of(uint32_t point);

/// ICU's version, as it is loaded now, for instance "72.1". Stays ICU's.
const char *postern_icu_version(void);
