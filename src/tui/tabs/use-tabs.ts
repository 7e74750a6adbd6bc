import { tabAfter } from '../components/TabLine.js'
import type { Binding } from '../keys/bindings.js'
import { type Kept, useKept } from '../live/kept.js'
import { useDesk } from '../live/use-desk.js'

/** The tabs of a screen, one of which is shown. */
export interface Tabs<Id extends string = string> {
  all: readonly Id[]
  current: Id
  /** Shows the next tab, or the one before; after the last comes the first. */
  move(by: number): void
}

/** Returns the tabs of a screen. The shown one is there again when the user comes back. */
export function useTabs<Id extends string>(kept: Kept<Id>, all: readonly Id[]): Tabs<Id> {
  const { changes } = useDesk()
  const [current, show] = useKept(kept)
  return {
    all,
    current,
    move(by) {
      changes.say('')
      show(tabAfter(all, current, by))
    },
  }
}

export interface TabActs {
  moveTab(by: number): void
}

/** Returns the keys that change the tab. */
export function tabKeys<Pane extends string>(panes: readonly Pane[]): readonly Binding<Pane, TabActs>[] {
  return [
    {
      id: 'tabs.next',
      in: panes,
      keys: ['tab'],
      does: 'next',
      explained: 'the next tab',
      act: (acts) => acts.moveTab(1),
    },
    {
      id: 'tabs.previous',
      in: panes,
      keys: ['shift-tab'],
      explained: 'the tab before',
      act: (acts) => acts.moveTab(-1),
    },
  ]
}
