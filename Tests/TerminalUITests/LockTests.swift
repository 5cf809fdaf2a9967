import Base
import Terminal
import Testing

@testable import TerminalUI

/// A secret of these bytes.
func secret(_ text: String) -> Secret {
    var bytes = SecretBytes(count: text.utf8.count)
    bytes.withUnsafeMutableBytes { $0.copyBytes(from: text.utf8) }
    return Secret(shared: SharedSecret(bytes))
}

@Suite("The passcode prompt")
struct LockTests {
    @Test("It asks once the vault is ready, and nothing typed shows")
    func asks() {
        var desk = Desk()
        #expect(desk.model.firstEffects == [.checkReady])
        #expect(desk.shows("One moment…"))
        desk.send(.answer(.ready(nil)))
        #expect(desk.shows("Passcode ›"))
        let before = desk.rows
        desk.type("open sesame")
        #expect(desk.rows == before)
    }

    @Test("From the first moment on bytes belong to the passcode")
    func secretFromTheStart() {
        var desk = Desk()
        #expect(desk.model.wantsSecret)
        desk.send(.answer(.ready(nil)))
        #expect(desk.model.wantsSecret)
        desk.send(.secret(secret("x")))
        #expect(desk.model.wantsSecret)
    }

    @Test("A passcode is tried once; what is typed meanwhile is no attempt")
    func triesOnce() {
        var desk = Desk()
        let early = secret("early")
        #expect(desk.send(.secret(early)).isEmpty)
        desk.send(.answer(.ready(nil)))
        let first = secret("first")
        #expect(desk.send(.secret(first)) == [.unlock(first)])
        #expect(desk.shows("Opening…"))
        #expect(desk.send(.secret(secret("second"))).isEmpty)
    }

    @Test("An empty passcode is no attempt")
    func empty() {
        var desk = Desk()
        desk.send(.answer(.ready(nil)))
        #expect(desk.send(.secret(secret(""))).isEmpty)
        #expect(desk.shows("Passcode ›"))
    }

    @Test("A wrong passcode is answered calmly and asked for again")
    func wrong() {
        var desk = Desk()
        desk.send(.answer(.ready(nil)))
        desk.send(.secret(secret("wrong")))
        #expect(desk.send(.answer(.unlocked(Failure(.unlockInvalid)))) == [.checkReady])
        desk.send(.answer(.ready(nil)))
        #expect(desk.shows("That passcode opens nothing here."))
        #expect(desk.shows("Passcode ›"))
    }

    @Test("A delay counts down and then asks again")
    func delay() {
        var desk = Desk()
        desk.send(.answer(.ready(Failure(.unlockDelayed, retryAfterMilliseconds: 4_200))))
        #expect(desk.shows("Next one in 5 s"))
        #expect(desk.send(.secret(secret("x"))).isEmpty)
        desk.pass(seconds: 3)
        #expect(desk.shows("Next one in 2 s"))
        desk.pass(seconds: 2)
        #expect(desk.effects == [.checkReady])
    }

    @Test("After a delay the answer to an earlier attempt is gone: it is none to what was typed meanwhile")
    func delayForgets() {
        var desk = Desk()
        desk.send(.answer(.ready(nil)))
        desk.send(.secret(secret("wrong")))
        desk.send(.answer(.unlocked(Failure(.unlockInvalid))))
        desk.send(.answer(.ready(Failure(.unlockDelayed, retryAfterMilliseconds: 2_000))))
        #expect(desk.shows("That passcode opens nothing here."))
        desk.pass(seconds: 3)
        desk.send(.answer(.ready(nil)))
        #expect(desk.shows("Passcode ›"))
        #expect(!desk.shows("That passcode opens nothing here."))
    }

    @Test("A damaged vault is told, and only leaving remains")
    func damaged() {
        var desk = Desk()
        desk.send(.answer(.ready(Failure(.vaultDamaged))))
        #expect(desk.shows("damaged"))
        #expect(!desk.shows("Passcode"))
        #expect(!desk.model.wantsSecret)
        #expect(desk.press(.control("c")) == [.end(.failed(Failure(.vaultDamaged)))])
    }

