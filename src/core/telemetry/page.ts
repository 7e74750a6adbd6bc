/** The place of a row in its log. */
export interface LogPosition {
  id: number
  timestamp: number
}

/** The period and the place of a page of rows, newest first. */
export interface LogPage {
  limit: number
  /** Epoch milliseconds, inclusive. */
  since?: number | undefined
  /** Epoch milliseconds, exclusive. */
  until?: number | undefined
  /** The last row of the page before this one, or its id. */
  before?: number | LogPosition | undefined
  /** The id of the newest row that the caller has: the page has the oldest rows after it. */
  after?: number | undefined
}

/** Reads a whole log in pages of `limit` rows, newest first, and holds one page in memory. */
export async function* pagesOf<Row>(
  limit: number,
  read: (page: { limit: number; before: Row | undefined }) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let before: Row | undefined
  for (;;) {
    const rows: Row[] = await read({ limit, before })
    if (rows.length > 0) yield rows
    if (rows.length < limit) return
    before = rows.at(-1)
  }
}
