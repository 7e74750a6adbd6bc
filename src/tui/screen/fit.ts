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

/** Breaks a text into lines of a width in cells. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = ['']
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const size = stringWidth(segment)
    if (used + size > width) {
      lines.push('')
      used = 0
    }
    lines[lines.length - 1] += segment
    used += size
  }
  return lines
}
