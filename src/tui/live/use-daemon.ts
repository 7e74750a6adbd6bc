import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
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
