import stringWidth from 'string-width'

const graphemes = new Intl.Segmenter()

/** Cuts a text with `…` to a width in cells, where a character may be two cells wide. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return width > 0 ? `${kept}…` : ''
}

/** Cuts or pads a text to exactly a width in cells. */
export function fitted(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const shown = cut(text, width)
  const space = ' '.repeat(Math.max(0, width - stringWidth(shown)))
  return align === 'right' ? space + shown : shown + space
}

/** Breaks a text into lines of a width in cells: at a space if it can, and within a word that is wider than a line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = ['']
  let used = 0
  // True when the line is full, and its last word ended with the space that has no room.
  let isWhole = false
  for (const { segment } of graphemes.segment(text)) {
    const size = stringWidth(segment)
    if (used + size > width) {
      if (segment === ' ') {
        isWhole = true
        continue
      }
      if (isWhole) lines.push('')
      used = isWhole ? 0 : startLine(lines)
      isWhole = false
    }
    lines[lines.length - 1] += segment
    used += size
  }
  return lines
}

/** Breaks a text in the same way into so many lines at most: `…` ends the last one of a longer text. */
export function wrappedIn(text: string, width: number, most: number): string[] {
  const lines = wrapped(text, width)
  if (lines.length <= most) return lines
  const shown = lines.slice(0, Math.max(1, most))
  return [...shown.slice(0, -1), cut(`${shown.at(-1)} …`, width)]
}

/** Starts a line with the unfinished word of the last one. @returns its width */
function startLine(lines: string[]): number {
  const last = lines.at(-1) ?? ''
  // An indent is no place to break.
  const space = last.trimStart().includes(' ') ? last.lastIndexOf(' ') : -1
  const word = space < 0 ? '' : last.slice(space + 1)
  if (space >= 0) lines[lines.length - 1] = last.slice(0, space)
  lines.push(word)
  return stringWidth(word)
}
