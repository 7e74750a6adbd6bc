/** Replaces a secret in a text. */
export const MASK = '[redacted]'

/** The minimum length of a match of the patterns below, including the word before the secret. */
const SHORTEST_SECRET = 8

/**
 * Names of secrets in query strings, JSON and headers. Their length is bounded so that every text is searched
 * fast.
 */
const PASSWORD = '\\b(?:[a-z0-9_-]{0,32}(?:passw(?:or)?d|passphrase|passcode|pwd)|pass)'
const ONE_TIME_CODE = '\\b(?:(?:totp|otp|mfa|twofa|2fa)(?:[_-]?(?:code|value))?|m?pin)'
const SECRET =
  '\\b(?:[a-z0-9_-]{0,32}(?:api[_-]?key|token|secret|passw(?:or)?d|pepper)|totp(?:[_-]code)?|otp|auth[_-]?code|ticket)'
const SESSION = '\\bsession(?:[_-]?(?:id|key))?'

/** Patterns of secrets in a text. The first group, if any, is kept. */
const SECRET_TEXTS: readonly RegExp[] = [
  /svc_[a-z]{2,8}_[A-Za-z0-9_-]{20,}/g,
  /[0-9a-f]{64,}/gi,
  // From the first `eyJ` of a word, so that a word of many is read once. Longer words would exhaust the stack of the search.
  /(?<![\w-])((?:(?!eyJ)[\w-]){0,65536})eyJ[\w-]{8,65536}\.[\w-]{4,}(?:\.[\w-]*)?/g,
  /otpauth:\/\/\S+/gi,
  /(\bbot|\b)\d{6,20}:[A-Za-z0-9_-]{30,100}/g,
  /(bearer\s{1,4})[A-Za-z0-9._~+/:=-]{8,}/gi,
  /(\b(?:basic|token)\s{1,4})[A-Za-z0-9._~+/:=-]{16,}/gi,
  /(\/\/[^\s/:@]{1,256}:)[^\s/@]{1,256}(?=@)/g,
  /(\/webhook\/)[^\s/?"']{8,}/gi,
  /(\bcookie["']?\s{0,4}[:=]\s{0,4}["']?)[^\s=;"']{1,128}=[^\r\n"']*/gi,
  // A quoted value ends at its own closing quote, also in JSON inside JSON.
  new RegExp(
    `((?:${SECRET}|${PASSWORD}|${ONE_TIME_CODE})\\\\{0,3}["']\\s{0,4}:\\s{0,4}(\\\\{0,3}["']))(?:(?!\\2)(?:\\\\[^]|[^\\\\]))+`,
    'gi',
  ),
  new RegExp(`(${PASSWORD}\\s{0,4}=\\s{0,4})(?:"[^"]+"?|'[^']+'?|[^\\s&"'][^\\s&]{3,})`, 'gi'),
  // A value of letters only is prose about a password, not a password.
  new RegExp(
    `(${PASSWORD}\\s{0,4}:\\s{0,4})(?:"[^"]+"?|'[^']+'?|(?=[a-z]{0,64}[^a-z\\s.,;:'"()])\\S{4,})`,
    'gi',
  ),
  new RegExp(`(${ONE_TIME_CODE}["']?\\s{0,4}[:=]\\s{0,4}["']?)\\d{4,8}(?!\\d)`, 'gi'),
  new RegExp(`(${SESSION}["']?\\s{0,4}[:=]\\s{0,4}["']?)[\\w.~+/=%-]{16,}`, 'gi'),
  new RegExp(`(${SECRET}\\s{0,4}=\\s{0,4}["']?)[^\\s"'&,;]{4,}`, 'gi'),
  new RegExp(`(${SECRET}\\s{0,4}:\\s{0,4})[^\\s"',;}]{16,}`, 'gi'),
]

/** A word of every pattern above. Most texts contain none and need no further check. */
// The alternatives are grouped by first letters, which halves the time of a check.
const SUSPECT_WORD =
  /s(?:vc_|ecret|ession)|eyJ|otp|b(?:earer|asic)|t(?:oken|icket|wofa)|\/\/|webhook|key|p(?:ass|wd|epper|in\b)|auth|cookie|2fa|mfa/i
/** Secrets without a word before them, and their minimum length. */
const SUSPECT_RUN = /[0-9a-f]{64}|\d:[\w-]{30}/i
const SHORTEST_RUN = 32

/** Masks everything in a text that looks like a secret. */
export function maskText(text: string): string {
  if (!isSuspect(text)) return text
  let masked = text
  for (const pattern of SECRET_TEXTS) {
    masked = masked.replace(pattern, (_all, kept: unknown) => (typeof kept === 'string' ? kept : '') + MASK)
  }
  return masked
}

/**
 * The number of characters that {@link maskStart} reads after its limit. A secret that starts before the limit ends, or is
 * recognised, within this distance.
 */
export const MASK_OVERLAP = 1024

/**
 * Returns the first characters of a text, masked. The cost depends on the limit alone: a stranger may have sent a text of
 * any length. A half secret matches no pattern, so a text that is cut loses its last {@link MASK_OVERLAP} characters back to
 * the last mask: after masking, they may lie before the limit.
 */
export function maskStart(text: string, limit: number): string {
  const masked = maskText(text.slice(0, limit + MASK_OVERLAP))
  if (text.length <= limit + MASK_OVERLAP) return masked.slice(0, limit)
  const last = masked.lastIndexOf(MASK)
  const sure = Math.max(masked.length - MASK_OVERLAP, last < 0 ? 0 : last + MASK.length)
  return masked.slice(0, Math.min(limit, sure))
}

function isSuspect(text: string): boolean {
  if (text.length < SHORTEST_SECRET) return false
  return SUSPECT_WORD.test(text) || (text.length >= SHORTEST_RUN && SUSPECT_RUN.test(text))
}
