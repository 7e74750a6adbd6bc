const EIGHTHS = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/**
 * Draws values as columns of blocks, oldest first, with the highest and the lowest at the left edge. When
 * there are more values than columns, it averages them.
 */
export function chartOf(
  values: readonly number[],
  { width, height }: { width: number; height: number },
): string {
  const columns = averaged(values.filter(Number.isFinite), width)
  if (columns.length === 0) return ''
  const [low, high] = [Math.min(...columns), Math.max(...columns)]
  const span = high - low || 1
  // The lowest value shows as one eighth: an empty column would look like a gap.
  const eighths = columns.map((value) => 1 + Math.round(((value - low) / span) * (height * 8 - 1)))
  const labels = labelsOf(low, high, height)
  const lines = Array.from({ length: height }, (_, row) => {
    const below = (height - 1 - row) * 8
    const blocks = eighths.map((filled) => EIGHTHS[Math.max(0, Math.min(8, filled - below))] || ' ')
    return `${labels[row] ?? ''} ┤${blocks.join('')}`.trimEnd()
  })
  return `${lines.join('\n')}\n`
}

function labelsOf(low: number, high: number, height: number): string[] {
  const texts = Array.from({ length: height }, (_, row) =>
    row === 0 ? priceText(high) : row === height - 1 ? priceText(low) : '',
  )
  const width = Math.max(...texts.map((text) => text.length))
  return texts.map((text) => text.padStart(width))
}

function priceText(price: number): string {
  return price.toLocaleString('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

function averaged(values: readonly number[], columns: number): number[] {
  if (values.length <= columns) return [...values]
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * values.length) / columns)
    const part = values.slice(from, Math.floor(((column + 1) * values.length) / columns))
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

const BAR_EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█']

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
    const bar = '█'.repeat(eighths >> 3) + (BAR_EIGHTHS[eighths & 7] ?? '')
    return `${label.padStart(labelWidth)} ┤${bar} ${count > 0 ? count.toLocaleString('en-IN') : ''}`.trimEnd()
  })
  return lines.map((line) => `${line}\n`).join('')
}
