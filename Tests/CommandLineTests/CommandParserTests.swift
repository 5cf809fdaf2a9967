import Base
import Domain
import Testing

@testable import CommandLine

@Suite("Commands")
struct CommandParserTests {
    private func parse(_ line: String) throws -> Command { try parseCommand(try shellWords(line)) }

    @Test("A message of 64 KiB is taken, one byte more is message.tooLarge")
    func messageSize() throws {
        let most = String(repeating: "m", count: 65_536)
        #expect(
            try parseCommand(["send", "bob@example.org", most])
                == .send(try JID("bob@example.org"), try MessageBody(most), plain: false))
        #expect(throws: Failure(.messageTooLarge)) { try parseCommand(["send", "bob@example.org", most + "m"]) }
    }

    @Test("Each command of the catalogue is known by its name")
    func catalogue() throws {
        for entry in commandCatalogue {
            do throws(Failure) {
                _ = try parseCommand(entry.name.split(separator: " ").map(String.init))
            } catch {
                // Words are missing, but the command itself is found.
                #expect(error.code != .commandUnknown, "\(entry.name)")
            }
        }
    }

    @Test("A profile takes every option of the contract")
    func profileAdd() throws {
        let command = try parse(
            "profile add Alice@Example.org --name work --host 127.0.0.1 --port 15220 --tls starttls --ca /tmp/ca "
                + "--proxy socks5://[::1]:9050 --plain --password-fd 5")
        var settings = ProfileSettings(name: try ProfileName("work"), jid: try JID("alice@example.org"), isPlain: true)
        settings.server = HostPort(host: "127.0.0.1", port: 15220)
        settings.tls = .startTLS
        settings.proxy = HostPort(host: "::1", port: 9050)
        #expect(
            command
                == .profileAdd(
                    Command.ProfileDraft(settings: settings, authorityPath: "/tmp/ca", passwordDescriptor: 5)))
    }

    @Test("An account is corrected by the options named, and by those alone")
    func profileSet() throws {
        let home = try ProfileName("home")
        var edit = Command.ProfileEdit(change: ProfileChange())
        edit.change.name = try ProfileName("work")
        edit.change.server = .set(HostPort(host: "chat.example", port: 443))
        edit.change.tls = .set(.direct)
        edit.change.proxy = .set(HostPort(host: "::1", port: 9050))
        edit.change.isPlain = true
        edit.authorityPath = "/tmp/ca"
        edit.hasPassword = true
        edit.passwordDescriptor = 5
        #expect(
            try parse(
                "profile set home --name work --host chat.example --port 443 --tls direct --ca /tmp/ca "
                    + "--proxy socks5://[::1]:9050 --plain --password-fd 5") == .profileSet(home, edit))
        edit = Command.ProfileEdit(change: ProfileChange())
        edit.change.server = .cleared
        edit.change.tls = .cleared
        edit.change.authorities = .cleared
        edit.change.proxy = .cleared
        edit.change.isPlain = false
        #expect(
            try parse("profile set home --no-host --tls auto --no-ca --no-proxy --no-plain") == .profileSet(home, edit))
        edit = Command.ProfileEdit(change: ProfileChange())
        edit.hasPassword = true
        #expect(try parse("profile set home --password") == .profileSet(home, edit))
        edit = Command.ProfileEdit(change: ProfileChange())
        edit.change.port = 5223
        #expect(try parse("profile set home --port 5223") == .profileSet(home, edit))
    }

    @Test(
        "A correction that says nothing, or two things at once, is a usage error",
        arguments: [
            "profile set home", "profile set", "profile set home --host h --no-host",
            "profile set home --port 1 --no-host",
            "profile set home --ca f --no-ca", "profile set home --proxy socks5://h:1 --no-proxy",
            "profile set home --plain --no-plain", "profile set home --tls never", "profile add a@b.example --no-plain",
        ])
    func profileSetRefused(line: String) {
        #expect(throws: Failure(.commandUsage)) { try parse(line) }
    }

    @Test(
        "A server is a name or a literal, with or without a port",
        arguments: [
            ("chat.example", "chat.example", nil), ("chat.example:5222", "chat.example", 5222),
            ("[::1]:5223", "::1", 5223), ("[::1]", "::1", nil), ("10.0.0.1:1", "10.0.0.1", 1),
        ] as [(String, String, UInt16?)])
    func server(text: String, host: String, port: UInt16?) throws {
        let server = try #require(HostPort(text: text))
        #expect(server == HostPort(host: host, port: port))
        #expect(server.text == text)
    }

    @Test(
        "What is no server is none",
        arguments: ["", ":5222", "a:0", "a:65536", "a:b", "::1", "a b", "u@h:1", "h/x", "[]"])
    func noServer(text: String) {
        #expect(HostPort(text: text) == nil)
    }

    @Test("Text after an address is one message, joined by spaces")
    func send() throws {
        let to = try JID("bob@example.org")
        #expect(try parse("send bob@example.org 'a  b' c --plain") == .send(to, try MessageBody("a  b c"), plain: true))
        #expect(try parse("send bob@example.org -- --plain") == .send(to, try MessageBody("--plain"), plain: false))
    }

    @Test(
        "Wrong words are told apart by their code",
        arguments: [
            ("frobnicate", .commandUnknown),
            ("profile", .commandUsage),
            ("profile add", .commandUsage),
            ("profile add nobody", .jidInvalid),
            ("profile add a@b/c", .jidInvalid),
            ("profile add a@b --port 0", .commandUsage),
            ("profile add a@b --port 65536", .commandUsage),
            ("profile add a@b --tls none", .commandUsage),
            ("profile add a@b --proxy http://x:1", .commandUsage),
            ("profile add a@b --proxy socks5://:1", .commandUsage),
            ("profile add a@b --proxy socks5:", .commandUsage),
            ("profile add a@b --host", .commandUsage),
            ("profile add a@b --name 'a b'", .profileNameInvalid),
            ("send a@b", .messageEmpty),
            ("send a@b '   '", .messageEmpty),
            ("send a@@b x", .jidInvalid),
            ("history a@b --limit 0", .commandUsage),
            ("history a@b --limit x", .commandUsage),
            ("connect now", .commandUsage),
            ("vault grow 12X --yes", .commandUsage),
            ("duress", .commandUsage),
            ("duress maybe --yes", .commandUsage),
            ("duress off --passcode-fd 3", .commandUsage),
            ("wait", .commandUsage),
            ("wait message nonsense", .commandUsage),
            ("lock --now", .commandUsage),
        ] as [(String, ErrorCode)])
    func refuses(line: String, code: ErrorCode) {
        #expect(throws: Failure(code)) { try parse(line) }
    }

    @Test("A destructive command without --yes is parsed as unconfirmed")
    func confirmation() throws {
        #expect(try parse("profile remove work") == .profileRemove(try ProfileName("work"), confirmed: false))
        #expect(try parse("space add") == .spaceAdd(Command.SecretOptions(), confirmed: false))
        #expect(
            try parse("duress on --yes --passcode-fd 3")
                == .duressOn(Command.SecretOptions(descriptor: 3), confirmed: true))
        #expect(try parse("duress on") == .duressOn(Command.SecretOptions(), confirmed: false))
        #expect(try parse("duress off") == .duressOff(confirmed: false))
        #expect(try parse("duress off --yes") == .duressOff(confirmed: true))
        #expect(try parse("vault grow 512M --yes") == .vaultGrow(.to(512 << 20), confirmed: true))
        #expect(try parse("vault grow +1g --yes") == .vaultGrow(.by(1 << 30), confirmed: true))
    }

    @Test(
        "A size has a number and a binary unit",
        arguments: [
            ("1", 1), ("64K", 65_536), ("2MiB", 2 << 20), ("3gb", 3 << 30), ("0", 0), ("", nil), ("M", nil),
            ("-1M", nil), ("1T", nil), ("9999999999G", 1 << 40), ("99999999999999999999", 1 << 40), ("1.5G", nil),
        ] as [(String, Int64?)])
    func sizes(text: String, bytes: Int64?) {
        #expect(byteSize(text) == bytes)
    }
}

