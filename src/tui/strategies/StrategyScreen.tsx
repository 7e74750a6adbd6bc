import { FilterLine, listText } from '../components/list/FilterLine.js'
import { useCursor } from '../components/list/use-cursor.js'
import { keptList, useList } from '../components/list/use-list.js'
import { useScroll } from '../components/list/use-scroll.js'
import { useBindings } from '../keys/bindings.js'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon } from '../live/use-daemon.js'
import { QuestionPane } from '../question/QuestionPane.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import type { ScreenProps } from '../screen/screen.js'
import { useAsked } from '../screen/shell-context.js'
import { useNow } from '../terminal/use-now.js'
import { Chosen } from './Chosen.js'
import { STRATEGIES } from './columns.js'
import { KEYS, keysOfPane } from './keys.js'
import type { ShownLeg } from './legs.js'
import { ModeQuestion } from './ModeQuestion.js'
import { Overview } from './Overview.js'
import { TABS, type Tab } from './pane.js'
import { useActing } from './use-acting.js'
import { useDetails, useStrategies } from './use-strategies.js'

/** The strategies: a list, the legs, events and runs of the chosen one, and the questions before a change. */
export function StrategyScreen({ width, height, asked }: ScreenProps) {
  const { changes } = useDaemon()
  const strategies = useStrategies()
  const now = useNow(1000)
  const [tab, setTab] = useKept(TAB)
  const list = useList(LIST, strategies.rows, STRATEGIES)
  const { selected } = list
  const details = useDetails(selected?.id)
  const lists = {
    legs: useCursor<ShownLeg>(details?.legs ?? []),
    events: useScroll(details?.events ?? []),
    runs: useScroll(details?.runs ?? []),
  }
  const acting = useActing({ row: selected, details, leg: lists.legs.selected })
  const { pane } = acting
  useAsked(asked, ({ id }) => {
    acting.show('list')
    list.choose(Number(id))
  })
  useBindings(KEYS, pane.kind, {
    ...acting,
    move(by) {
      changes.say('')
      if (pane.kind === 'details') lists[tab].move(by)
      else list.move(by)
    },
    list,
    details: () => selected !== undefined && acting.show('details'),
    back: () => acting.show('list'),
    nextTab: () => setTab(TABS[(TABS.indexOf(tab) + 1) % TABS.length] ?? 'legs'),
  })
  const frame = {
    width,
    height,
    bindings: KEYS,
    pane: pane.kind,
    summary: [`${strategies.running} of ${list.total} running`, listText(list)]
      .filter((one) => one)
      .join(', '),
    ...keysOfPane(pane),
    ...(list.isFiltering && { prompt: <FilterLine list={list} /> }),
  }
  const parts = { now, isStale: strategies.problem !== undefined }
  return (
    <ScreenFrame {...frame}>
      {(area) => {
        switch (pane.kind) {
          case 'mode':
            return <ModeQuestion {...{ ...area, pane, acting }} />
          case 'reading':
          case 'asked':
            return (
              <QuestionPane
                {...area}
                state={pane}
                onConfirm={() => void acting.confirm()}
                onLeave={acting.cancel}
              />
            )
          case 'list':
            return <Overview {...{ ...area, ...parts, list, details }} live={strategies} />
          case 'details':
            return <Chosen {...{ ...area, ...parts, details, lists, tab }} />
        }
      }}
    </ScreenFrame>
  )
}

const LIST = keptList()
const TAB = new Kept<Tab>('legs')
