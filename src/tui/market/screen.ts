import { screenOf } from '../screen/screen-of.js'
import { chainView } from './chain/chain-view.js'
import { ladderView } from './ladder/ladder-view.js'
import { symbolView } from './symbol/symbol-view.js'
import { usePanes } from './symbol-acts.js'
import { searchView } from './watch/search-view.js'
import { watchView } from './watch/watch-view.js'

/** The market: the watch list, and over it what the user opened last. */
export const market = screenOf({
  id: 'market',
  title: 'Market',
  short: 'Mkt',
  opens: ['symbol'],
  tabLine: 'never',
  hasDoubts: true,
  views: [watchView, symbolView, ladderView, chainView, searchView],
  tabs: [],
  useView() {
    const { top } = usePanes()
    if (top === undefined) return { name: 'watch' }
    return { name: top.kind, key: 'symbol' in top ? top.symbol : '' }
  },
})
