/** What stands in place of a secret. */
export const MASK = '[redacted]'

/** No secret that a pattern below knows is shorter, with what announces it. */
const SHORTEST_SECRET = 8

/** Names of secrets as they stand in query strings, JSON and headers. Bounded, so that no text is slow to search. */
const PASSWORD = '\\b(?:[a-z0-9_-]{0,32}(?:passw(?:or)?d|passphrase|passcode|pwd)|pass)'
const ONE_TIME_CODE = '\\b(?:(?:totp|otp|mfa|twofa|2fa)(?:[_-]?(?:code|value))?|m?pin)'
const SECRET =
  '\\b(?:[a-z0-9_-]{0,32}(?:api[_-]?key|token|secret|passw(?:or)?d|pepper)|totp(?:[_-]code)?|otp|auth[_-]?code|ticket)'
const SESSION = '\\bsession(?:[_-]?(?:id|key))?'

/** How secrets look inside a text. The first group, where there is one, is kept. */
const SECRET_TEXTS: readonly RegExp[] = [
  /svc_[a-z]{2,8}_[A-Za-z0-9_-]{20,}/g,
  /[0-9a-f]{64,}/gi,
  /eyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g,
  /otpauth:\/\/\S+/gi,
  /(\bbot|\b)\d{6,20}:[A-Za-z0-9_-]{30,100}/g,
  /(bearer\s{1,4})[A-Za-z0-9._~+/:=-]{8,}/gi,
  /(\b(?:basic|token)\s{1,4})[A-Za-z0-9._~+/:=-]{16,}/gi,
  /(\/\/[^\s/:@]{1,256}:)[^\s/@]{1,256}(?=@)/g,
  /(\/webhook\/)[^\s/?"']{8,}/gi,
  /(\bcookie["']?\s{0,4}[:=]\s{0,4}["']?)[^\s=;"']{1,128}=[^\r\n"']*/gi,
  // A text in quotes of its own ends with them, in JSON within JSON too.
  new RegExp(
    `((?:${SECRET}|${PASSWORD}|${ONE_TIME_CODE})\\\\{0,3}["']\\s{0,4}:\\s{0,4}(\\\\{0,3}["']))(?:(?!\\2)(?:\\\\[^]|[^\\\\]))+`,
    'gi',
  ),
  new RegExp(`(${PASSWORD}\\s{0,4}=\\s{0,4})(?:"[^"]+"?|'[^']+'?|[^\\s&"'][^\\s&]{3,})`, 'gi'),
  // Words alone are what is said about a password.
  new RegExp(
    `(${PASSWORD}\\s{0,4}:\\s{0,4})(?:"[^"]+"?|'[^']+'?|(?=[a-z]{0,64}[^a-z\\s.,;:'"()])\\S{4,})`,
    'gi',
  ),
  new RegExp(`(${ONE_TIME_CODE}["']?\\s{0,4}[:=]\\s{0,4}["']?)\\d{4,8}(?!\\d)`, 'gi'),
  new RegExp(`(${SESSION}["']?\\s{0,4}[:=]\\s{0,4}["']?)[\\w.~+/=%-]{16,}`, 'gi'),
  new RegExp(`(${SECRET}\\s{0,4}=\\s{0,4}["']?)[^\\s"'&,;]{4,}`, 'gi'),
  new RegExp(`(${SECRET}\\s{0,4}:\\s{0,4})[^\\s"',;}]{16,}`, 'gi'),
]

/** What every text above has in common; most texts have none of it and need no further look. */
// Ordered by first letters, which halves what a look costs.
const SUSPECT_WORD =
  /s(?:vc_|ecret|ession)|eyJ|otp|b(?:earer|asic)|t(?:oken|icket|wofa)|\/\/|webhook|key|p(?:ass|wd|epper|in\b)|auth|cookie|2fa|mfa/i
/** Secrets without a word before them, and the least length of one. */
const SUSPECT_RUN = /[0-9a-f]{64}|\d:[\w-]{30}/i
const SHORTEST_RUN = 32

/** A text with everything that looks like a secret masked. */
export function maskText(text: string): string {
  if (!isSuspect(text)) return text
  let masked = text
  for (const pattern of SECRET_TEXTS) {
    masked = masked.replace(pattern, (_all, kept: unknown) => (typeof kept === 'string' ? kept : '') + MASK)
  }
  return masked
}

function isSuspect(text: string): boolean {
  if (text.length < SHORTEST_SECRET) return false
  return SUSPECT_WORD.test(text) || (text.length >= SHORTEST_RUN && SUSPECT_RUN.test(text))
}
