import { TIMING_COLUMNS } from '../../../views/system/timing.js'
import { keptList } from '../../components/list/use-list.js'
import { useDesk, useFeed } from '../../live/use-desk.js'
import { ListTab } from '../../tabs/ListTab.js'
import { HoursFeed } from '../feeds/tables.js'
import { hoursForm } from '../hours.js'
import { TABLE_KEYS } from '../keys.js'
import type { SystemTabProps } from './props.js'

const KEPT = keptList()

/** The usual trading hours of the exchanges, and those of today. */
export function HoursTab(props: SystemTabProps) {
  const feed = useDesk().part(HoursFeed)
  const live = useFeed(feed)
  return (
    <ListTab
      {...props}
      {...{ live, kept: KEPT, rows: live.content, columns: TIMING_COLUMNS, bindings: TABLE_KEYS }}
      empty="No timings."
      summary="Usual trading hours, and those of today, in Indian time"
      acts={(selected, dialogs) => ({
        edit: () => selected && dialogs.open(hoursForm(selected, () => void feed.refresh())),
      })}
    />
  )
}
