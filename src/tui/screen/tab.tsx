import type { ReactNode } from 'react'
import type { List } from '../components/list/use-list.js'
import { TabLine } from '../components/TabLine.js'
import type { Binding } from '../keys/bindings.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { Live, LiveSource } from '../live/feed.js'
import { useDaemon, useFeed, useStaleText } from '../live/use-daemon.js'
import { DialogPane } from '../question/QuestionPane.js'
import { type Dialogs, useDialogs } from '../question/use-dialogs.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { ScreenFrame } from './ScreenFrame.js'
import type { Tabs } from './tab-screen.js'

/** The part of a tab's record that a list and the fields of one object have in common. */
export interface TabSpec<Content, Source> {
  /** The name of the tab, which the line of tabs shows. */
  name: string
  /** The class that reads the content. The program makes it once, and it reads while the tab is shown. */
  feed: new (
    daemon: LiveDaemon,
  ) => Source & LiveSource<Content>
  /** Returns the figures of the tab, in a few words; by default those of the screen. */
  summary?(content: Content, now: number): string
  /** Returns how often an age in the summary changes, in milliseconds; by default each minute. */
  redrawMs?(content: Content): number
}

/** A key of a tab: its words, and its act on what the tab shows. */
export type TabKey<State> = Omit<Binding<string, State>, 'in'>

/** What the keys of a tab act on. */
export interface TabState<Content = unknown, Source = unknown> {
  content: Content
  feed: Source
  /** Reads the content again. */
  refresh(): void
  /** Opens questions and forms, which lead to changes. */
  dialogs: Dialogs
  daemon: LiveDaemon
  tabs: Tabs
}

/** Returns the content of a tab with what its keys act on. */
export function useTab<Content, Source>(tabs: Tabs, { feed: make }: Pick<TabSpec<Content, Source>, 'feed'>) {
  const daemon = useDaemon()
  const feed = daemon.part(make)
  const live = useFeed<Content>(feed)
  const dialogs = useDialogs()
  const state: TabState<Content, Source> = {
    content: live.content,
    feed,
    refresh: () => void feed.refresh(),
    dialogs,
    daemon,
    tabs,
  }
  return { live, state }
}

/** The keys that change the tab. */
const TURN_KEYS: readonly TabKey<Pick<TabState, 'tabs'>>[] = [
  {
    id: 'tabs.next',
    keys: ['tab'],
    does: 'next',
    explained: 'the next tab',
    act: ({ tabs }) => tabs.move(1),
  },
  {
    id: 'tabs.previous',
    keys: ['shift-tab'],
    explained: 'the tab before',
    act: ({ tabs }) => tabs.move(-1),
  },
]

/** Returns keys that work in a tab. */
export function keysIn<State>(
  tab: string,
  keys: readonly TabKey<State>[],
): readonly Binding<string, State>[] {
  return keys.map((key) => ({ ...key, in: [tab] }))
}

export const turnKeysIn = (tab: string) => keysIn(tab, TURN_KEYS)

/** Content without an age changes the form of its times at midnight only; stale content shows its age. */
const [CURRENT_MS, STALE_MS] = [60_000, 1000]

/** Returns the time in milliseconds, and draws again as often as the ages of a tab need it. */
export function useTabNow<Content>(
  live: Live<Content>,
  redrawMs: TabSpec<Content, unknown>['redrawMs'],
): number {
  return useNow(live.problem === undefined ? (redrawMs?.(live.content) ?? CURRENT_MS) : STALE_MS)
}

interface TabFrameProps<State extends TabState> extends Area {
  state: State
  keys: readonly Binding<string, State>[]
  pane: string
  live: Live<unknown>
  now: number
  summary: string
  note?: string
  list?: List<unknown>
  children(area: Area): ReactNode
}

/** The frame of a tab: the names of all tabs over its content, or over the question before a change. */
export function TabFrame<State extends TabState>(props: TabFrameProps<State>) {
  const { state, keys, pane, live, now, children, width, height, note, list } = props
  const { dialogs, tabs } = state
  const stale = useStaleText(live, now)
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={keys}
      pane={pane}
      state={state}
      list={list}
      summary={stale === '' ? props.summary : `${stale}  ${props.summary}`}
      note={note}
      named={dialogs.keys}
    >
      {(inner) => {
        const area = { width: inner.width, height: inner.height - 1 }
        return (
          <>
            <TabLine tabs={tabs.names} current={tabs.current} width={inner.width} />
            {dialogs.dialog === undefined ? (
              children(area)
            ) : (
              <DialogPane {...area} dialog={dialogs.dialog} dialogs={dialogs} />
            )}
          </>
        )
      }}
    </ScreenFrame>
  )
}
