import Application
package import Base
internal import CPlatform
import Glibc
import Synchronization

/// The child's end of the socket to its parent: it asks for files there, and hears that it is to lock.
package final class ParentChannel: FileOpening {
    /// An element for each time that something outside wants the session locked: the desktop's lock, a sleep. For one
    /// reader; what comes before one listens is kept, once.
    package let lockRequests: AsyncStream<Void>

    private struct State {
        /// In the order of the requests, which is the order of the answers. Each caller waits for its own.
        var waiting: [CheckedContinuation<Answer, Never>] = []
        var hasEnded = false
    }

    private enum Answer {
        /// Owned by whoever gets it.
        case file(Int32)
        case refused(ErrorCode)
    }

    /// Never waiting: the listening thread needs the same lock, and the parent would wait for it.
    private static let sending = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

    private let socket: Int32
    private let wantsLock: AsyncStream<Void>.Continuation
    private let didEnd: @Sendable () -> Void
    private let state = Mutex(State())

    /// Listens on a thread of its own until the parent has closed its end. Throws `internal.fault`.
    /// - Parameters:
    ///   - socket: a sequenced-packet socket; kept for the life of the process.
    ///   - didEnd: the parent is gone; called on that thread.
    package init(socket: Int32, didEnd: @escaping @Sendable () -> Void) throws(Failure) {
        self.socket = socket
        self.didEnd = didEnd
        (lockRequests, wantsLock) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let context = Unmanaged.passRetained(self)
        let failure = postern_thread_start(
            "parent",
            { context in
                if let context { Unmanaged<ParentChannel>.fromOpaque(context).takeRetainedValue().listen() }
                return nil
            }, context.toOpaque())
        guard failure == 0 else {
            context.release()
            throw Failure(.internalFault)
        }
    }

    package func read(path: String, limit: Int) async throws(Failure) -> [UInt8] {
        guard (1...ChannelPacket.longestPath).contains(path.utf8.count) else { throw Failure(.fileUnreadable) }
        switch await ask([ChannelPacket.authorities.rawValue] + Array(path.utf8)) {
        case .refused(let code): throw Failure(code)
        case .file(let descriptor):
            defer { close(descriptor) }
            guard let bytes = readWhole(descriptor, limit: limit) else { throw Failure(.fileUnreadable) }
            return bytes
        }
    }

    /// A copy of the resolver's configuration as it is now, for the caller to close; nil where there is none.
    package func resolverConfiguration() async -> Int32? {
        if case .file(let descriptor) = await ask([ChannelPacket.resolver.rawValue]) { descriptor } else { nil }
    }

    private func ask(_ request: [UInt8]) async -> Answer {
        await withCheckedContinuation { continuation in
            let isAsked = state.withLock { state in
                guard !state.hasEnded, send(socket, request, request.count, Self.sending) == request.count else {
                    return false
                }
                state.waiting.append(continuation)
                return true
            }
            if !isAsked { continuation.resume(returning: .refused(.fileUnreadable)) }
        }
    }

    private func listen() {
        var kind: UInt8 = 0
        var descriptor: Int32 = -1
        while postern_receive_descriptor(socket, &kind, &descriptor) == 0 {
            switch ChannelPacket(rawValue: kind) {
            case .lock: wantsLock.yield()
            case .file where descriptor >= 0: answer(.file(descriptor))
            case .noAuthorities: answer(.refused(.tlsAuthorityFile))
            default: answer(.refused(.fileUnreadable))
            }
        }
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: .refused(.fileUnreadable)) }
        wantsLock.finish()
        didEnd()
    }

    private func answer(_ answer: Answer) {
        let continuation = state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
        if let continuation {
            continuation.resume(returning: answer)
        } else if case .file(let descriptor) = answer {
            close(descriptor)
        }
    }
}

/// The first byte of a packet between parent and child (Docs/ARCHITECTURE.md).
enum ChannelPacket: UInt8 {
    /// To the parent: a file of certificate authorities, whose path follows.
    case authorities = 0x61
    /// To the parent: the resolver's configuration.
    case resolver = 0x72
    /// To the child: the file, with its descriptor.
    case file = 0x2B
    /// To the child: there is no such file, or it is none to be read.
    case unreadable = 0x2D
    /// To the child: no certificate in it, or more than certificates.
    case noAuthorities = 0x6E
    /// To the child: lock now.
    case lock = 0x6C

    /// Bytes of a path at most (PATH_MAX).
    static let longestPath = 4096
}
