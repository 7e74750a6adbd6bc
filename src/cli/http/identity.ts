import { requestTo } from '../../client/routes.js'
import type { Client } from './client.js'

const HEALTH = 'GET /health'
const ASKED_WITHIN_MS = 10_000

/** The request that a daemon answers with its id, to anybody. */
export const HEALTH_CALL = {
  route: HEALTH,
  ...requestTo(HEALTH, {}),
  changes: false,
  timeoutMs: ASKED_WITHIN_MS,
} as const

/**
 * Returns the id that a daemon says of itself; undefined if it says none. Whether it can prove the id shows a client that
 * demands it: see `Trust`.
 */
export async function saidId(client: Client): Promise<{ id: string | undefined; status: number }> {
  const { body, status } = await client.ask(HEALTH_CALL)
  const id: unknown = Reflect.get(body, 'id')
  const isId = status === 200 && typeof id === 'string' && /^[0-9a-f]{32}$/.test(id)
  return { id: isId ? id : undefined, status }
}
