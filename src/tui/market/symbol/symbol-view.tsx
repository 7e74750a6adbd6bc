import { Box, Text } from 'ink'
import { useLayoutEffect, useMemo } from 'react'
import { visible } from '../../../views/table/cells.js'
import { Chart } from '../../components/chart/Chart.js'
import { isOld, newest, type Quote } from '../../live/prices/quote.js'
import { useQuotes } from '../../live/prices/quotes.js'
import { useIsStale } from '../../live/use-daemon.js'
import { drawnView } from '../../screen/fields-view.js'
import { FIGURES_ALONE } from '../../screen/first-line.js'
import type { Shown, ViewKey, WithOwn } from '../../screen/record.js'
import { cut } from '../../terminal/fit.js'
import { PaintedLine } from '../../terminal/PaintedLine.js'
import type { Area } from '../../terminal/size.js'
import {
  BACK_KEY,
  CHAIN_KEY,
  LADDER_KEY,
  ORDER_KEY,
  type SymbolOwn,
  showAsked,
  usePanes,
  useSymbolActs,
} from '../symbol-acts.js'
import { DEPTH_LINES, Depth } from './Depth.js'
import { dayLine, factsLine, priceLine, toneOfQuote } from './lines.js'
import { type Bar, pointsOf, type SymbolDetails, SymbolFeed } from './symbol-feed.js'

/** The keys of the details, in the order in which the last line names them. */
const SYMBOL_KEYS: readonly ViewKey<Shown & WithOwn<SymbolOwn>>[] = [
  CHAIN_KEY,
  LADDER_KEY,
  ORDER_KEY,
  {
    id: 'market.watch',
    keys: ['a'],
    does: 'add to the list',
    act: ({ own }) => own.withSymbol(own.acts.watch),
  },
  BACK_KEY,
]

interface SymbolSeen extends SymbolOwn {
  symbol: string
  details: SymbolDetails | undefined
  quote: Quote | undefined
  isLost: boolean
}

/** A hook: returns the symbol of the top pane with its newest prices. */
function useSymbol({ content, feed }: Shown<SymbolDetails | undefined, SymbolFeed>): SymbolSeen {
  const { panes, top } = usePanes()
  if (top?.kind !== 'symbol') throw new Error('No symbol is open')
  const { symbol } = top
  // A layout effect comes before the feed is held, so that its first read is of the chosen one.
  useLayoutEffect(() => feed.choose(symbol), [feed, symbol])
  const quotes = useQuotes([symbol], 'depth')
  const details = content?.key === symbol ? content : undefined
  return {
    symbol,
    details,
    quote: newest(details?.quote, quotes.get(symbol)),
    isLost: useIsStale(),
    panes,
    acts: useSymbolActs(),
    withSymbol: (act) => act(symbol),
  }
}

/** The details of one symbol: facts, prices, order book and chart. */
export const symbolView = drawnView({
  name: 'symbol',
  feed: SymbolFeed,
  use: useSymbol,
  summary({ live, own }) {
    const trouble = live.problem ?? own.details?.problem
    return `${own.symbol}${trouble === undefined ? '' : `: ${trouble}`}`
  },
  firstLine: FIGURES_ALONE,
  redrawMs: () => 1000,
  Draw({ shown: { live, now, own }, ...area }) {
    const { symbol, details, quote, isLost } = own
    if (details === undefined) {
      const isRead = live.problem === undefined
      return <Text>{isRead ? `Reading ${visible(symbol)} …` : `${visible(symbol)} cannot be shown.`}</Text>
    }
    const isStale = isLost || live.problem !== undefined
    return <Details {...area} details={details} quote={quote} now={now} isStale={isStale} />
  },
  keys: SYMBOL_KEYS,
  commonKeys: [],
  asked: showAsked,
})

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
const PRICE_LINES = 3 + DEPTH_LINES

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
      <Depth quote={quote} width={width} isStale={isStale} />
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
