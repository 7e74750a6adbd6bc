import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { BrokerError } from '../../broker.js'

/** A response of any status, with its whole body. */
export interface BrokerHttpResponse {
  status: number
  /** The body as UTF-8. */
  text: string
  bytes: Uint8Array
  header(name: string): string | undefined
}

/** The largest file that is unpacked: a master of all exchanges has some 60 megabytes. */
const LARGEST_FILE_BYTES = 512 * 1024 * 1024
const GZIP_MARK = [0x1f, 0x8b]

const unpacked = promisify(gunzip)

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
