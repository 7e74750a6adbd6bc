import { Kept, useKept } from '../live/kept.js'
import { useDaemon } from '../live/use-daemon.js'
import { type Screen, type ScreenProps, type Target, useAsked } from '../screen/screen.js'
import { CHAIN_KEYS, ChainPane } from './chain/ChainPane.js'
import { SYMBOL_KEYS, SymbolPane } from './symbol/SymbolPane.js'
import type { Pane, Ways } from './symbol-acts.js'
import { parsedKey } from './symbol-key.js'
import { SearchPane } from './watch/SearchPane.js'
import { WATCH_KEYS, WatchPane } from './watch/WatchPane.js'

/** The market: the watch list, and over it what the user opened last. */
export const market: Screen = {
  id: 'market',
  title: 'Market',
  short: 'Mkt',
  keys: [...WATCH_KEYS, ...SYMBOL_KEYS, ...CHAIN_KEYS],
  opens: ['symbol'],
  View: MarketScreen,
}

/** The panes over the watch list, the last on top. */
const PANES = new Kept<readonly Pane[]>([])

function MarketScreen({ asked, ...area }: ScreenProps) {
  const daemon = useDaemon()
  const [panes, setPanes] = useKept(PANES)
  const ways: Ways = {
    open: (pane) => setPanes([...panes, pane]),
    replace: (pane) => setPanes([...panes.slice(0, -1), pane]),
    back: () => setPanes(panes.slice(0, -1)),
  }
  useAsked(asked, ({ id }: Target) => {
    // Back leads to the list: the panes below belong to another thought.
    if (parsedKey(id) !== undefined) setPanes([{ kind: 'symbol', symbol: id }])
    else daemon.changes.say(`"${id}" is not a symbol. Example: NSE:SBIN`)
  })
  const pane = panes.at(-1)
  switch (pane?.kind) {
    case undefined:
      return <WatchPane {...area} ways={ways} />
    case 'search':
      return <SearchPane {...area} ways={ways} />
    case 'symbol':
      return <SymbolPane key={pane.symbol} {...area} ways={ways} symbol={pane.symbol} />
    case 'chain':
      return <ChainPane key={pane.symbol} {...area} ways={ways} place={pane} />
  }
}
