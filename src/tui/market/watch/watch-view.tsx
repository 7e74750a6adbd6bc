import { useEffect, useMemo } from 'react'
import { Table, windowOf } from '../../components/list/Table.js'
import { listText } from '../../components/list/use-list.js'
import type { Live } from '../../live/feed.js'
import { useQuotes } from '../../live/prices/quotes.js'
import { Store } from '../../live/store.js'
import { useDaemon, useStore } from '../../live/use-daemon.js'
import { FIGURES_ALONE } from '../../screen/first-line.js'
import { LIST_KEYS, listView } from '../../screen/list-view.js'
import type { ListShown, RowsProps, ViewKey, WithOwn } from '../../screen/record.js'
import { useNow } from '../../terminal/use-now.js'
import {
  CHAIN_KEY,
  LADDER_KEY,
  MarketPanes,
  ORDER_KEY,
  type SymbolOwn,
  showAsked,
  useSymbolActs,
} from '../symbol-acts.js'
import { PRICES, WATCHED, type WatchRow, watchRows } from './rows.js'
import { type Watch, WatchFeed } from './watch-feed.js'
import { edited, placing, removing } from './watch-list.js'

type Seen = ListShown<Watch, WatchFeed, WatchRow>
type WatchShown = Seen & WithOwn<SymbolOwn>

/** The keys of the watch list, in the order in which the last line names them. */
const WATCH_KEYS: readonly ViewKey<WatchShown>[] = [
  {
    id: 'market.details',
    keys: ['enter'],
    does: 'details',
    explained: 'show facts, order book and chart of the symbol',
    command: 'svc depth <symbol>',
    act: ({ own }) => own.withSymbol((symbol) => own.panes.open({ kind: 'symbol', symbol })),
  },
  {
    id: 'market.add',
    keys: ['a'],
    does: 'add',
    explained: 'search a symbol and add it to the list',
    command: 'svc search <words>',
    act: ({ own }) => own.panes.open({ kind: 'search' }),
  },
  {
    id: 'market.remove',
    keys: ['d'],
    does: 'remove',
    explained: 'remove the symbol from the list',
    act: ({ own, feed, daemon }) =>
      own.withSymbol((symbol) => {
        feed.edit(removing(symbol))
        daemon.changes.say(`${symbol} is removed from the watch list. a adds it again.`)
      }),
  },
  CHAIN_KEY,
  LADDER_KEY,
  ORDER_KEY,
  {
    id: 'market.row-up',
    keys: ['K'],
    explained: 'move the row itself up',
    act: (shown) => moveRow(shown, -1),
  },
  {
    id: 'market.row-down',
    keys: ['J'],
    explained: 'move the row itself down',
    act: (shown) => moveRow(shown, 1),
  },
  ...LIST_KEYS,
]

/** Moves the row itself. */
function moveRow({ list, feed, daemon }: WatchShown, by: -1 | 1): void {
  const { selected } = list
  if (list.sort !== undefined) {
    daemon.changes.say('A column sorts the rows. o goes on to their own order.')
    return
  }
  const other = list.rows[list.rows.findIndex(({ id }) => id === selected?.id) + by]
  if (selected && other) feed.edit(placing(selected.id, by < 0 ? 'before' : 'after', other.id))
}

/** The symbols of the rows on the screen, whose prices are live. */
class ShownSymbols {
  readonly list = new Store<readonly string[]>([])
}

/** A hook: returns the list with its prices; those of the rows on the screen are live. */
function useWatchRows({ content }: Live<Watch>): readonly WatchRow[] {
  const daemon = useDaemon()
  const now = useNow(1000)
  const edits = useStore(daemon.part(WatchFeed).edits)
  const symbols = useMemo(() => edited(content.list, edits), [content.list, edits])
  const live = useQuotes(useStore(daemon.part(ShownSymbols).list))
  return useMemo(
    () => watchRows(symbols, { read: content.quotes, live }, now),
    [symbols, content.quotes, live, now],
  )
}

/** A hook: returns what keys do with the symbol under the cursor. */
function useWatchActs({ daemon, list, area }: Pick<Seen, 'daemon' | 'list' | 'area'>): SymbolOwn {
  const { selected } = list
  const visible = windowOf(
    list.rows.map(({ id }) => id),
    list.rows.findIndex(({ id }) => id === selected?.id),
    area.height - 1,
  )
  const shown = daemon.part(ShownSymbols).list
  // The prices decide the order, and the order decides which prices are read.
  useEffect(() => {
    if (visible.join() !== shown.get().join()) shown.set(visible)
  })
  return {
    panes: daemon.part(MarketPanes),
    acts: useSymbolActs(),
    withSymbol: (act) => selected && act(selected.id),
  }
}

/** The watch list with live prices. */
export const watchView = listView({
  name: 'watch',
  hasPane: false,
  feed: WatchFeed,
  useRows: useWatchRows,
  use: useWatchActs,
  columns: PRICES,
  Rows: WatchTable,
  empty: {
    reading: 'Reading the watch list …',
    failed: () => 'The watch list cannot be read now.',
    none: 'The watch list is empty. a adds a symbol.',
    filtered: () => 'No row passes the filter.',
  },
  summary: watchFigures,
  firstLine: FIGURES_ALONE,
  note: ({ row, content }) => refusalText(row, content),
  keys: WATCH_KEYS,
  commonKeys: [],
  asked: showAsked,
})

function WatchTable({ list, live, now, ...area }: RowsProps<WatchRow>) {
  return (
    <Table
      {...area}
      rows={list.rows}
      columns={WATCHED}
      selected={list.selected?.id}
      marked={NONE}
      now={now}
      isStale={live.problem === undefined ? isStaleRow : true}
    />
  )
}

const NONE: ReadonlySet<string> = new Set()
const isStaleRow = ({ isStale }: WatchRow) => isStale

function refusalText(row: WatchRow | undefined, { refused }: Watch): string {
  const refusal = row && refused.get(row.id)
  return refusal === undefined ? '' : `${row?.id}: ${refusal}`
}

function watchFigures({ rows, list, live }: Pick<Seen, 'rows' | 'list' | 'live'>): string {
  const trouble = live.problem ?? live.content.problem
  const parts = [`${rows.length} ${rows.length === 1 ? 'symbol' : 'symbols'}`, listText(list)]
  return [...parts, trouble === undefined ? '' : `no new prices: ${trouble}`].filter(Boolean).join(', ')
}
