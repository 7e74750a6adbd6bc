import type { z } from 'zod'
import type { Logger } from '../../../logging/index.js'

interface RowReading<Schema extends z.ZodType> {
  row: Schema
  /** The field that names a row in the log. */
  id: string
  log: Pick<Logger, 'warn'>
  /** The event of rows that cannot be read. */
  event: string
}

/**
 * Returns the rows of a list that can be read: one that another program has made in its own way must not hide the others. Only for
 * lists in which a missing row proves nothing, as that of GTTs: one of ours that is not listed is then looked up by its id.
 */
export function readableRows<Schema extends z.ZodType>(
  list: readonly unknown[],
  { event, id, log, row }: RowReading<Schema>,
): z.output<Schema>[] {
  const read = list.map((each) => row.safeParse(each))
  const ids = list.filter((_, place) => !read[place]?.success).map((each) => nameOf(each, id))
  if (ids.length > 0) log.warn(event, { ids })
  return read.flatMap(({ data, success }) => (success ? [data] : []))
}

function nameOf(row: unknown, id: string): string {
  if (typeof row !== 'object' || row === null) return ''
  return String(Object.entries(row).find(([name]) => name === id)?.[1] ?? '')
}
