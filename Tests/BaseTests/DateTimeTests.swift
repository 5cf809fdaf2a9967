import Testing

@testable import Base

@Suite("Date and time")
struct DateTimeTests {
    // Expected values from `date -u -d @SECONDS +%FT%T`.
    @Test(
        "A moment is written in RFC 3339 with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_796_033_383_000, "2026-11-30T10:09:43.000Z"),
        ] as [(Int64, String)])
    func writes(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).text == text)
    }
}
