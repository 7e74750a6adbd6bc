import { FREEZE_COLUMNS } from '../../../views/system/freeze.js'
import { keptList } from '../../components/list/use-list.js'
import { useDesk, useFeed } from '../../live/use-desk.js'
import { ListTab } from '../../tabs/ListTab.js'
import { FreezeFeed } from '../feeds/tables.js'
import { addFreezeForm, deleteFreezeQuestion, editFreezeForm } from '../freeze.js'
import { TABLE_KEYS } from '../keys.js'
import type { SystemTabProps } from './props.js'

const KEPT = keptList()

/** The largest orders that exchanges accept, by underlying. */
export function FreezeTab(props: SystemTabProps) {
  const feed = useDesk().part(FreezeFeed)
  const live = useFeed(feed)
  const refresh = () => void feed.refresh()
  return (
    <ListTab
      {...props}
      {...{ live, kept: KEPT, rows: live.content, columns: FREEZE_COLUMNS, bindings: TABLE_KEYS }}
      empty="No freeze quantities."
      summary={`${live.content.length} freeze quantities: the largest orders that exchanges accept`}
      acts={(selected, dialogs) => ({
        add: () => dialogs.open(addFreezeForm(refresh)),
        edit: () => selected && dialogs.open(editFreezeForm(selected, refresh)),
        remove: () => selected && dialogs.ask(deleteFreezeQuestion(selected, refresh)),
      })}
    />
  )
}
