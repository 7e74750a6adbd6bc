import { isObject, textMember } from '../../client/answers/json.js'

/** What `GET /health/ready` says about requests. */
export interface Checks {
  recovery: string
  storage: string
  requests: string
}

/** A daemon that is faulty runs, and cannot store anything: its disk is full, or a file is gone. */
export type Readiness = 'starting' | 'accepting' | 'stopping' | 'faulty'

/** Returns the checks in an answer of `GET /health/ready`; undefined in an answer of something else. */
export function checksIn(answer: unknown): Checks | undefined {
  if (!isObject(answer) || !isObject(answer.checks)) return undefined
  const { checks } = answer
  const [recovery, storage, requests] = ['recovery', 'storage', 'requests'].map((key) =>
    textMember(checks, key),
  )
  if (recovery === undefined || storage === undefined || requests === undefined) return undefined
  return { recovery, storage, requests }
}

/** Returns what a daemon does. One that can store and refuses requests starts, or stops after it has been ready. */
export function readinessOf({ recovery, requests, storage }: Checks): Readiness {
  if (requests === 'accepted') return 'accepting'
  if (storage !== 'ok') return 'faulty'
  return recovery === 'done' ? 'stopping' : 'starting'
}
