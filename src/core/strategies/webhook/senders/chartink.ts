import type { Signal } from '../../config/vocabulary.js'
import type { AlertSender } from './sender.js'

/** The words of a scan's name, in the order in which they are looked for. */
const SIGNAL_OF_WORD: readonly (readonly [word: string, signal: Signal])[] = [
  ['BUY', 'long_entry'],
  ['SELL', 'long_exit'],
  ['SHORT', 'short_entry'],
  ['COVER', 'short_exit'],
]

/** A strategy has at most 10 legs, and a scan may find many more stocks. */
const MAX_STOCKS = 50

/**
 * Alerts of ChartInk scans: the name of the scan gives the signal, and each stock that it found is one signal. Its
 * prices are not used.
 */
export const chartink: AlertSender = {
  translate({ scan_name: name, stocks }) {
    const scan = typeof name === 'string' ? name.toUpperCase() : ''
    const [, action] = SIGNAL_OF_WORD.find(([word]) => scan.includes(word)) ?? []
    if (!action) return { problem: "'scan_name' must contain one of BUY, SELL, SHORT, COVER" }
    const [first, ...others] = typeof stocks === 'string' ? symbolsIn(stocks) : []
    if (first === undefined) return { problem: "'stocks' must be a list of symbols joined by commas" }
    if (others.length >= MAX_STOCKS) {
      return { problem: `'stocks' must not have more than ${MAX_STOCKS} symbols` }
    }
    return [{ action, symbol: first }, ...others.map((symbol) => ({ action, symbol }))]
  },
}

function symbolsIn(stocks: string): string[] {
  const symbols = stocks.split(',').map((stock) => stock.trim().toUpperCase())
  return [...new Set(symbols)].filter((symbol) => symbol !== '')
}
