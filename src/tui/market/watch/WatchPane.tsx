import { Text } from 'ink'
import { useMemo, useState } from 'react'
import { Table, windowOf } from '../../components/list/Table.js'
import { type List, type ListActs, listKeys, listText, useList } from '../../components/list/use-list.js'
import type { Binding } from '../../keys/bindings.js'
import type { Live } from '../../live/feed.js'
import { useQuotes } from '../../live/prices/quotes.js'
import { useDaemon, useFeed, useStore } from '../../live/use-daemon.js'
import { FRAME_LINES, ScreenFrame } from '../../screen/ScreenFrame.js'
import { useNow } from '../../terminal/use-now.js'
import { chainKey, orderKey, type PaneProps, type SymbolState, useSymbolActs } from '../symbol-acts.js'
import { PRICES, WATCHED, type WatchRow, watchRows } from './rows.js'
import { WATCHED_LIST, type Watch, WatchFeed } from './watch-feed.js'
import { edited, placing, removing } from './watch-list.js'

interface WatchState extends SymbolState, ListActs {
  remove(symbol: string): void
  /** Moves the row itself. */
  moveRow(by: -1 | 1): void
}

/** The keys of the watch list, in the order in which the last line names them. */
export const WATCH_KEYS: readonly Binding<'watch', WatchState>[] = [
  {
    id: 'market.details',
    in: ['watch'],
    keys: ['enter'],
    does: 'details',
    explained: 'show facts, order book and chart of the symbol',
    command: 'svc depth <symbol>',
    act: ({ ways, withSymbol }) => withSymbol((symbol) => ways.open({ kind: 'symbol', symbol })),
  },
  {
    id: 'market.add',
    in: ['watch'],
    keys: ['a'],
    does: 'add',
    explained: 'search a symbol and add it to the list',
    command: 'svc search <words>',
    act: ({ ways }) => ways.open({ kind: 'search' }),
  },
  {
    id: 'market.remove',
    in: ['watch'],
    keys: ['d'],
    does: 'remove',
    explained: 'remove the symbol from the list',
    act: ({ withSymbol, remove }) => withSymbol(remove),
  },
  chainKey('watch'),
  orderKey('watch'),
  {
    id: 'market.row-up',
    in: ['watch'],
    keys: ['K'],
    explained: 'move the row itself up',
    act: ({ moveRow }) => moveRow(-1),
  },
  {
    id: 'market.row-down',
    in: ['watch'],
    keys: ['J'],
    explained: 'move the row itself down',
    act: ({ moveRow }) => moveRow(1),
  },
  ...listKeys<'watch'>(['watch']),
]

/** The watch list with live prices. */
export function WatchPane({ width, height, ways }: PaneProps) {
  const daemon = useDaemon()
  const feed = daemon.part(WatchFeed)
  const live = useFeed(feed)
  const now = useNow(1000)
  const acts = useSymbolActs()
  const { list, symbols } = useWatchList(feed, live, { now, rows: height - FRAME_LINES - 1 })
  const { selected } = list
  const state: WatchState = {
    list,
    move: list.move,
    ways,
    acts,
    withSymbol: (act) => selected && act(selected.id),
    remove(symbol) {
      feed.edit(removing(symbol))
      daemon.changes.say(`${symbol} is removed from the watch list. a adds it again.`)
    },
    moveRow(by) {
      if (list.sort !== undefined)
        return daemon.changes.say(`A column sorts the rows. o goes on to their own order.`)
      const other = list.rows[list.rows.findIndex(({ id }) => id === selected?.id) + by]
      if (selected && other) feed.edit(placing(selected.id, by < 0 ? 'before' : 'after', other.id))
    },
  }
  const refusal = selected && live.content.refused.get(selected.id)
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={WATCH_KEYS}
      pane="watch"
      state={state}
      list={list}
      summary={watchFigures(symbols.length, list, live)}
      note={refusal === undefined ? '' : `${selected?.id}: ${refusal}`}
    >
      {(area) =>
        list.rows.length === 0 ? (
          <Text>{emptyText(symbols.length, live)}</Text>
        ) : (
          <Table
            {...area}
            rows={list.rows}
            columns={WATCHED}
            selected={selected?.id}
            marked={NONE}
            now={now}
            isStale={live.problem === undefined ? isStaleRow : true}
          />
        )
      }
    </ScreenFrame>
  )
}

const NONE: ReadonlySet<string> = new Set()
const isStaleRow = ({ isStale }: WatchRow) => isStale

/** Returns the list with its prices; those of the rows on the screen are live. */
function useWatchList(
  feed: WatchFeed,
  { content }: Live<Watch>,
  { now, rows: height }: { now: number; rows: number },
) {
  const edits = useStore(feed.edits)
  const symbols = useMemo(() => edited(content.list, edits), [content.list, edits])
  const [shown, setShown] = useState<readonly string[]>([])
  const quotes = useQuotes(shown)
  const rows = useMemo(
    () => watchRows(symbols, { read: content.quotes, live: quotes }, now),
    [symbols, content.quotes, quotes, now],
  )
  const list = useList(WATCHED_LIST, rows, PRICES)
  const visible = windowOf(
    list.rows.map(({ id }) => id),
    list.rows.findIndex(({ id }) => id === list.selected?.id),
    height,
  )
  // Fixed while drawing: the prices decide the order, and the order decides which prices are read.
  if (visible.join() !== shown.join()) setShown(visible)
  return { list, symbols }
}

function watchFigures(count: number, list: List<WatchRow>, { content, problem }: Live<Watch>): string {
  const trouble = problem ?? content.problem
  const parts = [`${count} ${count === 1 ? 'symbol' : 'symbols'}`, listText(list)]
  return [...parts, trouble === undefined ? '' : `no new prices: ${trouble}`].filter(Boolean).join(', ')
}

function emptyText(count: number, { readAt, problem }: Live<Watch>): string {
  if (count > 0) return 'No row passes the filter.'
  if (readAt > 0) return 'The watch list is empty. a adds a symbol.'
  return problem === undefined ? 'Reading the watch list …' : 'The watch list cannot be read now.'
}
