import { createContext, useContext, useEffect, useSyncExternalStore } from 'react'
import type { Desk } from './desk.js'
import type { Feed, Live } from './feed.js'
import type { Store } from './store.js'

const DeskContext = createContext<Desk | undefined>(undefined)

export const DeskProvider = DeskContext.Provider

/** Returns the daemon as all screens see it. */
export function useDesk(): Desk {
  const desk = useContext(DeskContext)
  if (desk === undefined) throw new Error('No desk around this part of the screen')
  return desk
}

/** Returns the value of a store, and draws again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get)
}

/** Returns the content of a feed and draws again when it changes. The feed follows the daemon while it is shown. */
export function useFeed<Content>(feed: Feed<Content>): Live<Content> {
  useEffect(() => feed.hold(), [feed])
  return useSyncExternalStore(feed.subscribe, feed.state)
}
