/** Counts the frames that a WebSocket server sends. It reads the headers only and skips the payloads. */
export class FrameCounter {
  count = 0
  #rest: Buffer = Buffer.alloc(0)
  /** Bytes of the current frame that are still missing. */
  #skip = 0

  take(chunk: Buffer): void {
    let bytes = chunk
    let at = Math.min(this.#skip, bytes.length)
    this.#skip -= at
    if (this.#skip > 0) return
    if (this.#rest.length > 0) {
      bytes = Buffer.concat([this.#rest, bytes.subarray(at)])
      at = 0
      this.#rest = Buffer.alloc(0)
    }
    while (at < bytes.length) {
      const size = frameSize(bytes, at)
      if (size === undefined) {
        this.#rest = bytes.subarray(at)
        return
      }
      if ((bytes.readUInt8(at) & 0x0f) === 1) this.count += 1
      at += size
    }
    this.#skip = at - bytes.length
  }
}

/**
 * Returns the header and payload sizes of the unmasked frame at `at`; undefined until its header is complete.
 */
function frameSize(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at < 2) return undefined
  const short = bytes.readUInt8(at + 1) & 0x7f
  if (short < 126) return 2 + short
  if (short === 126) return bytes.length - at < 4 ? undefined : 4 + bytes.readUInt16BE(at + 2)
  return bytes.length - at < 10 ? undefined : 10 + Number(bytes.readBigUInt64BE(at + 2))
}
