import { addAbortSignal, type Readable } from 'node:stream'
import { interruptedError } from '../framework/errors.js'

/** Returns everything until the end of a stream, as text. Ctrl-C ends the reading and the stream at once. */
export async function readAll(stream: Readable, interrupts: AbortSignal | undefined): Promise<string> {
  if (interrupts !== undefined) addAbortSignal(interrupts, stream)
  const chunks: Buffer[] = []
  try {
    for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  } catch (thrown) {
    throw interrupts?.aborted ? interruptedError() : thrown
  }
  return Buffer.concat(chunks).toString('utf8')
}
