import { useDesk, useStore } from '../live/use-desk.js'
import { useShell } from '../shell/shell-context.js'
import { WatchFeed } from './watch/watch-feed.js'
import { adding, edited, MOST_WATCHED } from './watch/watch-list.js'

/** Returns the acts on a symbol that work in every pane. */
export function useSymbolActs() {
  const desk = useDesk()
  const shell = useShell()
  const feed = desk.part(WatchFeed)
  const edits = useStore(feed.edits)
  return {
    /** Opens the form for an order. The form reviews it before it is sent. */
    order(symbol: string) {
      if (/_INDEX:/.test(symbol))
        desk.changes.say(`${symbol} is an index: it has no orders. e shows its options.`)
      else shell.show('orders', { kind: 'symbol', id: symbol })
    },
    /** Adds a symbol to the watch list. */
    watch(symbol: string) {
      const list = edited(feed.state().content.list, edits)
      const isFull = list.length >= MOST_WATCHED
      if (list.includes(symbol)) desk.changes.say(`${symbol} is in the watch list already.`)
      else if (isFull) desk.changes.say(`The watch list is full: ${MOST_WATCHED} symbols.`)
      else {
        feed.edit(adding(symbol))
        desk.changes.say(`${symbol} is added to the watch list.`)
      }
    },
  }
}
