import { Box, Text } from 'ink'
import type { Quote } from '../../live/prices/quote.js'
import { cut, fitted } from '../../screen/fit.js'
import { useTone } from '../../screen/theme.js'
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
        // biome-ignore lint/suspicious/noArrayIndexKey: a level is its place
        <Text key={place} dimColor={isStale} wrap="truncate">
          <Level level={buy} side="buy" />
          {MIDDLE}
          <Level level={sell} side="sell" />
        </Text>
      ))}
      <Text dimColor={isStale}>{cut(totalsText(quote), width)}</Text>
    </Box>
  )
}

/** One level, from its bar at the edge to its price in the middle. */
function Level({ level, side }: { level: LadderLevel; side: 'buy' | 'sell' }) {
  const tone = useTone()
  const { price, quantity, bar } = level
  const isBuy = side === 'buy'
  const align = isBuy ? 'right' : 'left'
  const amount = fitted(figure(quantity, 'quantity'), QUANTITY, align)
  const rate = fitted(figure(price, 'price'), PRICE, align)
  const drawn = <Text {...tone(isBuy ? 'good' : 'danger')}>{bar}</Text>
  return isBuy ? (
    <>
      {drawn} {amount} {rate}
    </>
  ) : (
    <>
      {rate} {amount} {drawn}
    </>
  )
}
