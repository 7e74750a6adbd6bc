import { parsedKey } from '../symbol-key.js'

/** The list of symbols that a user watches, such as `NSE:SBIN`, as the daemon keeps it. */
export type WatchList = readonly string[]

/** A change of the list. A repeated one changes nothing more, so that it may be shown before it is saved. */
export type Edit = (list: WatchList) => WatchList

/** The name of the list among the user's preferences. */
export const PREFERENCE = 'svc.watchlist'

/** A longer list would ask the broker for too many quotes. */
export const MOST_WATCHED = 200

/** Returns the list in the preferences; empty before the first symbol, and for a value that is no list. */
export function listIn(preferences: Readonly<Record<string, unknown>>): WatchList {
  const text = preferences[PREFERENCE]
  if (typeof text !== 'string') return []
  const stored = parsed(text)
  if (!Array.isArray(stored)) return []
  const symbols = stored.filter((one): one is string => typeof one === 'string' && isSymbol(one))
  return [...new Set(symbols)].slice(0, MOST_WATCHED)
}

/** A space would end a symbol where several are named. */
const isSymbol = (text: string) => parsedKey(text) !== undefined && !/\s/.test(text)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the preference that holds a list. */
export const preferenceOf = (list: WatchList): Readonly<Record<string, string>> => ({
  [PREFERENCE]: JSON.stringify(list),
})

export const edited = (list: WatchList, edits: readonly Edit[]): WatchList =>
  edits.reduce((before, edit) => edit(before), list)

/** Adds a symbol at the end. */
export const adding =
  (symbol: string): Edit =>
  (list) =>
    list.includes(symbol) || list.length >= MOST_WATCHED ? list : [...list, symbol]

export const removing =
  (symbol: string): Edit =>
  (list) =>
    list.filter((one) => one !== symbol)

/** Puts a symbol directly before or after another one. */
export const placing =
  (symbol: string, side: 'before' | 'after', other: string): Edit =>
  (list) => {
    if (symbol === other || !list.includes(symbol) || !list.includes(other)) return list
    const rest = list.filter((one) => one !== symbol)
    return rest.toSpliced(rest.indexOf(other) + (side === 'after' ? 1 : 0), 0, symbol)
  }
