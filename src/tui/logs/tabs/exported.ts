import { istDate } from '../../../core/time/index.js'
import type { LogRow } from '../pages.js'

/** The rows that a command is to export. */
export interface Shown {
  rows: readonly LogRow[]
  search: string
}

/** Returns the command for whole Indian days of the order log or the analyzer log. */
export function daysCommand(log: 'orders' | 'analyzer', { rows, search }: Shown): string {
  const days = [rows.at(-1), rows[0]].map(dayOf)
  const parts = [
    ...(log === 'orders' ? [] : ['--log analyzer']),
    ...(days[0] === undefined ? [] : [`--since ${days[0]}`]),
    ...(days[1] === undefined ? [] : [`--until ${days[1]}`]),
    ...searchOf(search),
    `--file ${log}.csv`,
  ]
  return `svc log export ${parts.join(' ')}`
}

/** Returns the command for the newest rows of a list, as many as were read. */
export function rowsCommand(verb: string, { rows, search }: Shown): string {
  return [`svc ${verb}`, ...searchOf(search), `--limit ${Math.max(1, rows.length)}`, '-o csv'].join(' ')
}

function dayOf(row: (LogRow & { readonly time?: unknown }) | undefined): string | undefined {
  const at = Date.parse(String(row?.time))
  return Number.isNaN(at) ? undefined : istDate(at)
}

/** A shell takes the text between the quotes as it is. */
const searchOf = (search: string): readonly string[] =>
  search === '' ? [] : [`--search '${search.replaceAll("'", `'\\''`)}'`]
