import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { z } from 'zod'
import { BrokerError } from '../../broker.js'
import { unreadable } from './outcomes.js'

/** A response of any status, with its whole body. */
export interface BrokerHttpResponse {
  status: number
  /** The body as UTF-8. */
  text: string
  bytes: Uint8Array
  header(name: string): string | undefined
}

/** The largest answer that is read: the book of a full day, and the bars of a quarter, have a few megabytes. */
export const LARGEST_ANSWER_BYTES = 32 * 1024 * 1024
/** The largest list of instruments, packed and unpacked: that of all exchanges has some 60 megabytes. */
export const LARGEST_FILE_BYTES = 256 * 1024 * 1024
const GZIP_MARK = [0x1f, 0x8b]

const unpacked = promisify(gunzip)

/** An answer that is longer than what is read of it. */
export class TooLarge extends Error {
  constructor(most: number) {
    super(`the answer is larger than ${most / (1024 * 1024)} megabytes`)
  }
}

/**
 * Reads the body of an answer, unpacked if it was packed for its way.
 * @throws TooLarge as soon as it has more than so many bytes; the rest is not read
 */
export async function readBody(response: Response, most: number): Promise<Uint8Array> {
  if (Number(response.headers.get('content-length')) > most) {
    await response.body?.cancel()
    throw new TooLarge(most)
  }
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    if (length > most) throw new TooLarge(most)
    parts.push(part)
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, length)
}

/**
 * Returns the text of a file that may be packed with gzip. A body that was packed only for its way has been unpacked before.
 * @param call names the request in errors
 * @throws BrokerError `protocol` if it cannot be unpacked
 */
export async function textOfFile(call: string, { bytes, text }: BrokerHttpResponse): Promise<string> {
  if (!GZIP_MARK.every((value, place) => bytes[place] === value)) return text
  try {
    const content = await unpacked(bytes, { maxOutputLength: LARGEST_FILE_BYTES })
    return content.toString('utf8')
  } catch {
    throw new BrokerError('protocol', `${call}: the file cannot be unpacked`, { sent: 'yes' })
  }
}

/** Parses JSON text; undefined if it is invalid. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns whether the status of an answer is that of a success. */
export function isSuccess({ status }: Pick<BrokerHttpResponse, 'status'>): boolean {
  return status >= 200 && status <= 299
}

/**
 * Returns what a successful answer tells.
 * @param call names the request in errors
 * @throws BrokerError `protocol`, maybe sent, with the first field that cannot be read
 */
export function readAs<Schema extends z.ZodType>(
  call: string,
  value: unknown,
  schema: Schema,
): z.output<Schema> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const where = read.error.issues[0]?.path.map(String).join('.') || 'data'
  throw unreadable(call, `the answer has no readable "${where}"`)
}
