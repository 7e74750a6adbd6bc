import { MASK, maskStart } from '../../logging/index.js'

const TRUNCATED = '[truncated]'
const SECRET_NAME = /token|secret|password|passwd|apikey|api_key|auth|signature/i
/** The whole body has depth 0. */
const MAX_DEPTH = 4
const MAX_ITEMS = 50
const MAX_TEXT = 500

/**
 * Returns the body of a delivery as JSON without credentials, in bounded size. Never throws: the audit must not stop a
 * delivery.
 * @param secrets texts that no value may contain: the token and its prefix
 */
export function redactedPayload(payload: unknown, secrets: readonly string[]): string | null {
  try {
    return JSON.stringify(redacted(payload, secrets, 0)) ?? null
  } catch {
    return null
  }
}

/** Returns a text without credentials, cut to a length; null for anything but a text. */
export function redactedText(text: unknown, secrets: readonly string[], maxLength: number): string | null {
  return typeof text === 'string' ? masked(text, secrets, maxLength) : null
}

function redacted(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (depth > MAX_DEPTH) return TRUNCATED
  if (typeof value === 'string') return masked(value, secrets, MAX_TEXT)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    return value.slice(0, MAX_ITEMS).map((item) => redacted(item, secrets, depth + 1))
  }
  const members = Object.entries(value).slice(0, MAX_ITEMS)
  return Object.fromEntries(
    members.map(([name, member]) => [
      masked(name, secrets, MAX_TEXT),
      SECRET_NAME.test(name) ? MASK : redacted(member, secrets, depth + 1),
    ]),
  )
}

function masked(text: string, secrets: readonly string[], maxLength: number): string {
  const isSecret = secrets.some((secret) => secret !== '' && text.includes(secret))
  return isSecret ? MASK.slice(0, maxLength) : maskStart(text, maxLength)
}
