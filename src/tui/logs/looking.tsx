import { useEffect, useLayoutEffect, useState } from 'react'
import { countText } from '../../views/text/count.js'
import { TextField } from '../components/form/TextField.js'
import { Notice } from '../components/Notice.js'
import { Store } from '../live/store.js'
import { useStore } from '../live/use-daemon.js'
import type { Cover, ListShown, WithOwn } from '../screen/record.js'
import type { LogContent, LogFeed, LogRow } from './feed.js'

/** The way in which the user looks at the logs. It outlives the screen. */
interface Look {
  /** True while new rows come; the newest one is selected then. */
  isFollowing: boolean
  /** The text that the daemon looks for, by the name of the log. */
  searches: Readonly<Record<string, string>>
  /** True while requests that only read are shown, too. */
  reads: boolean
}

/** How the user of a daemon looks at its logs. */
class Looks {
  readonly look = new Store<Look>({ isFollowing: true, searches: {}, reads: false })
}

export interface Looking {
  isFollowing: boolean
  follow(isFollowing: boolean): void
  /** The text that the daemon looks for; empty for all rows. */
  search: string
  searchFor(text: string): void
  reads: boolean
  showReads(reads: boolean): void
  /** What is open over the rows: the line to type a search in, or the command that exports them. */
  over: 'search' | 'export' | undefined
  show(over: Looking['over']): void
}

type Seen = ListShown<LogContent, LogFeed, LogRow>
export type LogShown = Seen & WithOwn<Looking>

/** A hook: lets a log be followed and searched. */
export function useLooking({ daemon, feed, list, opened, views: { current: log } }: Seen): Looking {
  const { look } = daemon.part(Looks)
  const seen = useStore(look)
  const { isFollowing, searches, reads } = seen
  const search = searches[log] ?? ''
  const [over, show] = useState<Looking['over']>()
  // A layout effect comes before the feed is held, so that its first read finds what is searched.
  useLayoutEffect(() => {
    feed.follow(isFollowing)
    feed.search(search)
    feed.showReads(reads)
  }, [feed, isFollowing, search, reads])
  const newest = list.rows[0]?.id
  const isAtRows = !opened.isOpen && over !== 'export'
  const isBehind = isFollowing && isAtRows && newest !== undefined && list.selected?.id !== newest
  useEffect(() => {
    if (isBehind) list.choose(newest)
  })
  return {
    isFollowing,
    follow: (next) => look.set({ ...seen, isFollowing: next }),
    search,
    searchFor(text) {
      show(undefined)
      look.set({ ...seen, searches: { ...searches, [log]: text.trim() } })
    },
    reads,
    showReads: (next) => look.set({ ...seen, reads: next }),
    over,
    show,
  }
}

/** Moves the cursor. A move away from the newest row ends the following, and one to the end reads older rows. */
export function movedBy(by: number, { list, feed, own }: LogShown): void {
  list.move(by)
  const at = list.rows.findIndex(({ id }) => id === list.selected?.id) + by
  // Rows that come would move away what the user looks at.
  if (own.isFollowing && at > 0) own.follow(false)
  if (at >= list.rows.length - 1) feed.readOlder()
}

/** Returns the figures of a log, and what of it is read. @param hasReads true for a log of requests */
export function logFigures({ content, own }: LogShown, hasReads: boolean): string {
  const { rows, hasOlder, figures, search: found } = content
  const { isFollowing, search, reads } = own
  return [
    isFollowing ? 'following' : 'paused',
    hasReads ? (reads ? 'with reads' : 'without reads') : '',
    figures,
    `${countText(rows.length, 'row')}${hasOlder ? ', older at the end' : ''}`,
    search === '' ? '' : search === found ? `with "${search}"` : `searching "${search}" …`,
  ]
    .filter((part) => part !== '')
    .join('  ')
}

/** The rows that a command is to export. */
export interface ShownRows {
  rows: readonly LogRow[]
  search: string
}

/** Returns the line to type a search in, or the command that exports the rows. */
export function lookingCover(
  { content, own }: LogShown,
  command: (shown: ShownRows) => string,
): Cover | undefined {
  const { over, search } = own
  if (over === undefined) return undefined
  if (over === 'export') {
    const text = `These rows come from: ${command({ rows: content.rows, search })}`
    return { part: 'export', draw: (area) => <Notice {...area} text={text} /> }
  }
  return {
    prompt: (
      <TextField
        label="Search the whole log: "
        first={search}
        onSubmit={own.searchFor}
        onCancel={() => own.show(undefined)}
      />
    ),
  }
}
