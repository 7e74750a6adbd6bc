import { useEffect, useState } from 'react'
import type { SvcClient } from '../../client/index.js'
import { messageOf } from './message-of.js'
import { READ_LIMIT_MS } from './read-limit.js'
import { useDaemon } from './use-daemon.js'

/** The result of one read: neither value nor problem while it is on its way. */
export interface Read<Value> {
  value?: Value
  problem?: string
}

/**
 * Reads once for each key, after a pause in which the key does not change; without a key it reads nothing. An
 * answer for a former key is not shown.
 */
export function useRead<Value>(
  key: string | undefined,
  read: (client: SvcClient, key: string) => Promise<Value>,
  pauseMs = 0,
): Read<Value> {
  const daemon = useDaemon()
  const [found, setFound] = useState<Read<Value> & { key?: string }>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the read
  useEffect(() => {
    if (key === undefined) return
    let isCurrent = true
    const timer = setTimeout(() => {
      Promise.resolve()
        .then(() => read(daemon.access.client(READ_LIMIT_MS), key))
        .then((value) => isCurrent && setFound({ key, value }))
        .catch((thrown: unknown) => isCurrent && setFound({ key, problem: messageOf(thrown) }))
    }, pauseMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [daemon, key])
  return found.key === key ? found : {}
}
