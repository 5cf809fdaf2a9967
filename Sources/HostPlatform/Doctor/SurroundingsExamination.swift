import Application
internal import CPlatform
import Glibc
import Terminal

/// The vault's file and folder, the terminal and the clock.
struct SurroundingsExamination {
    /// Where the vault is or would be; nil where the environment does not tell.
    let vault: String?
    let environment: (String) -> String?

    var findings: [Finding] { [files, fileSystem, terminal, clock].compactMap { $0 } }

    private var files: Finding {
        guard let vault else {
            return Finding(
                .files, .warn, "no place for the vault: neither XDG_DATA_HOME nor HOME is set",
                advice: "set HOME, or use --vault PATH")
        }
        var status = stat()
        guard lstat(vault, &status) == 0 else {
            return errno == ENOENT || errno == ENOTDIR
                ? Finding(.files, .note, "there is no vault yet", advice: "postern makes one")
                : Finding(.files, .warn, "the vault cannot be looked at", advice: "look at the rights of its folders")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return Finding(
                .files, .warn, "what stands in the vault's place is no regular file",
                advice: "name another with --vault PATH")
        }
        guard status.st_uid == geteuid() else {
            return Finding(.files, .warn, "the vault is somebody else's file", advice: "run Postern as its owner")
        }
        var folder = stat()
        let readable = stat(HeldVault.folder(of: vault), &folder) == 0 && folder.st_mode & 0o077 != 0
        if status.st_mode & 0o077 != 0 {
            return Finding(
                .files, .warn, "other users may open the vault file", advice: "chmod 600 the file, chmod 700 its folder"
            )
        }
        if readable {
            return Finding(
                .files, .note, "other users can see the vault's folder, not open the file",
                advice: "chmod 700 the folder")
        }
        return Finding(.files, .ok, "the vault and its folder are yours alone")
    }

    /// Of the vault, or of the nearest folder above that is there.
    private var fileSystem: Finding? {
        guard var place = vault else { return nil }
        while true {
            // Opening alone leaves no trace in the file's times.
            let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
            if descriptor >= 0 {
                defer { close(descriptor) }
                return Self.fileSystem(VaultFileSystem(descriptor: descriptor))
            }
            guard errno == ENOENT, place != "/", place != "." else { return nil }
            place = HeldVault.folder(of: place)
        }
    }

    static func fileSystem(_ kind: VaultFileSystem) -> Finding {
        let reason =
            switch kind {
            case .inPlace: nil as String?
            case .cloned: "a clone of the vault shares its place on the disk"
            case .copyOnWrite: "this file system can keep earlier states of the vault"
            case .layered: "this is a layered file system, which can keep an earlier state of the vault"
            case .memory: "the vault is in memory only: it is gone when the machine stops"
            case .network: "another machine stores the vault, and can keep earlier states of it"
            case .fuse: "a program serves this file system, and can keep earlier states of the vault"
            case .unknown: "this file system is not known here; it may keep earlier states of the vault"
            }
        guard let reason else {
            return Finding(.fileSystem, .ok, "the file system writes the vault in place and keeps no earlier states")
        }
        return Finding(
            .fileSystem, .warn, reason,
            advice: "keep the vault on ext4 or XFS, outside snapshots and synchronised folders")
    }

    private var terminal: Finding {
        guard isatty(STDOUT_FILENO) == 1 else {
            return Finding(.terminal, .note, "no terminal here: only shell works, with --passcode-fd")
        }
        let term = environment("TERM")
        guard ColorDepth.canAddress(term: term) else {
            return Finding(
                .terminal, .note, "the full screen cannot be shown on this terminal",
                advice: "set TERM, or use: postern shell")
        }
        guard GlyphSet.detect(environment) == .unicode else {
            return Finding(
                .terminal, .warn, "the locale is not UTF-8: only ASCII is shown", advice: "set LC_ALL=C.UTF-8")
        }
        if environment("TMUX") != nil || environment("STY") != nil {
            return Finding(
                .terminal, .note,
                "inside tmux or screen: it keeps what \"postern shell\" prints; of the full screen nothing stays",
                advice: "after a shell session: tmux clear-history")
        }
        return Finding(.terminal, .ok, "UTF-8, \(Self.name(ColorDepth.detect(environment)))")
    }

    private static func name(_ colors: ColorDepth) -> String {
        switch colors {
        case .none: "no colours"
        case .sixteen: "16 colours"
        case .indexed: "256 colours"
        case .direct: "16 million colours"
        }
    }

    private var clock: Finding { Self.clock(seconds: time(nil), isSynchronised: postern_clock_is_synchronised()) }

    static func clock(seconds: Int, isSynchronised: Bool) -> Finding {
        // Before this version was written: certificates would not be valid yet.
        guard seconds >= 1_767_225_600 else {
            return Finding(.clock, .warn, "the clock is wrong: certificates cannot be judged", advice: "set the time")
        }
        guard isSynchronised else {
            return Finding(.clock, .note, "nothing keeps the clock right", advice: "timedatectl set-ntp true")
        }
        return Finding(.clock, .ok, "the clock is kept right")
    }
}
