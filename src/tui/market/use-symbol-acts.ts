import { useDaemon, useStore } from '../live/use-daemon.js'
import { useShell } from '../screen/shell-context.js'
import { WatchFeed } from './watch/watch-feed.js'
import { adding, edited, MOST_WATCHED } from './watch/watch-list.js'

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
