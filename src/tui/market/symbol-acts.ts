import type { Binding } from '../keys/bindings.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import { useShell } from '../screen/screen.js'
import type { Area } from '../terminal/size.js'
import type { Side } from './chain/chain.js'
import { WatchFeed } from './watch/watch-feed.js'
import { adding, edited, MOST_WATCHED } from './watch/watch-list.js'

/** A part of the screen that lies over the watch list. */
export type Pane = { kind: 'search' } | { kind: 'symbol'; symbol: string } | ChainPlace

export interface ChainPlace {
  kind: 'chain'
  /** The symbol whose underlying has the options. */
  symbol: string
  /** The chosen expiry, by default the nearest. */
  expiry?: string
  /** The side under the cursor. */
  side: Side
}

/** The way from a pane to others. */
export interface Ways {
  open(pane: Pane): void
  /** Puts a pane in the place of this one. */
  replace(pane: Pane): void
  back(): void
}

export interface PaneProps extends Area {
  ways: Ways
}

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
      if (/_INDEX:/.test(symbol))
        daemon.changes.say(`${symbol} is an index: it has no orders. e shows its options.`)
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
export interface SymbolState {
  ways: Ways
  acts: SymbolActs
  /** Acts on the symbol of the pane, or says why there is none. */
  withSymbol(act: (symbol: string) => void): void
}

export const chainKey = <Name extends string>(pane: Name): Binding<Name, SymbolState> => ({
  id: 'market.chain',
  in: [pane],
  keys: ['e'],
  does: 'options',
  explained: 'show the option chain of the underlying',
  command: 'svc chain <underlying>',
  act: ({ ways, withSymbol }) => withSymbol((symbol) => ways.open({ kind: 'chain', symbol, side: 'ce' })),
})

export const orderKey = <Name extends string>(pane: Name): Binding<Name, SymbolState> => ({
  id: 'market.order',
  in: [pane],
  keys: ['n'],
  does: 'order',
  explained: 'fill in an order for the symbol: it is reviewed before it is sent',
  command: 'svc order place',
  act: ({ acts, withSymbol }) => withSymbol(acts.order),
})

export const backKey = <Name extends string>(pane: Name): Binding<Name, SymbolState> => ({
  id: 'market.back',
  in: [pane],
  keys: ['esc', 'q'],
  does: 'back',
  explained: 'back (also q)',
  act: ({ ways }) => ways.back(),
})
