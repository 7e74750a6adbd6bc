import { keptList } from '../../components/list/use-list.js'
import type { Desk } from '../../live/desk.js'

/** The cursor, the filter and the order of the watch list. */
export const WATCHED_LIST = keptList()

/** Puts the cursor on a symbol of the watch list, for when it is shown next. */
export function chooseWatched(desk: Desk, symbol: string): void {
  const state = WATCHED_LIST.of(desk)
  WATCHED_LIST.keep(desk, { ...state, cursor: { ...state.cursor, chosen: symbol } })
}
