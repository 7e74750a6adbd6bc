import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
import { ageText } from '../../views/text/age.js'
import type { ConnectionState } from './connection.js'
import type { LiveDaemon } from './daemon.js'
import type { Live, LiveSource } from './feed.js'
import type { Store } from './store.js'

const DaemonContext = createContext<LiveDaemon | undefined>(undefined)

export const DaemonProvider = DaemonContext.Provider

/** Returns the daemon as all screens see it. */
export function useDaemon(): LiveDaemon {
  const daemon = useContext(DaemonContext)
  if (daemon === undefined) throw new Error('No daemon around this part of the screen')
  return daemon
}

/** Returns the value of a store, and draws again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get)
}

/** Returns the content of a feed and draws again when it changes. The feed follows the daemon while it is shown. */
export function useFeed<Content>(feed: LiveSource<Content>): Live<Content> {
  useEffect(() => feed.hold(), [feed])
  return useSyncExternalStore(feed.subscribe, feed.state)
}

/** Returns the time since which the content of all screens may be old, in milliseconds; undefined while it is current. */
export function useStaleSince(): number | undefined {
  return staleSince(useStore(useDaemon().connection.state))
}

/** Returns whether the content of all screens may be old: they show it dimmed. */
export function useIsStale(): boolean {
  return useStaleSince() !== undefined
}

/** Returns the time of the loss of a connection; undefined if it is not lost. */
function staleSince(connection: ConnectionState): number | undefined {
  return 'since' in connection ? connection.since : undefined
}

/** Returns how old a content is, and why; empty while it is current. */
function staleText({ problem, readAt }: Omit<Live<unknown>, 'content'>, now: number): string {
  if (problem === undefined) return ''
  return readAt === 0 ? 'not read' : `${ageText(now - readAt)} old: ${problem}`
}

/** Returns the same for a part of a screen; empty while the connection is lost, whose age the screen shows. */
export function useStaleText(live: Omit<Live<unknown>, 'content'>, now: number): string {
  return useStaleSince() === undefined ? staleText(live, now) : ''
}
