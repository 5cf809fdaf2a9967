import Testing

@testable import Terminal

@Suite("The grid")
struct SurfaceTests {
    private func grid(_ columns: Int, _ rows: Int = 1) -> Surface { Surface(size: Size(columns: columns, rows: rows)) }

    @Test("Text stands where it is put and is cut at the edge")
    func puts() {
        var surface = grid(8)
        #expect(surface.put("hello", at: Point(column: 2, row: 0), .standard) == 7)
        #expect(surface.text(row: 0) == "  hello ")
        surface.put("lon", at: Point(column: 5, row: 0), .standard)
        #expect(surface.text(row: 0) == "  hellon")
    }

    @Test("A wide cluster cut by an edge is a blank")
    func wideAtEdge() {
        var surface = grid(4)
        surface.put("a漢漢", at: Point(column: 0, row: 0), .standard)
        #expect(surface.text(row: 0) == "a漢 ")
        surface.put("漢b", at: Point(column: -1, row: 0), .standard)
        #expect(surface.text(row: 0) == " b  ")
    }

    @Test("Covering half of a wide cluster blanks the other half")
    func coverHalf() {
        var surface = grid(6)
        surface.put("漢漢漢", at: Point(column: 0, row: 0), .standard)
        surface.put("x", at: Point(column: 1, row: 0), .standard)
        #expect(surface.text(row: 0) == " x漢漢")
        surface.put("y", at: Point(column: 4, row: 0), .standard)
        #expect(surface.text(row: 0) == " x漢y ")
        surface.fill(Rect(column: 3, row: 0, columns: 1, rows: 1), .standard)
        #expect(surface.text(row: 0) == " x  y ")
    }

    @Test("A pane's text stays in its pane")
    func pane() {
        var surface = grid(10, 3)
        let pane = Rect(column: 3, row: 1, columns: 4, rows: 1)
        for row in -1...4 { surface.put("0123456789", at: Point(column: 0, row: row), .standard, in: pane) }
        #expect(
            (0..<3).map { surface.text(row: $0) } == [
                String(repeating: " ", count: 10), "   3456   ", String(repeating: " ", count: 10),
            ])
    }

    @Test("An empty screen and points outside it are harmless")
    func empty() {
        var surface = grid(0, 0)
        surface.put("x", at: Point(column: 0, row: 0), .standard)
        surface.fill(Rect(column: -5, row: -5, columns: 100, rows: 100), .standard)
        #expect(surface.text(row: 0) == "")
        #expect(surface.style(at: Point(column: 0, row: 0)) == nil)
    }

    @Test("Rectangles split without losing or sharing a cell")
    func splits() {
        let area = Rect(column: 2, row: 1, columns: 10, rows: 6)
        let (left, rest) = area.splitLeft(4)
        #expect(left == Rect(column: 2, row: 1, columns: 4, rows: 6))
        #expect(rest == Rect(column: 6, row: 1, columns: 6, rows: 6))
        let (bottom, above) = area.splitBottom(2)
        #expect(bottom == Rect(column: 2, row: 5, columns: 10, rows: 2))
        #expect(above == Rect(column: 2, row: 1, columns: 10, rows: 4))
        #expect(area.splitLeft(99).rest.isEmpty)
        #expect(area.inset(columns: 6).isEmpty)
        #expect(area.centered(columns: 4, rows: 2) == Rect(column: 5, row: 3, columns: 4, rows: 2))
    }
}
