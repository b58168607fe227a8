@testable import EventLoop

/// The C struct of a handle, for measuring.
func handleMemory(of handle: Handle) -> UnsafeRawPointer { UnsafeRawPointer(handle.raw) }

/// What `EventLoop.init` does with the version of libuv.
func checkLibuvVersion(_ version: UInt32) throws(UVError) { try EventLoop.checkVersion(version) }

/// Shared pages in a file that is open already.
func pagesInFile(_ descriptor: Int32) -> SharedPages { SharedPages(in: descriptor) }
