import { ServiceError } from '../errors/index.js'

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
  /** The place of the last row of the page before this one. */
  before?: LogPosition | undefined
  /** The id of the newest row that the caller has: the page has the oldest rows after it. */
  after?: number | undefined
}

/** A page as a caller asks for it: the last row of the page before this one has only its id. */
export type LogPageRequest = Omit<LogPage, 'before'> & { before?: number | undefined }

/**
 * Finds the place of the row that a page follows. @throws ServiceError `validation` for an id that no row has: an
 * empty page would look like the end of the list
 */
export async function placeOf(
  id: number | undefined,
  read: (id: number) => Promise<LogPosition | undefined>,
): Promise<LogPosition | undefined> {
  if (id === undefined) return undefined
  const place = await read(id)
  if (!place) throw new ServiceError('validation', 'before: Must be the id of a row of this log.')
  return place
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
