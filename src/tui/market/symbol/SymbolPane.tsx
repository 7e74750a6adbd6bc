import { Box, Text } from 'ink'
import { useEffect, useMemo } from 'react'
import { visible } from '../../../views/table/cells.js'
import { Chart } from '../../components/chart/Chart.js'
import type { Binding } from '../../keys/bindings.js'
import { isOld, newest, type Quote } from '../../live/prices/quote.js'
import { useQuotes } from '../../live/prices/quotes.js'
import { useDaemon, useFeed, useIsStale } from '../../live/use-daemon.js'
import { ScreenFrame } from '../../screen/ScreenFrame.js'
import { cut } from '../../terminal/fit.js'
import { PaintedLine } from '../../terminal/PaintedLine.js'
import type { Area } from '../../terminal/size.js'
import { useNow } from '../../terminal/use-now.js'
import {
  backKey,
  chainKey,
  orderKey,
  type PaneProps,
  type SymbolState,
  useSymbolActs,
} from '../symbol-acts.js'
import { LADDER_LINES, Ladder } from './Ladder.js'
import { dayLine, factsLine, priceLine, toneOfQuote } from './lines.js'
import { type Bar, pointsOf, type SymbolDetails, SymbolFeed } from './symbol-feed.js'

interface SymbolPaneProps extends PaneProps {
  symbol: string
}

/** The keys of the details, in the order in which the last line names them. */
export const SYMBOL_KEYS: readonly Binding<'symbol', SymbolState>[] = [
  chainKey('symbol'),
  orderKey('symbol'),
  {
    id: 'market.watch',
    in: ['symbol'],
    keys: ['a'],
    does: 'add to the list',
    act: ({ acts, withSymbol }) => withSymbol(acts.watch),
  },
  backKey('symbol'),
]

/** The details of one symbol: facts, prices, order book and chart. */
export function SymbolPane({ width, height, ways, symbol }: SymbolPaneProps) {
  const feed = useDaemon().part(SymbolFeed)
  useEffect(() => feed.choose(symbol), [feed, symbol])
  const { content, problem } = useFeed(feed)
  const quotes = useQuotes([symbol], 'depth')
  const isLost = useIsStale()
  const now = useNow(1000)
  const acts = useSymbolActs()
  const details = content?.key === symbol ? content : undefined
  const quote = newest(details?.quote, quotes.get(symbol))
  const trouble = problem ?? details?.problem
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={SYMBOL_KEYS}
      pane="symbol"
      state={{ ways, acts, withSymbol: (act) => act(symbol) }}
      summary={`${symbol}${trouble === undefined ? '' : `: ${trouble}`}`}
    >
      {(area) =>
        details === undefined ? (
          <Text>
            {problem === undefined ? `Reading ${visible(symbol)} …` : `${visible(symbol)} cannot be shown.`}
          </Text>
        ) : (
          <Details
            {...area}
            details={details}
            quote={quote}
            now={now}
            isStale={isLost || problem !== undefined}
          />
        )
      }
    </ScreenFrame>
  )
}

interface DetailsProps extends Area {
  details: SymbolDetails
  quote: Quote | undefined
  now: number
  isStale: boolean
}

function Details({ details, quote, now, width, height, isStale }: DetailsProps) {
  const { facts, bars } = details
  const head = `${facts.name === '' ? facts.symbol : facts.name}: ${factsLine(facts)}`
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(visible(head), width)}</Text>
      {quote === undefined ? (
        <Text>There is no price.</Text>
      ) : (
        <Prices quote={quote} now={now} width={width} isStale={isStale || isOld(quote, now)} />
      )}
      <IntradayChart
        bars={bars}
        quote={quote}
        width={width}
        height={height - PRICE_LINES}
        isStale={isStale}
      />
    </Box>
  )
}

/** The facts, the price, the day and the order book. */
const PRICE_LINES = 3 + LADDER_LINES

interface PricesProps {
  quote: Quote
  now: number
  width: number
  isStale: boolean
}

function Prices({ quote, now, width, isStale }: PricesProps) {
  return (
    <>
      <PaintedLine
        parts={[{ text: priceLine(quote, now), isBold: true, tone: toneOfQuote(quote) }]}
        width={width}
        isDim={isStale}
      />
      <PaintedLine parts={[{ text: dayLine(quote) }]} width={width} isDim={isStale} />
      <Ladder quote={quote} width={width} isStale={isStale} />
    </>
  )
}

interface IntradayChartProps extends Area {
  bars: readonly Bar[]
  quote: Quote | undefined
  isStale: boolean
}

/** Fewer lines would show nothing: the title, the axis, and some for the line. */
const LEAST_LINES = 5

/** The prices of the last session, with the last one as it moves. */
function IntradayChart({ bars, quote, isStale, width, height }: IntradayChartProps) {
  const series = useMemo(() => [{ name: 'price', points: pointsOf(bars, quote) }], [bars, quote])
  if (height < LEAST_LINES) return null
  return <Chart series={series} width={width} height={height} isStale={isStale} title="The last session" />
}
