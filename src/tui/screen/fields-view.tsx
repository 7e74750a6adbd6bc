import { Fields } from '../components/Fields.js'
import { Content, Notice } from '../components/Notice.js'
import type { Binding } from '../keys/bindings.js'
import type { DrawnRecord, FieldsRecord, Shown, WithOwn } from './record.js'
import { keysIn, TURN_KEYS, useAsked, useShown, type View, ViewFrame, type ViewProps } from './view.js'

/** Returns the view of one record. */
export function fieldsView<Content, Source, Own>(
  record: FieldsRecord<Content, Source, Own> & { use(shown: NoInfer<Shown<Content, Source>>): Own },
): View
export function fieldsView<Content, Source>(record: FieldsRecord<Content, Source, undefined>): View
export function fieldsView<Content, Source, Own>(
  record: FieldsRecord<Content, Source, Own | undefined>,
): View {
  return drawnView<Content, Source, Own | undefined>({
    ...record,
    use: (shown) => record.use?.(shown),
    Draw({ shown, ...area }) {
      const { live, now } = shown
      const fields = () => <Fields {...area} {...record.record(shown)} now={now} />
      if (record.reading === undefined)
        return (
          <Content {...area} live={live}>
            {fields()}
          </Content>
        )
      if (live.readAt > 0) return fields()
      const text = live.problem === undefined ? record.reading : `Not read: ${live.problem}`
      return <Notice {...area} text={text} />
    },
  })
}

/** Returns the view that draws its content itself. */
export function drawnView<Content, Source, Own>(
  record: DrawnRecord<Content, Source, Own> & { use(shown: NoInfer<Shown<Content, Source>>): Own },
): View
export function drawnView<Content, Source>(record: DrawnRecord<Content, Source, undefined>): View
export function drawnView<Content, Source, Own>(record: DrawnRecord<Content, Source, Own | undefined>): View {
  const { name, commonKeys = TURN_KEYS } = record
  const own = keysIn(name, record.keys)
  const common = keysIn(name, commonKeys)
  const keys = [...own, ...common]
  return { name, own, common, Show: (props) => <DrawnView {...props} record={record} keys={keys} /> }
}

type State<Content, Source, Own> = Shown<Content, Source> & WithOwn<Own | undefined>

interface DrawnViewProps<Content, Source, Own> extends ViewProps {
  record: DrawnRecord<Content, Source, Own | undefined>
  keys: readonly Binding<string, State<Content, Source, Own>>[]
}

function DrawnView<Content, Source, Own>(props: DrawnViewProps<Content, Source, Own>) {
  const { record, keys } = props
  const base = useShown(props, record)
  const shown = { ...base, own: record.use?.(base) }
  const { Draw } = record
  useAsked(props, record, shown)
  return (
    <ViewFrame {...props} record={record} shown={shown} keys={keys}>
      {(area) => <Draw {...area} shown={shown} />}
    </ViewFrame>
  )
}
