import { Text } from 'ink'
import { cut } from '../terminal/fit.js'

interface TabLineProps<Tab extends string> {
  tabs: readonly Tab[]
  current: Tab
  width: number
}

/** The names of the tabs; brackets mark the current one. */
export function TabLine<Tab extends string>({ tabs, current, width }: TabLineProps<Tab>) {
  const names = tabs.map((tab) => (tab === current ? `[${tab}]` : ` ${tab} `))
  return <Text bold>{cut(names.join(' '), width)}</Text>
}

/** Returns the tab so many places on; after the last comes the first. */
export function tabAfter<Tab extends string>(tabs: readonly Tab[], current: Tab, by: number): Tab {
  return tabs[(tabs.indexOf(current) + by + tabs.length) % tabs.length] ?? current
}
