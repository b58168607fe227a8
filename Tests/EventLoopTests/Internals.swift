import Glibc

@testable import EventLoop

/// The C struct of a handle, for measuring.
func handleMemory(of handle: Handle) -> UnsafeRawPointer { UnsafeRawPointer(handle.raw) }

/// What `EventLoop.init` does with the version of libuv.
func checkLibuvVersion(_ version: UInt32) throws(UVError) { try EventLoop.checkVersion(version) }

/// Shared pages in a file that is open already.
func pagesInFile(_ descriptor: Int32) -> SharedPages { SharedPages(in: descriptor) }

/// Whether a stream over TCP writes at once; nil when the system does not say.
func isUndelayed(_ stream: Stream) -> Bool? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    let result = stream.withDescriptor { getsockopt($0, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size) }
    return result == 0 ? value != 0 : nil
}
