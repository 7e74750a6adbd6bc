import { riskRows } from '../../../views/system/risk.js'
import type { Column } from '../../../views/table/column.js'
import { useDesk, useFeed } from '../../live/use-desk.js'
import { FieldsTab } from '../../tabs/FieldsTab.js'
import { type Risk, RiskFeed } from '../feeds/tables.js'
import { FIELD_KEYS } from '../keys.js'
import { useModes } from '../use-modes.js'
import type { SystemTabProps } from './props.js'

/** The limits that every order is checked against, and the kill switch. */
export function RiskTab(props: SystemTabProps) {
  const live = useFeed(useDesk().part(RiskFeed))
  const rows = live.content === undefined ? [] : rowsOf(live.content)
  const fields = rows.map(({ rule }): Column => ({ key: rule, kind: 'quantity' }))
  return (
    <FieldsTab
      {...props}
      {...{ live, fields, acts: useModes(), bindings: FIELD_KEYS }}
      record={Object.fromEntries(rows.map(({ rule, value }) => [rule, value]))}
      summary="Limits of the risk gate. Change them: svc risk set  Kill switch: ctrl-x"
    />
  )
}

/** Returns the rules as `svc risk show` does, and who turned the kill switch on. */
function rowsOf(risk: Risk) {
  const { by, on, since } = risk.kill_switch
  const who = { rule: 'kill_switch_by', value: on ? `${by}, since ${since ?? 'unknown'}` : '' }
  const [kill, ...rules] = riskRows(risk)
  return [...(kill ? [kill] : []), who, ...rules]
}
