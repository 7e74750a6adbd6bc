import { countText } from '../../views/text/count.js'
import { listText } from '../components/list/FilterLine.js'
import type { List } from '../components/list/use-list.js'
import type { Live } from '../live/feed.js'
import type { LogContent } from './feed.js'
import type { LogRow } from './pages.js'

interface SummaryParts {
  live: Live<LogContent>
  list: List<LogRow>
  search: string
  isFollowing: boolean
  /** The age of the rows when they are not current; empty otherwise. */
  age: string
}

/** Returns the figures of a log, and what of it is shown. */
export function summaryOf({ live, list, search, isFollowing, age }: SummaryParts): string {
  const { rows, hasOlder, figures, search: found } = live.content
  const parts = [
    isFollowing ? 'following' : 'paused',
    figures,
    `${countText(rows.length, 'row')}${hasOlder ? ', older at the end' : ''}`,
    search === '' ? '' : search === found ? `with "${search}"` : `searching "${search}" …`,
    listText(list),
    age,
  ]
  return parts.filter((part) => part !== '').join('  ')
}
