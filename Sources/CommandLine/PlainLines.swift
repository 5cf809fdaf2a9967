package import Application
import Terminal

/// Lines for a terminal that knows no UTF-8: ASCII, with readable counterparts for the rest.
package struct PlainLines: LineSink {
    private let lines: any LineSink

    package init(_ lines: any LineSink) { self.lines = lines }

    package func write(_ line: [UInt8]) async -> Bool {
        await lines.write(Array(GlyphSet.ascii.shown(String(decoding: line, as: UTF8.self)).utf8))
    }
}
