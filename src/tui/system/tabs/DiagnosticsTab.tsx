import { PROBE_COLUMNS } from '../../../views/system/probe.js'
import type { Column } from '../../../views/table/column.js'
import { ageText } from '../../../views/text/age.js'
import { countText } from '../../../views/text/count.js'
import { keptList } from '../../components/list/use-list.js'
import { useDesk, useStore } from '../../live/use-desk.js'
import { useNow } from '../../screen/use-now.js'
import { ListTab } from '../../tabs/ListTab.js'
import { type Probed, Probes } from '../feeds/probes.js'
import { PROBE_KEYS } from '../keys.js'
import { useModes } from '../use-modes.js'
import type { SystemTabProps } from './props.js'

const KEPT = keptList()
/** How often the age of the results is shown again, and that of a run. */
const [IDLE_MS, RUNNING_MS] = [10_000, 1000]
const COLUMNS = PROBE_COLUMNS.map(
  (column): Column => (column.key === 'ok' ? { ...column, kind: 'status' } : column),
)

/** The probes of the daemon: database, HTTP, market stream, broker. */
export function DiagnosticsTab(props: SystemTabProps) {
  const probes = useDesk().part(Probes)
  const state = useStore(probes.state)
  const modes = useModes()
  const now = useNow(state.runningSince === undefined ? IDLE_MS : RUNNING_MS)
  return (
    <ListTab
      {...props}
      {...{
        rows: state.content,
        kept: KEPT,
        columns: COLUMNS,
        summary: stateText(state, now),
        bindings: PROBE_KEYS,
      }}
      // Before the first run there is nothing to wait for.
      live={{ ...state, readAt: state.problem === undefined ? Math.max(1, state.readAt) : state.readAt }}
      empty={state.runningSince === undefined ? 'No probe has run. Run them: p' : 'Running the probes …'}
      acts={(_, dialogs) => ({ ...modes(dialogs), probe: () => probes.run() })}
    />
  )
}

function stateText({ content, readAt, runningSince }: Probed, now: number): string {
  if (runningSince !== undefined) return `running the probes for ${ageText(now - runningSince)} …`
  if (readAt === 0) return 'not probed yet'
  const failed = content.filter(({ ok }) => ok === 'NO').length
  const result = failed === 0 ? 'all probes passed' : `${countText(failed, 'probe')} FAILED`
  return `${result} ${ageText(now - readAt)} ago`
}
