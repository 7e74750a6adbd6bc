import { MASK, maskText } from '../../logging/index.js'

const REDACTED = '<redacted>'
const MAX_PATH = 500
/** A path without any of these has nothing to hide. */
const SUSPECT = /webhook|reset|[^/]{20}|[=%:]/i
/** Everything below such a segment is a credential. */
const BEFORE_TOKEN = /^(?:webhook|reset-password.*)$/i
/** A token: long, and not a word. References of orders, which have no small letters, are shorter. */
const TOKEN = /^(?:.{32,}|(?=.*\d)(?=.*[a-z]).{20,})$/

/**
 * Returns the path of a request without its credentials. The query is left out, because it may hold an API key.
 * A token in a path is recognised by the segment before it, and by its form: a mistyped address has a token too.
 */
export function publicPath(target: string): string {
  const end = target.search(/[?#]/)
  const path = end < 0 ? target : target.slice(0, end)
  if (!SUSPECT.test(path)) return path.slice(0, MAX_PATH)
  let isSecret = false
  const segments = maskText(path)
    .replaceAll(MASK, REDACTED)
    .split('/')
    .map((segment) => {
      if (isSecret && segment !== '') return REDACTED
      isSecret ||= BEFORE_TOKEN.test(decoded(segment))
      return TOKEN.test(segment) ? REDACTED : segment
    })
  return segments.join('/').slice(0, MAX_PATH)
}

/** The routes decode a path, so an encoded letter must not hide the segment before a token. */
function decoded(segment: string): string {
  return segment.replaceAll(/%([0-7][\da-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
