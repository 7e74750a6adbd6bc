import type { FC } from 'react'
import { tabAfter } from '../components/TabLine.js'
import type { AnyBinding } from '../keys/bindings.js'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon } from '../live/use-daemon.js'
import type { Area } from '../terminal/size.js'
import type { Screen } from './screen.js'

/** A tab of a screen, as `listTab` and `fieldsTab` make it. */
export interface Tab {
  name: string
  /** The keys of this tab, and those that other tabs have too. */
  own: readonly AnyBinding[]
  shared: readonly AnyBinding[]
  View: FC<TabProps>
}

export interface TabProps extends Area {
  tabs: Tabs
  /** A hook: returns the figures of the screen, for a tab that has none of its own. */
  useFigures(): string
}

/** The tabs of a screen, one of which is shown. */
export interface Tabs {
  names: readonly string[]
  current: string
  /** Shows the next tab, or the one before; after the last comes the first. */
  move(by: number): void
}

/** A screen whose content is one tab at a time. */
interface TabScreen extends Pick<Screen, 'id' | 'title' | 'short'> {
  /** In the order of the line that names them; the first one is shown first. */
  tabs: readonly [Tab, ...Tab[]]
  /** A hook: returns the figures of the screen, for the tabs that have none of their own. */
  useFigures?(): string
}

/** Returns a screen of tabs. The shown one is there again when the user comes back. */
export function tabScreen({ tabs, useFigures = noFigures, ...screen }: TabScreen): Screen {
  const names = tabs.map(({ name }) => name)
  const kept = new Kept(tabs[0].name)
  return {
    ...screen,
    keys: [...tabs.flatMap(({ own }) => own), ...tabs.flatMap(({ shared }) => shared)],
    View({ width, height }) {
      const { changes } = useDaemon()
      const [current, show] = useKept(kept)
      const move = (by: number) => {
        changes.say('')
        show(tabAfter(names, current, by))
      }
      const { View } = tabs.find(({ name }) => name === current) ?? tabs[0]
      return (
        <View
          key={current}
          width={width}
          height={height}
          tabs={{ names, current, move }}
          useFigures={useFigures}
        />
      )
    },
  }
}

const noFigures = () => ''
