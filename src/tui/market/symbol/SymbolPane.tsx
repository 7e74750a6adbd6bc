import { Box, Text } from 'ink'
import { useEffect } from 'react'
import { visible } from '../../../views/table/cells.js'
import { useBindings } from '../../keys/bindings.js'
import { isOld, newest } from '../../live/prices/newest.js'
import type { Quote } from '../../live/prices/quote.js'
import { useQuotes } from '../../live/prices/use-quotes.js'
import { useDaemon, useFeed } from '../../live/use-daemon.js'
import { useIsStale } from '../../live/use-is-stale.js'
import { ScreenFrame } from '../../screen/ScreenFrame.js'
import { cut } from '../../terminal/fit.js'
import { PaintedLine } from '../../terminal/PaintedLine.js'
import type { Area } from '../../terminal/size.js'
import { useNow } from '../../terminal/use-now.js'
import { SYMBOL_KEYS } from '../keys.js'
import type { PaneProps } from '../pane.js'
import { useSymbolActs } from '../use-symbol-acts.js'
import { IntradayChart } from './IntradayChart.js'
import { LADDER_LINES, Ladder } from './Ladder.js'
import { dayLine, factsLine, priceLine, toneOfQuote } from './lines.js'
import { type SymbolDetails, SymbolFeed } from './symbol-feed.js'

interface SymbolPaneProps extends PaneProps {
  symbol: string
}

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
  useBindings(SYMBOL_KEYS, 'symbol', {
    chain: () => ways.open({ kind: 'chain', symbol, side: 'ce' }),
    order: () => acts.order(symbol),
    add: () => acts.watch(symbol),
    back: ways.back,
  })
  const trouble = problem ?? details?.problem
  return (
    <ScreenFrame
      {...{ width, height, bindings: SYMBOL_KEYS, pane: 'symbol' }}
      summary={`${symbol}${trouble === undefined ? '' : `: ${trouble}`}`}
    >
      {(area) =>
        details === undefined ? (
          <Text>
            {problem === undefined ? `Reading ${visible(symbol)} …` : `${visible(symbol)} cannot be shown.`}
          </Text>
        ) : (
          <Details {...{ ...area, details, quote, now, isStale: isLost || problem !== undefined }} />
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
        <Prices {...{ quote, now, width }} isStale={isStale || isOld(quote, now)} />
      )}
      <IntradayChart {...{ bars, quote, width, height: height - PRICE_LINES, isStale }} />
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
      <Ladder {...{ quote, width, isStale }} />
    </>
  )
}
