import Testing

/// The built program against real servers, real peers and scripted enemies. One test at a time: they start processes
/// that want a core each, and a test that fails is to tell about itself alone.
@Suite(.serialized) enum Integration {}
