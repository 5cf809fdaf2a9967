internal import CUnicode

/// The version of ICU, as it is loaded now.
package var icuVersion: String { String(cString: postern_icu_version()) }
