import Application
import Base
import Domain
import Terminal

/// Carries out effects against the application and hands answers back as inputs. Holds no state of its own.
struct EffectRunner: Sendable {
    let services: any AppServices
    let commands: CommandRunner
    let prompts: Prompts
    let writer: ScreenWriter
    /// Bytes of a new vault.
    let capacity: Int64
    let answer: @Sendable (Answer) -> Void

    func run(_ effect: Effect) async {
        switch effect {
        case .checkReady:
            answer(.ready(await failure { () async throws(Failure) in try await services.readyToUnlock() }))
        case .unlock(let secret):
            answer(
                .unlocked(
                    await failure { () async throws(Failure) in
                        try await services.unlock(passcode: secret.shared.bytes.copy())
                    }))
        case .create(let secret, let weak): answer(.created(await create(secret, weak)))
        case .load(let load): await read(load)
        case .older(let chat, let before): await readOlder(chat, before)
        case .send(let text, let to, let plain):
            let failure = await failure { () async throws(Failure) in
                _ = try await services.send(try MessageBody(text), to: to, plain: plain)
            }
            answer(.sent(to, text: text, failure))
        case .retry(let id):
            answer(.retried(await failure { () async throws(Failure) in try await services.retry(id) }))
        case .markSeen(let chat):
            if await failure({ () async throws(Failure) in try await services.markSeen(chat) }) == nil {
                await read(.chats)
            }
        case .use(let name):
            answer(.used(await failure { () async throws(Failure) in _ = try await services.useProfile(name) }))
        case .connect:
            answer(.connected(await failure { () async throws(Failure) in try await services.connect() }))
        case .addAccount(let settings, let password):
            answer(
                .accountAdded(await failure { () async throws(Failure) in try await addAccount(settings, password) }))
        case .changeAccount(let name, let change, let password):
            let failure = await failure { () async throws(Failure) in
                _ = try await services.changeProfile(name, change, password: password?.shared)
            }
            answer(.accountChanged(failure))
        case .replaceAccount(let old, let settings, let password):
            let failure = await failure { () async throws(Failure) in
                _ = try await services.removeProfile(old)
                try await addAccount(settings, password)
            }
            answer(.accountAdded(failure))
        case .addContact(let jid):
            let failure = await failure { () async throws(Failure) in try await services.addContact(jid) }
            answer(.contactAdded(jid, failure))
        case .acceptContact(let jid):
            answer(
                .contactAccepted(
                    await failure { () async throws(Failure) in try await services.acceptContact(jid) }))
        case .command(let line):
            let tell = answer
            answer(.command(await commands.run(line) { tell(.progress(done: $0, of: $1)) }))
        case .search(let query):
            answer(
                .found(
                    query: query,
                    await result { () async throws(Failure) in try await services.search(query, limit: 60) }))
        case .giveSecret(let secret): await prompts.give(secret)
        case .giveWord(let isRight): await prompts.giveWord(isRight)
        case .bell: await writer.ring()
        case .lock(let end):
            // The screen first: what a person wants gone is gone before anything else takes time.
            if end == .panicked { await writer.leave(clears: true) }
            await prompts.give(nil)
            await prompts.giveWord(false)
            await services.lock()
            answer(.closed(end))
        case .redraw, .end: break
        }
    }

    private func addAccount(_ settings: ProfileSettings, _ password: Secret) async throws(Failure) {
        let added = try await services.addProfile(settings, password: password.shared.bytes.copy())
        if !added.isActive { _ = try await services.useProfile(settings.name) }
    }

    private func create(_ secret: Secret, _ weak: WeakPasscode) async -> Failure? {
        let tell = answer
        return await failure { () async throws(Failure) in
            try await services.createVault(passcode: secret.shared.bytes.copy(), weak: weak, capacity: capacity) {
                tell(.progress(done: $0, of: $1))
            }
        }
    }

    private func read(_ load: Load) async {
        switch load {
        case .profiles:
            answer(.profiles(await result { () async throws(Failure) in try await services.profiles() }))
        case .status: answer(.status(await result { () async throws(Failure) in try await services.status() }))
        case .chats: answer(.chats(await result { () async throws(Failure) in try await services.chats() }))
        case .contacts:
            answer(.contacts(await result { () async throws(Failure) in try await services.contacts() }))
        case .history(let chat, let limit):
            let page = await result { () async throws(Failure) in
                try await services.history(of: chat, before: nil, limit: limit)
            }
            answer(.history(chat, page, limit: limit))
        }
    }

    /// What is stored here first; the server's archive is asked only where that has come to its end.
    private func readOlder(_ chat: JID, _ before: MessageID) async {
        var mayHaveMore = true
        let page = await result { () async throws(Failure) -> [Message] in
            let stored = try await services.history(of: chat, before: before, limit: TimelineState.page)
            if !stored.isEmpty { return stored }
            do throws(Failure) { mayHaveMore = try await services.loadOlder(of: chat) } catch {
                // Offline there is no archive; what is here is what there is.
                guard error.code == .netOffline else { throw error }
                mayHaveMore = false
            }
            return try await services.history(of: chat, before: before, limit: TimelineState.page)
        }
        answer(.older(chat, page, mayHaveMore: mayHaveMore))
    }

    private func failure(_ body: () async throws(Failure) -> Void) async -> Failure? {
        do throws(Failure) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    private func result<Value>(_ body: () async throws(Failure) -> Value) async -> Result<Value, Failure> {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
}
