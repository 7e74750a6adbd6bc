import { countAndValue } from './queue.js'
import { type Approvals, TABS, type Tab } from './use-approvals.js'
import { isPending } from './use-deciding.js'

/** Returns the tabs with their counts, what the filter leaves, and the value that waits. */
export function summaryOf(
  tab: Tab,
  statistics: Approvals['statistics'],
  filtered: string,
  waiting: string,
): string {
  const tabs = TABS.map((one) => {
    const count = statistics[`total_${one}`]
    const text = count === undefined ? one : `${one} ${count}`
    return one === tab ? `[${text}]` : ` ${text} `
  }).join(' ')
  return [tabs, filtered, tab === 'pending' ? waiting : ''].filter((part) => part !== '').join('  ')
}

/** Returns how many orders wait, and their value. */
export function waitingText(rows: Approvals['rows']): string {
  const waiting = rows.filter(isPending)
  return waiting.length === 0 ? 'no order waits' : `${countAndValue(waiting)} waiting`
}
