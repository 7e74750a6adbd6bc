import { type FC, type ReactNode, useEffect } from 'react'
import type { List, RowId } from '../components/list/use-list.js'
import { TabLine } from '../components/TabLine.js'
import type { AnyBinding, Binding } from '../keys/bindings.js'
import { useDaemon, useFeed, useStaleText } from '../live/use-daemon.js'
import { DoubtLines, useDoubts } from '../question/Doubts.js'
import { DialogPane } from '../question/QuestionPane.js'
import { useDialogs } from '../question/use-dialogs.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { AGE_FIRST } from './first-line.js'
import type { FrameRecord, Part, Shown, ViewKey, ViewRecord, Views } from './record.js'
import { ScreenFrame, useFrameLines } from './ScreenFrame.js'
import type { Target } from './screen.js'

/** A view of a screen, as `listView`, `fieldsView` and `drawnView` make it. */
export interface View {
  name: string
  /** The keys of this view, and those that other views have too. */
  own: readonly AnyBinding[]
  common: readonly AnyBinding[]
  Show: FC<ViewProps>
}

/** The lines over the content of a view. */
export interface Heading {
  /** The line of tabs: always, only over the content, or never. */
  tabLine: 'always' | 'over-content' | 'never'
  /** True for a screen that shows the requests in doubt. */
  hasDoubts: boolean
}

export interface ViewProps extends Area {
  views: Views
  heading: Heading
  /** The row whose details are open. */
  opened: RowId | undefined
  /** Returns the object that the screen is asked to show, once; undefined when nothing is asked. */
  takeAsked(): Target | undefined
  /** A hook: returns the figures of the screen, for a view that has none of its own. */
  useFigures(): string
}

/** Returns what every view shows. */
export function useShown<Content, Source, State, Own>(
  { heading, views, width, height }: Pick<ViewProps, 'heading' | 'views' | 'width' | 'height'>,
  {
    feed: make,
    redrawMs,
    prepare,
  }: Pick<ViewRecord<Content, Source, State, Own>, 'feed' | 'redrawMs' | 'prepare'>,
): Shown<Content, Source> {
  const daemon = useDaemon()
  const feed = daemon.part(make)
  const live = useFeed<Content>(feed)
  const dialogs = useDialogs(prepare && ((change) => prepare(change, daemon)))
  const { lines } = useDoubts()
  const frame = useFrameLines({ width, height })
  const now = useNow(live.problem === undefined ? (redrawMs?.(live.content) ?? CURRENT_MS) : STALE_MS)
  return {
    content: live.content,
    live,
    feed,
    refresh: () => void feed.refresh(),
    dialogs,
    daemon,
    views,
    area: { width, height: height - frame - (heading.hasDoubts ? lines : 0) },
    now,
    stale: useStaleText(live, now),
  }
}

/** Content without an age changes the form of its times at midnight only; stale content shows its age. */
const [CURRENT_MS, STALE_MS] = [60_000, 1000]

/** Shows the object that another part of the program asks for, once. */
export function useAsked<State>(
  { takeAsked }: Pick<ViewProps, 'takeAsked'>,
  { asked }: { asked?(target: Target, shown: State): void },
  shown: State,
): void {
  useEffect(() => {
    const target = takeAsked()
    if (target !== undefined) asked?.(target, shown)
  })
}

/** Returns the name of a part of a view, as its keys and the frame know it. */
export const paneOf = (view: string, part: Part) => (part === 'list' ? view : `${view} ${part}`)

/** Returns keys that work in a view. */
export function keysIn<State>(
  view: string,
  keys: readonly ViewKey<State>[],
): readonly Binding<string, State>[] {
  return keys.map(({ in: parts = ['list'], ...key }) => ({
    ...key,
    in: parts.map((part) => paneOf(view, part)),
  }))
}

/** The keys that change the tab. */
export const TURN_KEYS: readonly ViewKey<Pick<Shown, 'views' | 'daemon'>>[] = [
  {
    id: 'tabs.next',
    keys: ['tab'],
    does: 'next',
    explained: 'the next tab',
    act: (shown) => turned(shown, 1),
  },
  {
    id: 'tabs.previous',
    keys: ['shift-tab'],
    explained: 'the tab before',
    act: (shown) => turned(shown, -1),
  },
]

function turned({ views, daemon }: Pick<Shown, 'views' | 'daemon'>, by: number): void {
  daemon.changes.say('')
  views.move(by)
}

interface ViewFrameProps<State> extends ViewProps {
  record: FrameRecord<State>
  shown: State
  keys: readonly Binding<string, State>[]
  /** The part that has the keys, while nothing covers the content. */
  part?: Part
  list?: List<unknown>
  /** What the filter and the order do to the list. */
  filtered?: string
  children(area: Area): ReactNode
}

/** The frame of a view: the lines over its content, and the content or what covers it. */
export function ViewFrame<State extends Shown>(props: ViewFrameProps<State>) {
  const { record, shown, keys, part = 'list', list, filtered = '', children, width, height, heading } = props
  const { dialogs, views, stale } = shown
  const { dialog } = dialogs
  const figures = props.useFigures()
  const { doubts, lines } = useDoubts()
  const { firstLine = AGE_FIRST } = record
  const cover = record.cover?.(shown)
  const hasTabs = heading.tabLine !== 'never' && views.tabs.includes(record.name)
  const isCovered = dialog !== undefined || cover?.draw !== undefined || part === 'details'
  const content = (area: Area) => {
    if (dialog !== undefined) return <DialogPane {...area} dialog={dialog} dialogs={dialogs} />
    return cover?.draw === undefined ? children(area) : cover.draw(area)
  }
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={keys}
      pane={paneOf(record.name, cover?.part ?? part)}
      state={shown}
      list={list}
      place={part === 'list' ? (record.place?.(shown) ?? list?.place) : ''}
      summary={firstLine({ figures: record.summary?.(shown) ?? figures, filtered, stale })}
      note={record.note?.(shown)}
      named={dialogs.keys ?? cover?.keys}
      prompt={cover?.prompt}
    >
      {(area) => {
        if (heading.tabLine === 'over-content' && isCovered) return content(area)
        const above = (hasTabs ? 1 : 0) + (heading.hasDoubts ? lines : 0)
        return (
          <>
            {heading.hasDoubts && <DoubtLines doubts={doubts} width={area.width} />}
            {hasTabs && <TabLine tabs={views.tabs} current={record.name} width={area.width} />}
            {content({ width: area.width, height: area.height - above })}
          </>
        )
      }}
    </ScreenFrame>
  )
}
