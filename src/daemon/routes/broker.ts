import { Hono } from 'hono'
import { z } from 'zod'
import type { BrokerManifest, BrokerService } from '../../core/brokers/index.js'
import type { FaultRule } from '../../core/brokers/simulated/index.js'
import { ServiceError } from '../../core/errors/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson, readText } from '../http/body.js'
import { requireScopes } from '../middleware/session.js'

/** What came of loading an instrument master. */
export interface SyncResult {
  count: number
  skipped: number
  rejected: readonly { line: number; reason: string }[]
}

export interface BrokerRoutesParts {
  brokers: BrokerService
  /** The state of instruments, feed and orders in doubt, for `status`. */
  describe(): Promise<Record<string, unknown>>
  /** Switches brokers and loads the new one's instruments. */
  use(broker: string): Promise<void>
  /** Signs in to the active broker and loads its instruments. */
  login(credentials: Readonly<Record<string, string>>): Promise<void>
  syncFromBroker(force: boolean): Promise<SyncResult>
  syncFromDump(text: string, force: boolean): Promise<SyncResult>
  faults: { get(): readonly FaultRule[]; set(rules: unknown): void }
}

/** A real dump of every exchange is about 15 MB. */
const MAX_DUMP_BYTES = 64 * 1_048_576
const SHOWN_REJECTS = 20

export const useBody = z.strictObject({ broker: fields.text(50) })
export const brokerLoginBody = z.strictObject({
  fields: z.record(z.string().max(100), fields.text(4096)).default({}),
})

/** The broker account: which, its session, its instruments. */
export function brokerRoutes(parts: BrokerRoutesParts): Hono<AppEnv> {
  const { brokers } = parts
  const syncReply = (result: SyncResult) => ({
    status: 'success',
    message: `Loaded ${result.count} instruments`,
    data: { ...result, rejected: result.rejected.slice(0, SHOWN_REJECTS) },
  })
  return new Hono<AppEnv>()
    .use('*', requireScopes('read', 'admin'))
    .get('/list', (c) =>
      c.json({ status: 'success', data: [...brokers.list().map(row), ...missing(brokers)] }),
    )
    .get('/status', async (c) => c.json({ status: 'success', data: await parts.describe() }))
    .post('/use', async (c) => {
      const { broker } = parseWith(useBody, await readJson(c))
      await parts.use(broker)
      return c.json({ status: 'success', message: `Using ${broker}`, data: await parts.describe() })
    })
    .post('/login', async (c) => {
      const { fields: credentials } = parseWith(brokerLoginBody, await readJson(c))
      await parts.login(credentials)
      return c.json({ status: 'success', message: `Signed in to ${brokers.manifest().displayName}` })
    })
    .post('/logout', async (c) => {
      await brokers.logout()
      return c.json({ status: 'success', message: `Signed out of ${brokers.manifest().displayName}` })
    })
    .post('/sync', async (c) => {
      const type = c.req.header('content-type') ?? ''
      const force = c.req.query('force') ?? 'false'
      if (force !== 'true' && force !== 'false') {
        throw new ServiceError('validation', 'force: Must be one of: true, false.')
      }
      if (!type.startsWith('text/csv')) return c.json(syncReply(await parts.syncFromBroker(force === 'true')))
      if ((c.req.query('format') ?? 'kite') !== 'kite') {
        throw new ServiceError('validation', 'format: Must be one of: kite.')
      }
      return c.json(syncReply(await parts.syncFromDump(await readText(c, MAX_DUMP_BYTES), force === 'true')))
    })
    .get('/simulated/faults', (c) => c.json({ status: 'success', data: parts.faults.get() }))
    .put('/simulated/faults', async (c) => {
      parts.faults.set(await readJson(c))
      return c.json({ status: 'success', data: parts.faults.get() })
    })
}

function row({ manifest, active }: { manifest: BrokerManifest; active: boolean }) {
  return {
    id: manifest.id,
    name: manifest.displayName,
    active,
    available: true,
    exchanges: manifest.exchanges,
    credential_fields: manifest.credentialFields,
    capabilities: {
      products: manifest.products,
      price_types: manifest.priceTypes,
      order_updates: manifest.orderUpdates,
      streaming: manifest.streaming ?? null,
      tag_lookup: manifest.tagLookup,
    },
  }
}

/** The active broker where this installation has no plugin for it: whoever looks for it must see why. */
function missing(brokers: BrokerService) {
  if (brokers.available()) return []
  const { brokerId: id } = brokers
  const nothing = { exchanges: [], credential_fields: [], capabilities: null }
  return [{ id, name: id, active: true, available: false, ...nothing }]
}