    @Test("Ctrl-C leaves, the panic key clears")
    func leaves() {
        var desk = Desk()
        desk.send(.answer(.ready(nil)))
        #expect(desk.send(.secretEnded(.cancelled)) == [.end(.quit)])
        #expect(desk.send(.secretEnded(.panic)) == [.end(.panicked)])
    }

    @Test("Whoever wants a lock gets the end of this process at the prompt too, also while a passcode is tried")
    func lockWanted() {
        var desk = Desk()
        #expect(desk.send(.lockWanted) == [.end(.locked)])
        desk = Desk()
        desk.send(.answer(.unlocked(nil)))
        #expect(desk.send(.lockWanted) == [.lock(.locked)])
        #expect(desk.send(.lockWanted) == [])
    }

    @Test("What does not hold on this machine stands on the status line")
    func caution() {
        var desk = Desk(caution: "no Landlock")
        desk.send(.answer(.unlocked(nil)))
        desk.press(.escape)
        #expect(desk.rows.last?.contains("no Landlock") == true)
    }

    @Test("Opening shows the session and loads it; nothing connects by itself")
    func opens() {
        var desk = Desk()
        desk.send(.answer(.ready(nil)))
        desk.send(.secret(secret("right")))
        let effects = desk.send(.answer(.unlocked(nil)))
        #expect(effects == [.redraw] + SessionState.loadAll)
        #expect(desk.shows("Chats"))
        #expect(!desk.model.wantsSecret)
    }
}

@Suite("Making a vault")
struct CreateTests {
    @Test("The passcode is asked for twice, then the vault is filled")
    func twice() {
        var desk = Desk(creates: true)
        #expect(desk.model.firstEffects.isEmpty && desk.model.wantsSecret)
        #expect(desk.shows("Choose a passcode") && desk.shows("New passcode ›"))
        let first = secret("five random words")
        #expect(desk.send(.secret(first)).isEmpty)
        #expect(desk.shows("The same once more ›"))
        #expect(desk.send(.secret(secret("five random words"))) == [.create(first, .refused)])
        desk.send(.answer(.progress(done: 64, of: 256)))
        #expect(desk.shows("25 %"))
        #expect(desk.send(.answer(.created(nil))) == [.end(.created)])
    }

    @Test("Two that differ begin again, and nothing is made")
    func differs() {
        var desk = Desk(creates: true)
        desk.send(.secret(secret("one")))
        #expect(desk.send(.secret(secret("two"))).isEmpty)
        #expect(desk.shows("not the same") && desk.shows("New passcode ›"))
    }

    @Test("A weak passcode is refused with the reason, and taken only knowingly")
    func weak() {
        var desk = Desk(creates: true)
        let chosen = secret("password")
        desk.send(.secret(chosen))
        desk.send(.secret(secret("password")))
        let failure = Failure(.passcodeWeak, detail: .guessable(hours: 7, weakness: .word))
        desk.send(.answer(.created(failure)))
        #expect(desk.shows("about 7 hours on one") && desk.shows("common words"))
        #expect(!desk.model.wantsSecret)
        #expect(desk.press(KeyPress.character("w")) == [.create(chosen, .allowed)])
        desk.send(.answer(.created(failure)))
        desk.press(.enter)
        #expect(desk.shows("New passcode ›"))
    }

    @Test("A full disk is told, and ends it")
    func fullDisk() {
        var desk = Desk(creates: true)
        desk.send(.secret(secret("a b c d e")))
        desk.send(.secret(secret("a b c d e")))
        desk.send(.answer(.created(Failure(.storageDiskFull))))
        #expect(desk.shows("disk is full"))
        #expect(desk.press(.enter) == [.end(.failed(Failure(.storageDiskFull)))])
    }
}
