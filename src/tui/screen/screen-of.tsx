import { useRef, useState } from 'react'
import type { RowId } from '../components/list/use-list.js'
import { tabAfter } from '../components/TabLine.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Kept, useKept } from '../live/kept.js'
import type { Screen, ScreenProps, Target } from './screen.js'
import type { Heading, View } from './view.js'

/** The record of a screen. Everything else of it stands in the records of its views. */
interface ScreenRecord extends Omit<Screen, 'keys' | 'View'>, Partial<Heading> {
  /** In the order of the line that names them; the first one is shown first. */
  views: readonly [View, ...View[]]
  /** The names of the views that are tabs; all of them by default. */
  tabs?: readonly string[]
  /** A hook: returns the view to show, where it is not the one that the user chose. A view with another key starts again. */
  useView?(chosen: string): ShownView
  /** True for a screen whose open row is open again when the user comes back. */
  keepsOpen?: boolean
  /** The ids of keys in the order of the list of all keys, where it is not that of the views. Other keys come first. */
  keyOrder?: readonly string[]
  /** A hook: returns the figures of the screen, for the views that have none of their own. */
  useFigures?(): string
}

interface ShownView {
  name: string
  key?: string
}

/** A screen whose view others may choose. */
export interface ScreenOfViews extends Screen {
  /** Chooses a view, for when the screen is shown next. */
  choose(daemon: LiveDaemon, view: string): void
}

/** Returns a screen. The shown view is there again when the user comes back. */
export function screenOf(record: ScreenRecord): ScreenOfViews {
  const { views, tabs: named, tabLine = 'always', hasDoubts = false, keepsOpen = false, ...rest } = record
  const { useFigures = noFigures, useView = chosenView, keyOrder = [], ...screen } = rest
  const tabs = named ?? views.map(({ name }) => name)
  const heading = { tabLine, hasDoubts }
  const kept = new Kept(tabs[0] ?? views[0].name)
  const keptRow = new Kept<RowId | undefined>(undefined)
  const useOpenRow = keepsOpen ? () => useKept(keptRow) : () => useState<RowId>()
  return {
    ...screen,
    choose: (daemon, view) => kept.keep(daemon, view),
    keys: [...views.flatMap(({ own }) => own), ...views.flatMap(({ common }) => common)].toSorted(
      (one, other) => keyOrder.indexOf(one.id) - keyOrder.indexOf(other.id),
    ),
    View({ width, height, asked }) {
      const [chosen, choose] = useKept(kept)
      const [opened, open] = useOpenRow()
      const { name: current, key = '' } = useView(chosen)
      const move = (by: number) => choose(tabAfter(tabs, current, by))
      const show = (name: string, id?: RowId) => {
        choose(name)
        open(id)
      }
      const { Show } = views.find(({ name }) => name === current) ?? views[0]
      return (
        <Show
          key={`${current} ${key}`}
          width={width}
          height={height}
          views={{ tabs, current, move, show }}
          heading={heading}
          opened={opened}
          takeAsked={useTakeAsked(asked)}
          useFigures={useFigures}
        />
      )
    },
  }
}

/** Returns a function that gives the object that the screen is asked to show: once for each request. */
function useTakeAsked(asked: ScreenProps['asked']): () => Target | undefined {
  const taken = useRef<number>(undefined)
  return () => {
    if (asked === undefined || asked.count === taken.current) return undefined
    taken.current = asked.count
    return asked.target
  }
}

const noFigures = () => ''
const chosenView = (name: string): ShownView => ({ name })
