import type { Column } from '../../views/table/column.js'
import { Fields } from '../components/Fields.js'
import { type Dialogs, useDialogs } from '../dialog/use-dialogs.js'
import { type Binding, useBindings } from '../keys/bindings.js'
import type { Live } from '../live/feed.js'
import type { Area } from '../screen/size.js'
import { Content } from './Content.js'
import { TabFrame } from './TabFrame.js'
import { useAges } from './use-ages.js'
import type { TabActs, Tabs } from './use-tabs.js'

interface FieldsTabProps<Acts> extends Area {
  tabs: Tabs
  live: Live<unknown>
  record: object | undefined
  fields: readonly Column[]
  summary: string
  bindings: readonly Binding<string, Acts & TabActs>[]
  acts(dialogs: Dialogs): Acts
}

/** A tab with the fields of one record, and the questions of its keys. */
export function FieldsTab<Acts extends object>(props: FieldsTabProps<Acts>) {
  const { tabs, live, record = {}, fields, bindings, ...frame } = props
  const dialogs = useDialogs()
  const now = useAges(live)
  useBindings(bindings, tabs.current, { ...props.acts(dialogs), moveTab: tabs.move })
  const { width, height, summary } = frame
  return (
    <TabFrame {...{ width, height, summary, tabs, dialogs, live, now, bindings }} pane={tabs.current}>
      {(area) => (
        <Content {...area} live={live}>
          <Fields {...area} {...{ record, fields, now }} />
        </Content>
      )}
    </TabFrame>
  )
}
