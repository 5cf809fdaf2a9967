import Base
import Glibc
import Testing

@testable import SQLCipherKit

@Suite struct ExecutorTests {
    @Test func `An actor on it runs on one thread, which is not the caller's`() async throws {
        let owner = try Owner()
        let other = try Owner()
        let threads = await [owner.thread(), owner.thread(), other.thread()]
        #expect(threads[0] == threads[1])
        #expect(threads[0] != threads[2])
        #expect(!owner.isOnItsThread)
        #expect(await owner.isOnItsThreadInside())
    }

    @Test func `Jobs that were given in order run in order, and all of them`() async throws {
        let owner = try Owner()
        for number in 0..<500 { await owner.note(number) }
        await withTaskGroup(of: Void.self) { group in
            for number in 500..<1000 { group.addTask { await owner.note(number) } }
        }
        let noted = await owner.noted
        #expect(Array(noted.prefix(500)) == Array(0..<500))
        #expect(noted.sorted() == Array(0..<1000))
    }

    @Test(arguments: [
        (13, true, ErrorCode.storageDiskFull), (13, false, .storageFull), (8, false, .storageReadOnly),
        (26, false, .storageDamaged), (11, false, .storageDamaged), (11 | 1 << 8, false, .storageDamaged),
        (10 | 3 << 8, false, .storageFailed), (5, false, .storageFailed), (19, false, .storageFailed),
    ])
    func `SQLite's numbers become stable codes`(result: Int, diskIsFull: Bool, code: ErrorCode) {
        let error = StorageError(result: Int32(result), diskIsFull: diskIsFull)
        #expect(error.code == code)
        #expect("\(error)" == code.rawValue)
    }
}

private actor Owner {
    private let executor: DatabaseExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var noted: [Int] = []
    init() throws { executor = try DatabaseExecutor() }

    nonisolated var isOnItsThread: Bool { executor.isIsolatingCurrentContext() ?? true }
    func isOnItsThreadInside() -> Bool { isOnItsThread }
    func thread() -> UInt { UInt(pthread_self()) }
    func note(_ number: Int) { noted.append(number) }
}
