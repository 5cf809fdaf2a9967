import Application
import Base
import Domain
import Testing

@testable import ProfileStore

@Suite struct ChangeFeedTests {
    private func change(_ number: Int) throws -> StoreChange {
        .delivery(try #require(MessageID(text: "m\(number)")), .sent)
    }

    @Test("A consumer that lags is told so once, and then gets what comes after")
    func lagging() async throws {
        let feed = ChangeFeed()
        var stream = feed.stream().makeAsyncIterator()
        for number in 0..<ChangeFeed.chunkLimit { feed.send([try change(number)]) }
        feed.send([try change(1000)])
        feed.send([try change(1001)])
        #expect(await stream.next() == .lagged)
        feed.send([try change(1002)])
        #expect(await stream.next() == .changes([try change(1002)]))
        feed.close()
        #expect(await stream.next() == nil)
    }

    @Test("Up to the bound nothing is dropped")
    func withinBound() async throws {
        let feed = ChangeFeed()
        for number in 0..<ChangeFeed.chunkLimit { feed.send([try change(number)]) }
        feed.close()
        var found: [StoreChanges] = []
        for await changes in feed.stream() { found.append(changes) }
        #expect(found == (try (0..<ChangeFeed.chunkLimit).map { .changes([try change($0)]) }))
    }

    @Test("Texts count by their bytes")
    func bytes() async throws {
        let feed = ChangeFeed()
        let chat = try JID("ann@one.example")
        let message = Message(
            id: try #require(MessageID(text: "m")), chat: chat, from: chat, direction: .incoming,
            body: try MessageBody(String(repeating: "a", count: MessageBody.limit)), at: Timestamp(milliseconds: 0),
            delivery: nil, security: .plaintext)
        let fitting = ChangeFeed.byteLimit / MessageBody.limit
        for _ in 0..<(fitting / ChangeFeed.chunk) {
            feed.send(Array(repeating: .message(message), count: ChangeFeed.chunk))
        }
        feed.send([.message(message)])
        var stream = feed.stream().makeAsyncIterator()
        #expect(await stream.next() == .lagged)
    }

    @Test("A waiting consumer gets the next change at once")
    func waiting() async throws {
        let feed = ChangeFeed()
        let stream = feed.stream()
        async let first = { () async -> StoreChanges? in
            var iterator = stream.makeAsyncIterator()
            return await iterator.next()
        }()
        feed.send([try change(1)])
        #expect(await first == .changes([try change(1)]))
    }
}
