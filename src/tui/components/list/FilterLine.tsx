import type { KeyHelp } from '../../keys/KeyLine.js'
import { TextField } from '../form/TextField.js'
import type { List } from './use-list.js'

/** The line that edits the filter of a list, and shows its effect at once. Esc removes the filter. */
export function FilterLine({ list }: { list: List<unknown> }) {
  return (
    <TextField
      label="Filter: "
      first={list.filter}
      onChange={list.setFilter}
      onSubmit={list.endFilter}
      onCancel={() => {
        list.setFilter('')
        list.endFilter()
      }}
    />
  )
}

/** The keys of a line to type in. */
export const LINE_KEYS: readonly KeyHelp[] = [
  { keys: 'enter', does: 'take it' },
  { keys: 'esc', does: 'leave it' },
]

/** Returns the state of a list in a few words: `12 of 40 rows with "nse", by -price`; empty without filter and order. */
export function listText({ rows, total, filter, sort }: List<unknown>): string {
  const shown = filter === '' ? '' : `${rows.length} of ${total} with "${filter}"`
  const order = sort === undefined ? '' : `by ${sort}`
  return [shown, order].filter((part) => part !== '').join(', ')
}
