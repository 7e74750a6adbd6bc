/** Keys from published sample files. Anyone can read them, so they protect nothing. */
const PUBLISHED = new Set([
  '3daa0403ce2501ee7432b75bf100048e3cf510d63d2754f952e93d88bf07ea84',
  'a25d94718479b170c16278e321ea6c989358bf499a658fd20c90033cef8ce772',
])

const PLACEHOLDER =
  /your[_ -]|change[_ -]?(me|this|in[_ -]?prod)|place[_ -]?holder|regenerate|replace[_ -]?(me|this|with)|example|sample|dummy|default|insert[_ -]|generate[_ -]|<.*>|\bxxx|0123456789abcdef|deadbeef|qwerty|password/i
/** A text of up to sixteen characters, repeated. */
const REPETITION = /^(.{1,16}?)\1+$/
const MIN_DISTINCT = 8

/** Returns why a key cannot be a secret; undefined if no check fails. */
export function sampleValueProblem(value: string): string | undefined {
  if (PUBLISHED.has(value.toLowerCase())) return 'is a published sample value'
  if (PLACEHOLDER.test(value)) return 'is a placeholder'
  if (REPETITION.test(value)) return 'consists of a repeated text'
  return new Set(value).size < MIN_DISTINCT ? 'has too few different characters' : undefined
}
