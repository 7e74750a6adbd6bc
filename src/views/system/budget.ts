import type { RouteAnswer } from '../../client/endpoints.js'
import { countText } from '../text/count.js'

type Budgets = RouteAnswer<'GET /broker/status'>['data']['budgets']

/** The class that matters most comes first. */
const ORDERS = 'order'

/** The times of call limits, in milliseconds. */
const PERIODS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
]

/** Returns what is left of the call limits in words: `order 9 of 10/s, 398 of 400/min; quote 1 of 1/s`. */
export function budgetText(budgets: Budgets): string {
  return budgetLines(budgets).join('; ')
}

/** Returns what is left of the limits of each class of calls: `order 9 of 10/s, 398 of 400/min`. */
export function budgetLines(budgets: Budgets): string[] {
  if (budgets.length === 0) return ['no limits']
  return [...budgets]
    .sort((one, other) => Number(other.call_class === ORDERS) - Number(one.call_class === ORDERS))
    .map(({ call_class: callClass, waiting, windows }) => {
      const left = windows.map((window) => windowText(window))
      return `${callClass} ${left.join(', ')}${waiting > 0 ? `, ${countText(waiting, 'call')} waiting` : ''}`
    })
}

function windowText({ left, limit, per_ms: perMs }: Budgets[number]['windows'][number]): string {
  const [ms, name] = PERIODS.find(([period]) => perMs % period === 0) ?? [1, 'ms']
  const times = perMs / ms
  const shown = (value: number) => value.toLocaleString('en-IN')
  return `${shown(left)} of ${shown(limit)}/${times === 1 ? '' : `${times} `}${name}`
}
