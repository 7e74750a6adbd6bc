import { MASK, MASK_OVERLAP, maskText } from '../../logging/index.js'

const REDACTED = '<redacted>'
const MAX_PATH = 500
/** A client may send a path of any length; of a longer one, only this much is searched. */
const MAX_READ = MAX_PATH + MASK_OVERLAP
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
  const read = target.slice(0, MAX_READ)
  const end = read.search(/[?#]/)
  const path = end < 0 ? read : read.slice(0, end)
  if (!SUSPECT.test(path)) return path.slice(0, MAX_PATH)
  const isCut = end < 0 && target.length > MAX_READ
  let isSecret = false
  const segments = maskText(path)
    .replaceAll(MASK, REDACTED)
    .split('/')
    .map((segment, place, { length }) => {
      // The rest of a token that was cut may look like a word.
      if (isCut && place === length - 1) return REDACTED
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
