internal import CUTF8Proc

/// The version of libutf8proc, as it is loaded now.
package var utf8procVersion: String { String(cString: utf8proc_version()) }
