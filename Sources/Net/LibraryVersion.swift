internal import CAres

/// The version of c-ares, as it is loaded now.
package var aresVersion: String { String(cString: ares_version(nil)) }
