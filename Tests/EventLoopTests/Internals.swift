@testable import EventLoop

/// The C struct of a handle, for measuring.
func handleMemory(of handle: Handle) -> UnsafeRawPointer { UnsafeRawPointer(handle.raw) }

/// What `EventLoop.init` does with the version of libuv.
func checkLibuvVersion(_ version: UInt32) throws(UVError) { try EventLoop.checkVersion(version) }
