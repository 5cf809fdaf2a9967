internal import CLibXML2

/// The version of libxml2, as it is loaded now: "2.9.14" of "20914".
package var xmlVersion: String {
    xmlInitParser()
    guard let text = postern_xml_version(), let number = Int(String(cString: text).prefix(while: \.isNumber)) else {
        return "unknown"
    }
    return "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
}
