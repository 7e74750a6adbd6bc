import { type ListActs, listKeys } from '../components/list/use-list.js'
import { type Binding, type Moves, moves } from '../keys/bindings.js'
import type { KeyHelp } from '../keys/KeyLine.js'

interface SymbolActs {
  chain(): void
  order(): void
}

export interface WatchActs extends SymbolActs, ListActs {
  details(): void
  add(): void
  remove(): void
  /** Moves the row itself. */
  moveRow(by: -1 | 1): void
}

const chainKey = <Name extends string>(pane: Name): Binding<Name, SymbolActs> => ({
  id: 'market.chain',
  in: [pane],
  keys: ['e'],
  does: 'options',
  explained: 'show the option chain of the underlying',
  command: 'svc chain <underlying>',
  act: (acts) => acts.chain(),
})

const orderKey = <Name extends string>(pane: Name): Binding<Name, Pick<SymbolActs, 'order'>> => ({
  id: 'market.order',
  in: [pane],
  keys: ['n'],
  does: 'order',
  explained: 'fill in an order for the symbol: it is reviewed before it is sent',
  command: 'svc order place',
  act: (acts: Pick<SymbolActs, 'order'>) => acts.order(),
})

const backKey = <Name extends string>(pane: Name): Binding<Name, { back(): void }> => ({
  id: 'market.back',
  in: [pane],
  keys: ['esc', 'q'],
  does: 'back',
  explained: 'back (also q)',
  act: (acts) => acts.back(),
})

export const WATCH_KEYS: readonly Binding<'watch', WatchActs>[] = [
  {
    id: 'market.details',
    in: ['watch'],
    keys: ['enter'],
    does: 'details',
    explained: 'show facts, order book and chart of the symbol',
    command: 'svc depth <symbol>',
    act: (acts) => acts.details(),
  },
  {
    id: 'market.add',
    in: ['watch'],
    keys: ['a'],
    does: 'add',
    explained: 'search a symbol and add it to the list',
    command: 'svc search <words>',
    act: (acts) => acts.add(),
  },
  {
    id: 'market.remove',
    in: ['watch'],
    keys: ['d'],
    does: 'remove',
    explained: 'remove the symbol from the list',
    act: (acts) => acts.remove(),
  },
  chainKey('watch'),
  orderKey('watch'),
  {
    id: 'market.row-up',
    in: ['watch'],
    keys: ['K'],
    explained: 'move the row itself up',
    act: (acts) => acts.moveRow(-1),
  },
  {
    id: 'market.row-down',
    in: ['watch'],
    keys: ['J'],
    explained: 'move the row itself down',
    act: (acts) => acts.moveRow(1),
  },
  ...listKeys<'watch'>(['watch']),
]

export interface DetailsActs extends SymbolActs {
  add(): void
  back(): void
}

export const SYMBOL_KEYS: readonly Binding<'symbol', DetailsActs>[] = [
  chainKey('symbol'),
  orderKey('symbol'),
  {
    id: 'market.watch',
    in: ['symbol'],
    keys: ['a'],
    does: 'add to the list',
    act: (acts) => acts.add(),
  },
  backKey('symbol'),
]

export interface ChainActs extends Moves {
  details(): void
  order(): void
  add(): void
  side(): void
  expiry(by: -1 | 1): void
  back(): void
}

export const CHAIN_KEYS: readonly Binding<'chain', ChainActs>[] = [
  {
    id: 'market.details',
    in: ['chain'],
    keys: ['enter'],
    does: 'details',
    explained: 'show facts, order book and chart of the option',
    command: 'svc depth <symbol>',
    act: (acts) => acts.details(),
  },
  {
    id: 'chain.side',
    in: ['chain'],
    keys: ['right', 'left', 'l', 'h'],
    shown: '←→',
    does: 'side',
    explained: 'take the call or the put of the strike (also h and l)',
    act: (acts) => acts.side(),
  },
  {
    id: 'chain.next-expiry',
    in: ['chain'],
    keys: ['tab', ']'],
    shown: 'tab',
    does: 'expiry',
    explained: 'the next expiry (also ])',
    act: (acts) => acts.expiry(1),
  },
  {
    id: 'chain.previous-expiry',
    in: ['chain'],
    keys: ['shift-tab', '['],
    explained: 'the expiry before (also [)',
    act: (acts) => acts.expiry(-1),
  },
  orderKey('chain'),
  {
    id: 'market.watch',
    in: ['chain'],
    keys: ['a'],
    does: 'add',
    explained: 'add the option to the watch list',
    act: (acts) => acts.add(),
  },
  backKey('chain'),
  ...moves<'chain'>(['chain']),
]

export const SEARCH_KEYS: readonly KeyHelp[] = [
  { keys: '↑↓', does: 'move' },
  { keys: 'enter', does: 'add' },
  { keys: 'esc', does: 'cancel' },
]
