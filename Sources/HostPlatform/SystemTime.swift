package import Base
import Glibc

extension TimeSource {
    /// The kernel's clocks.
    package static let system = TimeSource(
        now: { Timestamp(milliseconds: milliseconds(CLOCK_REALTIME)) },
        boottime: { milliseconds(CLOCK_BOOTTIME) },
        bootID: readBootID,
        sleep: { duration in try await Task.sleep(for: .milliseconds(max(0, duration))) })
}

private func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// The UUID of `/proc/sys/kernel/random/boot_id` as 16 bytes; zeros where there is no `/proc`.
private func readBootID() -> [UInt8] {
    let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return Array(repeating: 0, count: 16) }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &text, text.count)
    let digits = text.prefix(max(0, count)).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 32 else { return Array(repeating: 0, count: 16) }
    return (0..<16).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
}
