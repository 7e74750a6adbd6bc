import type { LiveDaemon } from '../live/daemon.js'
import { Store } from '../live/store.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import type { OrderBody } from '../orders/form/draft.js'
import type { Shown, ViewKey, WithOwn } from '../screen/record.js'
import { type Target, useShell } from '../screen/screen.js'
import type { Side } from './chain/legs.js'
import { parsedKey } from './symbol-key.js'
import { WatchFeed } from './watch/watch-feed.js'
import { adding, edited, MOST_WATCHED } from './watch/watch-list.js'

/** A part of the screen that lies over the watch list. */
export type Pane = { kind: 'search' } | { kind: 'symbol'; symbol: string } | ChainPlace | LadderPlace

export interface ChainPlace {
  kind: 'chain'
  /** The symbol whose underlying has the options. */
  symbol: string
  /** The chosen expiry, by default the nearest. */
  expiry?: string
  /** The side under the cursor. */
  side: Side
}

export interface LadderPlace {
  kind: 'ladder'
  symbol: string
  /** The price under the cursor and the highest one on the screen, in ticks; by default the last price is in the middle. */
  at?: number
  top?: number
  /** The quantity of the next order; by default one lot. */
  quantity?: number
  product?: OrderBody['product']
  /** The order that is on the move. */
  moving?: string
}

/** The panes over the watch list, the last on top. They outlive the screen. */
export class MarketPanes {
  readonly list = new Store<readonly Pane[]>([])

  open(pane: Pane): void {
    this.list.set([...this.list.get(), pane])
  }

  /** Puts a pane in the place of the top one. */
  replace(pane: Pane): void {
    this.list.set([...this.list.get().slice(0, -1), pane])
  }

  back(): void {
    this.list.set(this.list.get().slice(0, -1))
  }

  /** Shows one pane. Back leads to the list: the panes below belong to another thought. */
  openOnly(pane: Pane): void {
    this.list.set([pane])
  }
}

/** A hook: returns the panes of the daemon, and the top one; undefined for the watch list alone. */
export function usePanes(): { panes: MarketPanes; top: Pane | undefined } {
  const panes = useDaemon().part(MarketPanes)
  return { panes, top: useStore(panes.list).at(-1) }
}

const isIndex = (symbol: string) => /_INDEX:/.test(symbol)
const noOrders = (symbol: string) => `${symbol} is an index: it has no orders. e shows its options.`

type SymbolActs = ReturnType<typeof useSymbolActs>

/** Returns the acts on a symbol that work in every pane. */
export function useSymbolActs() {
  const daemon = useDaemon()
  const shell = useShell()
  const feed = daemon.part(WatchFeed)
  const edits = useStore(feed.edits)
  return {
    /** Opens the form for an order. The form reviews it before it is sent. */
    order(symbol: string) {
      if (isIndex(symbol)) daemon.changes.say(noOrders(symbol))
      else shell.show('orders', { kind: 'symbol', id: symbol })
    },
    /** Adds a symbol to the watch list. */
    watch(symbol: string) {
      const list = edited(feed.state().content.list, edits)
      const isFull = list.length >= MOST_WATCHED
      if (list.includes(symbol)) daemon.changes.say(`${symbol} is in the watch list already.`)
      else if (isFull) daemon.changes.say(`The watch list is full: ${MOST_WATCHED} symbols.`)
      else {
        feed.edit(adding(symbol))
        daemon.changes.say(`${symbol} is added to the watch list.`)
      }
    },
  }
}

/** What the keys of a symbol act on. */
export interface SymbolOwn {
  panes: MarketPanes
  acts: SymbolActs
  /** Acts on the symbol of the pane, or says why there is none. */
  withSymbol(act: (symbol: string) => void): void
}

type SymbolKey = ViewKey<Pick<Shown, 'daemon'> & WithOwn<SymbolOwn>>

export const CHAIN_KEY: SymbolKey = {
  id: 'market.chain',
  keys: ['e'],
  does: 'options',
  explained: 'show the option chain of the underlying',
  command: 'svc chain <underlying>',
  act: ({ own }) => own.withSymbol((symbol) => own.panes.open({ kind: 'chain', symbol, side: 'ce' })),
}

export const LADDER_KEY: SymbolKey = {
  id: 'market.ladder',
  keys: ['p'],
  does: 'ladder',
  explained: 'a price ladder, to place, move and cancel orders',
  act: ({ daemon, own }) =>
    own.withSymbol((symbol) => {
      if (isIndex(symbol)) daemon.changes.say(noOrders(symbol))
      else own.panes.open({ kind: 'ladder', symbol })
    }),
}

export const ORDER_KEY: SymbolKey = {
  id: 'market.order',
  keys: ['n'],
  does: 'order',
  explained: 'fill in an order for the symbol: it is reviewed before it is sent',
  command: 'svc order place',
  act: ({ own }) => own.withSymbol(own.acts.order),
}

export const BACK_KEY: SymbolKey = {
  id: 'market.back',
  keys: ['esc', 'q'],
  does: 'back',
  explained: 'back (also q)',
  act: ({ own }) => own.panes.back(),
}

/** Shows the symbol that another part of the program asks for. */
export function showAsked({ id }: Target, { daemon }: { daemon: LiveDaemon }): void {
  if (parsedKey(id) !== undefined) daemon.part(MarketPanes).openOnly({ kind: 'symbol', symbol: id })
  else daemon.changes.say(`"${id}" is not a symbol. Example: NSE:SBIN`)
}
