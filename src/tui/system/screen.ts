import { riskRows } from '../../views/system/risk.js'
import { fieldsView } from '../screen/fields-view.js'
import { screenOf } from '../screen/screen-of.js'
import { diagnostics } from './diagnostics.js'
import { freeze } from './freeze.js'
import { health } from './health.js'
import { holidays } from './holidays.js'
import { hours } from './hours.js'
import { MODE_KEYS } from './modes.js'
import { overview } from './overview.js'
import { type Risk, RiskFeed } from './risk-feed.js'

/** The limits that every order is checked against, and the kill switch. */
const risk = fieldsView({
  name: 'risk',
  feed: RiskFeed,
  record({ content }) {
    const rows = content === undefined ? [] : ruleRows(content)
    return {
      record: Object.fromEntries(rows.map(({ rule, value }) => [rule, value])),
      fields: rows.map(({ rule }) => ({ key: rule, kind: 'limit' })),
    }
  },
  summary: () => 'Limits of the risk gate. Change them: svc risk set  Kill switch: ctrl-x',
  keys: MODE_KEYS,
})

/** Returns the rules as `svc risk show` does, and who turned the kill switch on. */
function ruleRows(now: Risk) {
  const { by, on, since } = now.kill_switch
  const who = { rule: 'kill_switch_by', value: on ? `${by}, since ${since ?? 'unknown'}` : '' }
  const [kill, ...rules] = riskRows(now)
  return [...(kill ? [kill] : []), who, ...rules]
}

/** The service itself: its state and modes, probes, health, freeze quantities, calendar and risk rules. */
export const system = screenOf({
  id: 'system',
  title: 'System',
  short: 'Sys',
  views: [overview, diagnostics, health, freeze, holidays, hours, risk],
})
