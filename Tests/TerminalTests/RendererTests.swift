import Support
import Testing

@testable import Terminal

@Suite("Frames")
struct RendererTests {
    private func surface(_ rows: [String], columns: Int = 12, style: Style = .standard) -> Surface {
        var surface = Surface(size: Size(columns: columns, rows: rows.count))
        for (row, text) in rows.enumerated() { surface.put(SafeText(text), at: Point(column: 0, row: row), style) }
        return surface
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("The first frame clears and draws, inside one synchronized update")
    func first() {
        var renderer = Renderer(depth: .none)
        let frame = text(renderer.frame(surface(["hi", ""])))
        #expect(frame == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1Hhi\u{1B}[?2026l")
    }

    @Test("The same again is no byte")
    func same() {
        var renderer = Renderer(depth: .none)
        _ = renderer.frame(surface(["hi 👩‍💻"]))
        #expect(renderer.frame(surface(["hi 👩‍💻"])).isEmpty)
    }

    @Test("One changed letter is one letter at its place")
    func minimal() {
        var renderer = Renderer(depth: .none)
        _ = renderer.frame(surface(["hello", "world"]))
        let frame = text(renderer.frame(surface(["hello", "worNd"])))
        #expect(frame == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[2;4H\u{1B}[0mN\u{1B}[?2026l")
    }

    @Test("The cursor alone can move")
    func cursor() {
        var renderer = Renderer(depth: .none)
        var next = surface(["hello"])
        _ = renderer.frame(next)
        next.cursor = Point(column: 2, row: 0)
        #expect(text(renderer.frame(next)) == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[1;3H\u{1B}[?25h\u{1B}[?2026l")
    }

    @Test("Another size draws everything anew")
    func resize() {
        var renderer = Renderer(depth: .none)
        _ = renderer.frame(surface(["hello"]))
        #expect(text(renderer.frame(surface(["hello"], columns: 20))).contains("\u{1B}[2J"))
    }

    @Test(
        "A style is sent in the colours there are",
        arguments: [
            (ColorDepth.none, "\u{1B}[0;1m"), (.sixteen, "\u{1B}[0;1;94;40m"),
            (.indexed, "\u{1B}[0;1;38;5;33;48;5;16m"),
            (.direct, "\u{1B}[0;1;38;2;36;143;245;48;2;0;0;0m"),
        ])
    func styles(_ depth: ColorDepth, _ expected: String) {
        var bytes: [UInt8] = []
        let style = Style(
            foreground: Color(red: 36, green: 143, blue: 245, ansi: 12),
            background: Color(red: 0, green: 0, blue: 0, ansi: 0), attributes: .bold)
        depth.append(style, to: &bytes)
        #expect(text(bytes) == expected)
    }

    @Test("Where there are no colours, reverse says the same")
    func monochrome() {
        var bytes: [UInt8] = []
        ColorDepth.none.append(Style(withoutColor: .reverse), to: &bytes)
        #expect(text(bytes) == "\u{1B}[0;7m")
    }

    @Test("Colours come from the environment")
    func depth() {
        func detect(_ variables: [String: String]) -> ColorDepth { ColorDepth.detect { variables[$0] } }
        #expect(detect(["TERM": "xterm-256color", "NO_COLOR": "1"]) == .none)
        #expect(detect(["TERM": "xterm-256color", "NO_COLOR": ""]) == .indexed)
        #expect(detect(["TERM": "xterm-256color", "COLORTERM": "truecolor"]) == .direct)
        #expect(detect(["TERM": "xterm"]) == .sixteen)
        #expect(detect(["TERM": "dumb"]) == .none)
        #expect(detect([:]) == .none)
        #expect(!ColorDepth.canAddress(term: "dumb"))
    }

    @Test("Whatever changes, a terminal shows the grid", arguments: 0..<40)
    func replay(_ seed: Int) {
        var generator = Sequence48(state: UInt64(seed) &* 7_919 &+ 1)
        let pieces = ["a", "漢", "é", " ", "👩‍💻", "─", "e\u{301}", "🇫🇷", "z"]
        let size = Size(columns: 17, rows: 4)
        var renderer = Renderer(depth: .none)
        var terminal = ScreenModel(columns: size.columns, rows: size.rows)
        for _ in 0..<12 {
            var next = Surface(size: size)
            for row in 0..<size.rows {
                let text = (0..<Int.random(in: 0..<14, using: &generator)).map { _ in
                    pieces[Int.random(in: 0..<pieces.count, using: &generator)]
                }
                let column = Int.random(in: -2..<8, using: &generator)
                next.put(SafeText(text.joined()), at: Point(column: column, row: row), .standard)
            }
            terminal.feed(renderer.frame(next))
            for row in 0..<size.rows { #expect(terminal.text(row: row) == next.text(row: row)) }
        }
    }
}

/// A small repeatable generator, so that a failure comes again.
struct Sequence48: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
