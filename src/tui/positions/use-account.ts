import { useMemo } from 'react'
import { HOLDING_COLUMNS, POSITION_COLUMNS } from '../../views/orders/books.js'
import { keptList, useList } from '../components/list/use-list.js'
import { useQuotes } from '../live/prices/use-quotes.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { HoldingFeed, PositionFeed } from './feeds.js'
import { liveHoldings, livePositions, pricedSymbols } from './live-rows.js'

const LISTS = { positions: keptList(), holdings: keptList() }

/** Returns the positions at the newest prices, as a list. */
export function usePositions() {
  const live = useFeed(useDaemon().part(PositionFeed))
  const symbols = useMemo(() => pricedSymbols(live.content), [live.content])
  const quotes = useQuotes(symbols, 'ltp')
  const rows = useMemo(() => livePositions(live.content, live.readAt, quotes), [live, quotes])
  return { live, rows, list: useList(LISTS.positions, rows, POSITION_COLUMNS) }
}

/** Returns the holdings at the newest prices, as a list. */
export function useHoldings() {
  const live = useFeed(useDaemon().part(HoldingFeed))
  const symbols = useMemo(() => pricedSymbols(live.content), [live.content])
  const quotes = useQuotes(symbols, 'ltp')
  const rows = useMemo(() => liveHoldings(live.content, live.readAt, quotes), [live, quotes])
  return { live, rows, list: useList(LISTS.holdings, rows, HOLDING_COLUMNS) }
}
