import Base
import Testing

@testable import Net
