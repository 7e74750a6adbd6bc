import { Box, Text } from 'ink'
import { cut, fitted } from '../../terminal/fit.js'
import { PaintedLine, type Part } from '../../terminal/PaintedLine.js'
import type { Area } from '../../terminal/size.js'
import { barOf } from '../symbol/Depth.js'
import { figure } from '../symbol/lines.js'
import type { Rung } from './rungs.js'

const [OWN, QUANTITY, PRICE] = [11, 11, 12]
/** The cursor, the mark of a price, and a blank. */
const GUTTER = 3
const COLUMNS = GUTTER + 2 * OWN + 2 * QUANTITY + PRICE
const LONGEST_BAR = 20

interface LadderTableProps extends Area {
  rungs: readonly Rung[]
  /** The price under the cursor, in ticks. */
  at: number
  isStale: boolean
}

/** Prices from high to low: the own orders at the edges, the quantities of the book with bars beside the price. */
export function LadderTable({ at, height, isStale, rungs, width }: LadderTableProps) {
  const bar = Math.max(0, Math.min(LONGEST_BAR, Math.floor((width - COLUMNS) / 2) - 1))
  const most = Math.max(1, ...rungs.map(({ ask, bid }) => Math.max(ask, bid)))
  const heading = [
    `${' '.repeat(GUTTER)}${fitted('MY BUYS', OWN, 'right')} ${' '.repeat(bar)}${fitted('BIDS', QUANTITY, 'right')}`,
    `${fitted('PRICE', PRICE, 'right')}  ${fitted('ASKS', QUANTITY - 2)}${' '.repeat(bar)} MY SELLS`,
  ].join('')
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(heading, width)}</Text>
      {rungs.map((rung) => (
        <PaintedLine
          key={rung.ticks}
          parts={rungParts(rung, { at, bar, most })}
          width={width}
          isInverse={rung.ticks === at}
          isDim={isStale}
        />
      ))}
    </Box>
  )
}

/** Returns a rung. What is drawn in colour is also in a column or a mark of its own. */
function rungParts(
  rung: Rung,
  { at, bar, most }: { at: number; bar: number; most: number },
): readonly Part[] {
  const { ask, bid, buys, isLast, price, sells, ticks } = rung
  const [bids, asks] = [bid > 0, ask > 0]
  return [
    { text: `${ticks === at ? '>' : ' '}${markOf(rung)} ` },
    { text: fitted(amount(buys), OWN, 'right'), tone: 'accent', isBold: true },
    { text: ' ' },
    { text: bids ? barOf(bid / most, bar, 'right') : ' '.repeat(bar), tone: 'good' },
    { text: fitted(amount(bid), QUANTITY, 'right') },
    { text: fitted(figure(price, 'price'), PRICE, 'right'), isBold: isLast },
    { text: '  ' },
    { text: fitted(amount(ask), QUANTITY - 2) },
    { text: asks ? barOf(ask / most, bar, 'left') : ' '.repeat(bar), tone: 'danger' },
    { text: ' ' },
    { text: fitted(amount(sells), OWN), tone: 'accent', isBold: true },
  ]
}

const amount = (quantity: number) => (quantity === 0 ? '' : figure(quantity, 'quantity'))

/** The last price, and the average price of the position. */
const markOf = ({ isAverage, isLast }: Rung) => (isLast ? '*' : isAverage ? '@' : ' ')
