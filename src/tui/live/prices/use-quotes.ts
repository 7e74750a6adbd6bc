import { useMemo, useSyncExternalStore } from 'react'
import type { TickMode } from '../../../client/index.js'
import { useDaemon } from '../use-daemon.js'
import type { Quotes } from './quote-watch.js'
import { QuoteBook } from './quotes.js'

/** No exchange and no symbol has a space. */
const SEPARATOR = ' '

/**
 * Returns the live prices of symbols such as `NSE:SBIN`, and draws again when one of them changes, at most ten times a
 * second. A symbol without a price is not in the map.
 */
export function useQuotes(symbols: readonly string[], mode: TickMode = 'quote'): Quotes {
  const book = useDaemon().part(QuoteBook)
  // A new array with the same symbols is the same watch.
  const names = symbols.join(SEPARATOR)
  const watch = useMemo(
    () => book.watch(names === '' ? [] : names.split(SEPARATOR), mode),
    [book, names, mode],
  )
  return useSyncExternalStore(watch.subscribe, watch.quotes)
}
