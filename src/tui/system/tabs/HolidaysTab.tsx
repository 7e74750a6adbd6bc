import { HOLIDAY_COLUMNS } from '../../../views/system/holiday.js'
import { countText } from '../../../views/text/count.js'
import { keptList } from '../../components/list/use-list.js'
import { useDesk, useFeed } from '../../live/use-desk.js'
import { ListTab } from '../../tabs/ListTab.js'
import { HolidayFeed } from '../feeds/tables.js'
import { addHolidayForm, deleteHolidayQuestion } from '../holidays.js'
import { TABLE_KEYS } from '../keys.js'
import type { SystemTabProps } from './props.js'

const KEPT = keptList()

/** The holidays and special sessions of a year. */
export function HolidaysTab(props: SystemTabProps) {
  const feed = useDesk().part(HolidayFeed)
  const live = useFeed(feed)
  const { rows, warning, year } = live.content
  const refresh = () => void feed.refresh()
  const title = year === undefined ? '' : `${year}: ${countText(rows.length, 'day')}`
  return (
    <ListTab
      {...props}
      {...{ live, rows, kept: KEPT, columns: HOLIDAY_COLUMNS, bindings: TABLE_KEYS }}
      empty={`No holidays of ${year}. ${warning}`}
      summary={`${title}  ${warning}`}
      acts={(selected, dialogs) => ({
        add: () => dialogs.open(addHolidayForm(live.content, refresh)),
        remove: () => selected && dialogs.ask(deleteHolidayQuestion(selected, refresh)),
        moveYear: (by) => feed.moveYear(by),
      })}
    />
  )
}
