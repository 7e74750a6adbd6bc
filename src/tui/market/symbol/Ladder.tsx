import { Box, Text } from 'ink'
import type { Quote } from '../../live/prices/quote.js'
import { cut, fitted } from '../../terminal/fit.js'
import { PaintedLine, type Part } from '../../terminal/PaintedLine.js'
import { type LadderLevel, ladderRows, totalsText } from './depth-rows.js'
import { figure } from './lines.js'

/** The heading, five levels and the totals. */
export const LADDER_LINES = 7
const PRICE = 11
const QUANTITY = 11
const MIDDLE = ' │ '
const [SHORTEST_BAR, LONGEST_BAR] = [3, 24]

interface LadderProps {
  quote: Quote
  width: number
  isStale: boolean
}

/** The order book: five levels of each side, the best in the middle of the first line, with bars of the quantities. */
export function Ladder({ quote, width, isStale }: LadderProps) {
  const room = Math.floor((width - MIDDLE.length) / 2) - PRICE - QUANTITY - 2
  const bar = Math.min(LONGEST_BAR, Math.max(SHORTEST_BAR, room))
  const rows = ladderRows(quote.depth ?? { buy: [], sell: [] }, bar)
  const left = `${' '.repeat(bar)} ${fitted('BUY', QUANTITY, 'right')} ${fitted('PRICE', PRICE, 'right')}`
  return (
    <Box flexDirection="column" height={LADDER_LINES}>
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
function levelParts({ bar, price, quantity }: LadderLevel, side: 'buy' | 'sell'): Part[] {
  const isBuy = side === 'buy'
  const align = isBuy ? 'right' : 'left'
  const amount = fitted(figure(quantity, 'quantity'), QUANTITY, align)
  const rate = fitted(figure(price, 'price'), PRICE, align)
  const drawn: Part = { text: bar, tone: isBuy ? 'good' : 'danger' }
  return isBuy ? [drawn, { text: ` ${amount} ${rate}` }] : [{ text: `${rate} ${amount} ` }, drawn]
}