@Suite("Invocation")
struct InvocationTests {
    @Test(
        "Arguments name an action",
        arguments: [
            ([], .session),
            (["init"], .initialize(capacity: 256 << 20, allowsWeak: false)),
            (
                ["--vault", "/v", "init", "--capacity", "64M", "--allow-weak"],
                .initialize(capacity: 64 << 20, allowsWeak: true)
            ),
            (["shell"], .shell(json: false)),
            (["shell", "--json", "--passcode-fd", "3"], .shell(json: true)),
            (["help", "profile", "add"], .help("profile add")),
            (["--version"], .version),
        ] as [([String], Invocation.Action)])
    func actions(arguments: [String], action: Invocation.Action) throws {
        #expect(try Invocation(arguments).action == action)
    }

    @Test(
        "Anything else is a usage error",
        arguments: [
            ["shell", "now"], ["--json"], ["init", "--json"], ["shell", "--capacity", "1M"], ["--vault"], ["--vault="],
            ["shell", "--passcode-fd", "x"], ["shell", "--passcode-fd", "-1"], ["init", "--capacity", "huge"],
            ["shell", "--json", "--json"],
        ])
    func refuses(arguments: [String]) {
        #expect(throws: Failure(.commandUsage)) { try Invocation(arguments) }
    }

    @Test(
        "A capacity that no vault has is refused with the limits",
        arguments: ["0", "1M", "63M", "12289M", "99999999999999999999G"])
    func capacity(text: String) {
        let refused = Failure(.vaultCapacity, detail: .capacity(least: 64 << 20, most: 12 << 30))
        #expect(throws: refused) { try Invocation(["init", "--capacity", text]) }
        #expect(refused.text == "A vault cannot have that size. From 64 MiB to 12 GiB is possible.")
    }

    @Test("Minutes until the lock are taken by the sessions alone")
    func idle() throws {
        #expect(try Invocation([]).idleMinutes == nil)
        #expect(try Invocation(["--idle", "0"]).idleMinutes == 0)
        #expect(try Invocation(["shell", "--idle", "90"]).idleMinutes == 90)
        for arguments in [
            ["init", "--idle", "5"], ["--idle", "-1"], ["--idle", "1441"], ["shell", "--idle", "soon"],
        ] {
            #expect(throws: Failure(.commandUsage)) { try Invocation(arguments) }
        }
    }

    @Test("An unknown command is named as such")
    func unknown() {
        #expect(throws: Failure(.commandUnknown)) { try Invocation(["frobnicate"]) }
    }

    @Test("The passcode itself is never an argument")
    func noSecretArgument() {
        #expect(throws: Failure(.commandUsage)) { try Invocation(["shell", "--passcode", "secret"]) }
    }
}
