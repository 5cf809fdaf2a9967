import Application
import Glibc

/// Where memory may be written to: swap places, and a hibernation into one of them.
struct SwapExamination {
    enum Protection: Equatable {
        /// On an encrypted device.
        case encrypted
        /// Compressed memory.
        case inMemory
        case plain
        /// A file on a file system whose device does not tell.
        case unknown
    }

    let system: SystemFiles
    /// Major and minor number of the device under a swap file; nil where it has none.
    let device: (String) -> (UInt32, UInt32)?

    init(system: SystemFiles = SystemFiles(), device: @escaping (String) -> (UInt32, UInt32)? = deviceBelow) {
        self.system = system
        self.device = device
    }

    var findings: [Finding] {
        let places = self.places
        return [swap(places), hibernation(places)]
    }

    /// How each swap place of `/proc/swaps` (proc(5)) is protected.
    private var places: [Protection] {
        (system.text("/proc/swaps") ?? "").split(separator: "\n").dropFirst().compactMap { line in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2 else { return nil }
            let path = String(words[0])
            let isFile = words[1] == "file"
            guard let numbers = device(path) else { return isFile ? .unknown : .plain }
            let block = "/sys/dev/block/\(numbers.0):\(numbers.1)"
            let protection = protection(block, depth: 0)
            // File systems of several devices have numbers of their own that lead nowhere.
            return isFile && protection == .plain && system.names(in: block).isEmpty ? .unknown : protection
        }
    }

    /// Of a block device: its own (dm-crypt's UUIDs begin so), or that of everything it is made of.
    private func protection(_ block: String, depth: Int) -> Protection {
        if system.word(block + "/dm/uuid")?.hasPrefix("CRYPT-") == true { return .encrypted }
        if !system.names(in: block).filter({ $0 == "mem_limit" || $0 == "comp_algorithm" }).isEmpty { return .inMemory }
        let parts = system.names(in: block + "/slaves")
        guard !parts.isEmpty, depth < 8 else { return .plain }
        return parts.allSatisfy { protection(block + "/slaves/" + $0, depth: depth + 1) == .encrypted }
            ? .encrypted : .plain
    }

    private func swap(_ places: [Protection]) -> Finding {
        let advice = "encrypt the swap place (dm-crypt), or turn it off: swapoff -a"
        if places.isEmpty { return Finding(.swap, .ok, "no swap: memory is not written to a disk") }
        if places.contains(.plain) {
            return Finding(
                .swap, .warn, "swap is not encrypted: texts that were on the screen can get there",
                advice: advice)
        }
        if places.contains(.unknown) {
            return Finding(
                .swap, .note, "there is a swap file; whether its disk is encrypted is not known", advice: advice)
        }
        return Finding(.swap, .ok, "swap is encrypted, or compressed memory")
    }

    private func hibernation(_ places: [Protection]) -> Finding {
        let states = system.word("/sys/power/state")?.split(separator: " ") ?? []
        let way = system.word("/sys/power/disk") ?? ""
        let places = places.filter { $0 != .inMemory }
        guard states.contains("disk"), !way.contains("[disabled]"), !places.isEmpty else {
            return Finding(.hibernation, .ok, "this machine does not hibernate")
        }
        guard !places.allSatisfy({ $0 == .encrypted }) else {
            return Finding(.hibernation, .ok, "hibernation goes to encrypted swap")
        }
        return Finding(
            .hibernation, .warn, "hibernation writes all memory, keys too, to swap that may not be encrypted",
            advice: "lock before hibernating, or turn it off: systemctl mask hibernate.target hybrid-sleep.target")
    }
}

/// The device that a swap place is, or that the file system under it is on.
private func deviceBelow(_ path: String) -> (UInt32, UInt32)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let number = UInt64(status.st_mode & S_IFMT == S_IFBLK ? status.st_rdev : status.st_dev)
    // As gnu_dev_major(3) and gnu_dev_minor(3).
    let major = UInt32(truncatingIfNeeded: (number >> 8) & 0xFFF | (number >> 32) & 0xFFFF_F000)
    let minor = UInt32(truncatingIfNeeded: number & 0xFF | (number >> 12) & 0xFFFF_FF00)
    return (major, minor)
}
