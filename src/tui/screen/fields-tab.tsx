import type { Column } from '../../views/table/column.js'
import { Fields } from '../components/Fields.js'
import { Content } from '../components/Notice.js'
import type { Binding } from '../keys/bindings.js'
import {
  keysIn,
  TabFrame,
  type TabKey,
  type TabSpec,
  type TabState,
  turnKeysIn,
  useTab,
  useTabNow,
} from './tab.js'
import type { Tab, TabProps } from './tab-screen.js'

/** A tab with the fields of one record, and the questions of its keys. */
export interface FieldsTab<Content, Source> extends TabSpec<Content, Source> {
  /** Returns the record with its fields, the ones that matter most first. */
  record(content: Content): { record: object; fields: readonly Column[] }
  /** The keys of the tab, in the order in which the last line names them. */
  keys: readonly TabKey<NoInfer<TabState<Content, Source>>>[]
}

/** Returns the tab of one record. */
export function fieldsTab<Content, Source>(spec: FieldsTab<Content, Source>): Tab {
  const { name } = spec
  const own = keysIn(name, spec.keys)
  const shared = turnKeysIn(name)
  const keys = [...own, ...shared]
  return { name, own, shared, View: (props) => <FieldsView {...props} spec={spec} keys={keys} /> }
}

interface FieldsViewProps<Content, Source> extends TabProps {
  spec: FieldsTab<Content, Source>
  keys: readonly Binding<string, TabState<Content, Source>>[]
}

function FieldsView<Content, Source>(props: FieldsViewProps<Content, Source>) {
  const { tabs, useFigures, spec, keys, width, height } = props
  const { live, state } = useTab(tabs, spec)
  const figures = useFigures()
  const now = useTabNow(live, spec.redrawMs)
  return (
    <TabFrame
      width={width}
      height={height}
      state={state}
      keys={keys}
      pane={spec.name}
      live={live}
      now={now}
      summary={spec.summary === undefined ? figures : spec.summary(live.content, now)}
    >
      {(area) => (
        <Content {...area} live={live}>
          <Fields {...area} {...spec.record(live.content)} now={now} />
        </Content>
      )}
    </TabFrame>
  )
}
