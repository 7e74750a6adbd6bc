import type { RouteAnswer } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'

export const RISK_COLUMNS = [
  { key: 'rule' },
  { key: 'value', kind: 'limit' },
] as const satisfies readonly Column[]

/** Returns the kill switch, then the limits. */
export function riskRows(data: RouteAnswer<'GET /risk'>['data']) {
  const { on, reason, stored } = data.kill_switch
  const rules = Object.entries(data.rules).map(([rule, value]) => ({ rule, value: value ?? 'off' }))
  const killRow = {
    rule: 'kill_switch',
    value: on ? `ON${stored ? '' : ' (not stored)'}${reason ? `: ${reason}` : ''}` : 'off',
  }
  return [killRow, ...rules]
}
