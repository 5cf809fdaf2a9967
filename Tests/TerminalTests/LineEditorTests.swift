import Testing

@testable import Terminal

@Suite("Writing a line")
struct LineEditorTests {
    /// The text with "|" where the cursor stands.
    private func shown(_ editor: LineEditor) -> String {
        String(editor.text[..<editor.cursor]) + "|" + String(editor.text[editor.cursor...])
    }

    @Test("Keys insert, move and delete by cluster")
    func clusters() {
        var editor = LineEditor()
        editor.insert("a👩‍💻e\u{301}")
        editor.moveLeft()
        #expect(shown(editor) == "a👩‍💻|e\u{301}")
        editor.deleteBackward()
        #expect(shown(editor) == "a|e\u{301}")
        editor.deleteForward()
        #expect(shown(editor) == "a|")
        editor.deleteForward()
        editor.moveLeft()
        editor.moveLeft()
        editor.deleteBackward()
        #expect(shown(editor) == "|a")
    }

    @Test("Scalars typed one by one join into clusters, and the cursor follows")
    func joins() {
        var editor = LineEditor()
        for scalar in "👩‍💻e\u{301}🇫🇷".unicodeScalars { editor.insert(scalar) }
        #expect(editor.text.count == 3)
        #expect(editor.cursor == editor.text.endIndex)
        editor = LineEditor("\u{301}x")
        editor.moveToLineStart()
        editor.insert("e")
        #expect(shown(editor) == "e\u{301}|x")
    }

    @Test("Deleting what separated two flags leaves the cursor on an edge")
    func mergeByDeletion() {
        var editor = LineEditor("🇫x🇷")
        editor.moveLeft()
        editor.deleteBackward()
        #expect(editor.text == "🇫🇷")
        #expect(editor.cursor == editor.text.endIndex || editor.cursor == editor.text.startIndex)
        editor.deleteBackward()
        editor.insert("ok")
        #expect(editor.text.hasSuffix("ok"))
    }

    @Test("Words are crossed and deleted whole")
    func words() {
        var editor = LineEditor("one, two_2  drei")
        editor.moveWordLeft()
        #expect(shown(editor) == "one, two_2  |drei")
        editor.moveWordLeft()
        #expect(shown(editor) == "one, |two_2  drei")
        editor.moveWordRight()
        #expect(shown(editor) == "one, two_2|  drei")
        editor.deleteWordBackward()
        #expect(shown(editor) == "one, |  drei")
        editor.deleteToLineEnd()
        editor.deleteToLineStart()
        #expect(shown(editor) == "|")
    }

    @Test("Lines are walked up and down, keeping the column where there is one")
    func lines() {
        var editor = LineEditor("long line\nab\nthird")
        var isMoved = editor.moveUp()
        #expect(isMoved && shown(editor) == "long line\nab|\nthird")
        isMoved = editor.moveUp()
        #expect(isMoved && shown(editor) == "lo|ng line\nab\nthird")
        isMoved = editor.moveUp()
        #expect(!isMoved)
        isMoved = editor.moveDown()
        #expect(isMoved && shown(editor) == "long line\nab|\nthird")
        isMoved = editor.moveDown()
        #expect(isMoved && shown(editor) == "long line\nab\nth|ird")
        isMoved = editor.moveDown()
        #expect(!isMoved)
    }

    @Test("Text beyond the limit is dropped, never half a scalar")
    func limit() {
        var editor = LineEditor("", limit: 5)
        editor.insert("éé漢")
        #expect(editor.text == "éé")
        editor.insert("a")
        editor.insert("b")
        #expect(editor.text == "ééa")
    }

    @Test("A view shows the cursor's row among at most six")
    func view() {
        var editor = LineEditor((1...9).map { "line \($0)" }.joined(separator: "\n"))
        var view = EditorView(editor, columns: 20, limit: 6)
        #expect(view.rows.map(\.string) == (4...9).map { "line \($0)" })
        #expect(view.cursor == Point(column: 6, row: 5))
        for _ in 0..<8 { _ = editor.moveUp() }
        view = EditorView(editor, columns: 20, limit: 6)
        #expect(view.rows.first?.string == "line 1")
        #expect(view.cursor == Point(column: 6, row: 0))
        view = EditorView(LineEditor("abcdef"), columns: 4, limit: 6)
        #expect(view.rows.map(\.string) == ["abc", "def"])
        #expect(view.cursor == Point(column: 3, row: 1))
        view = EditorView(LineEditor("a\u{1B}[2J\u{202E}"), columns: 20, limit: 6)
        #expect(view.rows.map(\.string) == ["a␛[2J\u{FFFD}"])
    }

    @Test("History walks back and returns to the unfinished line")
    func history() {
        var history = EntryHistory(limit: 2)
        for line in ["one", "two", "two", "", "three"] { history.add(line) }
        #expect(history.older(than: "draft") == "three")
        #expect(history.older(than: "three") == "two")
        #expect(history.older(than: "two") == nil)
        #expect(history.newer() == "three")
        #expect(history.newer() == "draft")
        #expect(history.newer() == nil)
    }
}
