const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█']

/**
 * Draws counts as horizontal bars, one line each: label, bar, count. Empty ranges before the first and after
 * the last count are left out. A count above zero always shows.
 */
export function histogramOf(
  counted: readonly { label: string; count: number }[],
  { width }: { width: number },
): string {
  const isCounted = ({ count }: { count: number }) => count > 0
  const shown = counted.slice(counted.findIndex(isCounted), counted.findLastIndex(isCounted) + 1)
  const most = Math.max(...shown.map(({ count }) => count))
  const labelWidth = Math.max(...shown.map(({ label }) => label.length))
  const lines = shown.map(({ label, count }) => {
    const eighths = Math.max(Math.round((count / most) * width * 8), count > 0 ? 1 : 0)
    const bar = '█'.repeat(eighths >> 3) + (EIGHTHS[eighths & 7] ?? '')
    return `${label.padStart(labelWidth)} ┤${bar} ${count > 0 ? count.toLocaleString('en-IN') : ''}`.trimEnd()
  })
  return lines.map((line) => `${line}\n`).join('')
}
