import { addAbortSignal, type Readable } from 'node:stream'
import { withoutByteOrderMark } from '../../core/csv/index.js'
import { interruptedError, usageError } from '../framework/errors.js'

/** The largest body that any route of the daemon takes: a file of instruments. */
const MAX_MEBIBYTES = 64
const MAX_BYTES = MAX_MEBIBYTES * 1_048_576

/**
 * Returns everything until the end of a stream, as text. Ctrl-C ends the reading and the stream at once, and so
 * does the limit: a stream such as /dev/zero has no end.
 * @param name names the input in the refusal of one that is too large
 */
export async function readAll(
  stream: Readable,
  interrupts: AbortSignal | undefined,
  name = 'The input',
): Promise<string> {
  if (interrupts !== undefined) addAbortSignal(interrupts, stream)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      const read = Buffer.from(chunk)
      bytes += read.length
      if (bytes > MAX_BYTES) break
      chunks.push(read)
    }
  } catch (thrown) {
    throw interrupts?.aborted ? interruptedError() : thrown
  }
  if (bytes > MAX_BYTES)
    throw usageError(`${name} is larger than ${MAX_MEBIBYTES} MiB, the most that a command reads.`)
  return withoutByteOrderMark(Buffer.concat(chunks).toString('utf8'))
}
