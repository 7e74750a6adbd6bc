import { keptList } from '../../components/list/use-list.js'
import type { LiveDaemon } from '../../live/daemon.js'

/** The cursor, the filter and the order of the watch list. */
export const WATCHED_LIST = keptList()

/** Puts the cursor on a symbol of the watch list, for when it is shown next. */
export function chooseWatched(daemon: LiveDaemon, symbol: string): void {
  const state = WATCHED_LIST.of(daemon)
  WATCHED_LIST.keep(daemon, { ...state, cursor: { ...state.cursor, chosen: symbol } })
}
