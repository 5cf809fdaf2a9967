import Application
import Base
import Domain
import Terminal
import Testing

@testable import TerminalUI

@Suite("The mouse")
struct MouseTests {
    @Test("A click opens the chat under it, and nothing where there is none")
    func mouse() throws {
        var desk = try Desk.open()
        let row = try #require(desk.row(of: "bob@example"))
        let click = MouseEvent(.press, .left, at: Point(column: 3, row: row + 1))
        #expect(desk.send(.mouse(click)).first == .load(.history(try JID("bob@example.org"), limit: 60)))
        let nowhere = MouseEvent(.press, .left, at: Point(column: 3, row: 20))
        #expect(desk.send(.mouse(nowhere)).isEmpty)
    }

    @Test("The wheel over the timeline scrolls it three rows a notch, over the list the list, and no further than both")
    func wheel() throws {
        var desk = try Desk.open()
        let messages = try (1...50).map {
            try Desk.message("\($0)", "anna@example.org", "number \($0).", minutesAgo: Int64(100 - $0))
        }
        try desk.show("anna@example.org", messages)
        let timeline = Point(column: 60, row: 10)
        let newest = try #require(desk.row(of: "number 50."))
        let older = try #require(desk.row(of: "number 45."))
        desk.send(.mouse(MouseEvent(.wheelUp, .other, at: timeline)))
        #expect(!desk.shows("number 50."))
        #expect(desk.row(of: "number 45.") == older + 3)
        desk.send(.mouse(MouseEvent(.wheelDown, .other, at: timeline)))
        #expect(desk.row(of: "number 50.") == newest)
        #expect(desk.send(.mouse(MouseEvent(.wheelDown, .other, at: timeline))).isEmpty)
        #expect(desk.row(of: "number 50.") == newest)

        let list = Point(column: 3, row: 5)
        desk.send(.mouse(MouseEvent(.wheelDown, .other, at: list)))
        #expect(desk.shows("See you there"), "a list that fits stays")
        let contacts = try (10...40).map {
            Contact(
                item: RosterItem(
                    jid: try JID("c\($0)@example.org"), name: "Contact \($0)", subscription: .both, isAsking: false),
                presence: .offline)
        }
        desk.send(.answer(.contacts(.success(contacts))))
        let first = try #require(desk.row(of: "See you there"))
        desk.send(.mouse(MouseEvent(.wheelDown, .other, at: list)))
        #expect(desk.row(of: "Old news") == first)
        for _ in 0..<100 { desk.send(.mouse(MouseEvent(.wheelDown, .other, at: list))) }
        #expect(desk.shows("Contact 40") && desk.shows("Contact 35"))
        for _ in 0..<100 { desk.send(.mouse(MouseEvent(.wheelUp, .other, at: list))) }
        #expect(desk.row(of: "See you there") == first)
        #expect(desk.row(of: "number 50.") == newest)
    }
}
