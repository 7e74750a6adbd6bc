import type { Context } from '../../framework/context.js'
import type { LogFilter, OpenLog } from './show-log.js'

/** The most rows of one page of the API. */
const PAGE = 1000
/** The time between two looks for new rows, which keeps them within the rate limit of these routes. */
const LOOK_MS = 2000

/** The query of one page of a log of the daemon. */
export interface PageQuery {
  limit: number
  since?: string | undefined
  until?: string | undefined
  search?: string | undefined
  before?: number
  after?: number
}

/**
 * Opens a log of the daemon, whose pages have the newest row first.
 * @param read returns a page of the rows that match the user's filters
 */
export async function openPages<Row extends { readonly id: number }>(
  { io }: Context,
  { limit, search, since, until }: LogFilter,
  read: (query: PageQuery) => Promise<readonly Row[]>,
): Promise<OpenLog<Row>> {
  const filter = { since: iso(since), until: iso(until), search }
  const rows: Row[] = []
  for (let size = PAGE; size === PAGE && rows.length < limit; ) {
    size = Math.min(PAGE, limit - rows.length)
    const last = rows.at(-1)
    const page = await read({ ...filter, limit: size, ...(last && { before: last.id }) })
    rows.push(...page)
    if (page.length < size) break
  }
  let newest = rows[0]?.id ?? 0
  let lookedAt = io.now()
  return {
    rows: rows.toReversed(),
    newer: async () => {
      if (io.now() - lookedAt < LOOK_MS) return []
      lookedAt = io.now()
      const page = await read({ ...filter, limit: PAGE, after: newest })
      newest = page[0]?.id ?? newest
      return page.toReversed()
    },
  }
}

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
