import type { ConnectionState } from './connection.js'
import { useDaemon, useStore } from './use-daemon.js'

/** Returns the time since which the content of all screens may be old, in milliseconds; undefined while it is current. */
export function useStaleSince(): number | undefined {
  return staleSince(useStore(useDaemon().connection.state))
}

/** Returns whether the content of all screens may be old: they show it dimmed. */
export function useIsStale(): boolean {
  return useStaleSince() !== undefined
}

/** Returns the time of the loss of a connection; undefined if it is not lost. */
export function staleSince(connection: ConnectionState): number | undefined {
  return 'since' in connection ? connection.since : undefined
}
