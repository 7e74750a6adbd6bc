import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { DeliveryBody } from '../../../core/strategies/index.js'
import { isObject } from '../../../core/validation/index.js'
import { readBytes, utf8Text } from '../../http/body/body.js'
import { parseUniqueJson } from '../../http/body/unique-json.js'
import type { AppEnv } from '../../process/env.js'

export const MAX_BODY_BYTES = 16_384

const problem = (text: string) => ({ problem: `The request body ${text}` })

/**
 * Reads the body of a delivery, whatever its content type: many senders cannot choose one. A body that gives a member
 * twice is refused, because nobody can tell which of two modes its sender meant.
 */
export async function readDelivery(c: Context<AppEnv>): Promise<DeliveryBody> {
  let bytes: Uint8Array
  try {
    bytes = await readBytes(c, MAX_BODY_BYTES)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'too_large') return problem(`is larger than ${MAX_BODY_BYTES} bytes`)
    return { problem: error.message }
  }
  return objectIn(bytes)
}

function objectIn(bytes: Uint8Array): DeliveryBody {
  const text = decoded(bytes)
  if (text === undefined) return problem('is not valid UTF-8')
  if (text.trim() === '') return problem('is empty')
  try {
    const body = parseUniqueJson(text)
    return isObject(body) ? { body } : problem('must be a JSON object')
  } catch (error) {
    return error instanceof ServiceError ? { problem: error.message } : problem('is not valid JSON')
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8Text(bytes)
  } catch {
    return undefined
  }
}
