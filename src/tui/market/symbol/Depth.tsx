import { Box, Text } from 'ink'
import type { Quote } from '../../live/prices/quote.js'
import { cut, fitted } from '../../terminal/fit.js'
import { PaintedLine, type Part } from '../../terminal/PaintedLine.js'
import { figure } from './lines.js'

/** The heading, five levels and the totals. */
export const DEPTH_LINES = 7
const PRICE = 11
const QUANTITY = 11
const MIDDLE = ' │ '
const [SHORTEST_BAR, LONGEST_BAR] = [3, 24]

interface DepthProps {
  quote: Quote
  width: number
  isStale: boolean
}

/** The order book: five levels of each side, the best in the middle of the first line, with bars of the quantities. */
export function Depth({ quote, width, isStale }: DepthProps) {
  const room = Math.floor((width - MIDDLE.length) / 2) - PRICE - QUANTITY - 2
  const bar = Math.min(LONGEST_BAR, Math.max(SHORTEST_BAR, room))
  const rows = depthRows(quote.depth ?? { buy: [], sell: [] }, bar)
  const left = `${' '.repeat(bar)} ${fitted('BUY', QUANTITY, 'right')} ${fitted('PRICE', PRICE, 'right')}`
  return (
    <Box flexDirection="column" height={DEPTH_LINES}>
      <Text dimColor>{cut(`${left}${MIDDLE}${fitted('PRICE', PRICE)} SELL`, width)}</Text>
      {rows.map(({ buy, sell }, place) => (
        <PaintedLine
          // biome-ignore lint/suspicious/noArrayIndexKey: a level is its place
          key={place}
          parts={[...levelParts(buy, 'buy'), { text: MIDDLE }, ...levelParts(sell, 'sell')]}
          width={width}
          isDim={isStale}
        />
      ))}
      <PaintedLine parts={[{ text: totalsText(quote) }]} width={width} isDim={isStale} />
    </Box>
  )
}

/** One level, from its bar at the edge to its price in the middle. */
function levelParts({ bar, price, quantity }: DepthLevel, side: 'buy' | 'sell'): Part[] {
  const isBuy = side === 'buy'
  const align = isBuy ? 'right' : 'left'
  const amount = fitted(figure(quantity, 'quantity'), QUANTITY, align)
  const rate = fitted(figure(price, 'price'), PRICE, align)
  const drawn: Part = { text: bar, tone: isBuy ? 'good' : 'danger' }
  return isBuy ? [drawn, { text: ` ${amount} ${rate}` }] : [{ text: `${rate} ${amount} ` }, drawn]
}

export type Book = NonNullable<Quote['depth']>

/** A level of both sides of the order book, with a bar for each quantity. */
export interface DepthRow {
  buy: DepthLevel
  sell: DepthLevel
}

export interface DepthLevel {
  price: number | undefined
  quantity: number | undefined
  /** Exactly as wide as asked for; it grows from the middle. */
  bar: string
}

/** The levels that every broker has. */
const LEVELS = 5

/** Returns the best levels of both sides; the longest bar stands for the largest quantity of all. */
export function depthRows({ buy, sell }: Book, barWidth: number): readonly DepthRow[] {
  const [bids, asks] = [given(buy), given(sell)]
  const most = Math.max(1, ...[...bids, ...asks].map(({ quantity }) => quantity))
  const level = (side: Book['buy'], place: number, align: 'left' | 'right'): DepthLevel => {
    const { price, quantity } = side[place] ?? {}
    return { price, quantity, bar: barOf((quantity ?? 0) / most, barWidth, align) }
  }
  return Array.from({ length: LEVELS }, (_, place) => ({
    buy: level(bids, place, 'right'),
    sell: level(asks, place, 'left'),
  }))
}

/** The daemon fills missing levels with zeros. */
function given(side: Book['buy']): Book['buy'] {
  return side.filter(({ price, quantity }) => price > 0 && quantity > 0).slice(0, LEVELS)
}

/** Returns a bar in half cells. A share above zero always shows. */
export function barOf(share: number, width: number, align: 'left' | 'right'): string {
  const halves = share > 0 ? Math.max(1, Math.round(Math.min(1, share) * width * 2)) : 0
  const whole = '█'.repeat(halves >> 1)
  if (align === 'left') return (halves % 2 === 1 ? `${whole}▌` : whole).padEnd(width)
  return (halves % 2 === 1 ? `▐${whole}` : whole).padStart(width)
}

/** Returns the words for the quantities of the whole book: `total buy 1,200 (60%)  sell 800`. */
export function totalsText({ totalBuy = 0, totalSell = 0 }: Pick<Quote, 'totalBuy' | 'totalSell'>): string {
  const total = totalBuy + totalSell
  if (total === 0) return 'no orders in the book'
  const [bought, sold] = [totalBuy, totalSell].map((quantity) => quantity.toLocaleString('en-IN'))
  return `total buy ${bought} (${Math.round((totalBuy / total) * 100)}%)  sell ${sold}`
}
