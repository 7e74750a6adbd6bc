/**
 * Yields what a text has between an opening and the next `}`, which the closing begins with: `{{…}}`, `${…}`. It reads each
 * character once; a regular expression would look for the closing again from every opening.
 */
export function* enclosedIn(
  text: string,
  opening: '{{' | '${',
  closing: '}}' | '}',
): Generator<{ token: string; inner: string }> {
  let end = -1
  for (let start = text.indexOf(opening); start >= 0; start = text.indexOf(opening, start + 1)) {
    const from = start + opening.length
    if (end < from) end = text.indexOf('}', from)
    if (end < 0) return
    if (!text.startsWith(closing, end)) continue
    const after = end + closing.length
    yield { token: text.slice(start, after), inner: text.slice(from, end) }
    start = after - 1
  }
}
