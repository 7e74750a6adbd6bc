import type { Context } from 'hono'
import type { BrokerManifest, BrokerService } from '../../../core/brokers/index.js'
import type { FaultRule } from '../../../core/brokers/simulated/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import type { BrokerDescription } from '../../describe.js'
import { readJson, readText } from '../../http/body/body.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import type { AppEnv } from '../../process/env.js'

/** The result of loading an instrument master. */
export interface SyncResult {
  count: number
  skipped: number
  rejected: readonly { line: number; reason: string }[]
}

interface BrokerParts {
  brokers: BrokerService
  /** Returns the state of instruments, feed and orders in doubt, for `status`. */
  describe(): Promise<BrokerDescription>
  /** Switches brokers and loads the new one's instruments. */
  use(broker: string): Promise<void>
  /** Signs in to the active broker and loads its instruments. */
  login(credentials: Readonly<Record<string, string>>): Promise<void>
  syncFromBroker(force: boolean): Promise<SyncResult>
  syncFromDump(text: string, force: boolean): Promise<SyncResult>
  faults: { get(): readonly FaultRule[]; set(rules: unknown): void }
}

/** The largest dump accepted. A real dump of every exchange is about 15 MB. */
const MAX_DUMP_BYTES = 32 * 1_048_576
const SHOWN_REJECTS = 20

/** Returns the handlers for the active broker, its session and its instruments. */
export function brokerHandlers(parts: BrokerParts) {
  const { brokers } = parts
  return {
    'GET /broker/list': () => ({
      status: 'success',
      data: [...brokers.list().map(row), ...missing(brokers)],
    }),
    'GET /broker/status': async () => ({ status: 'success', data: await parts.describe() }),
    'POST /broker/use': async ({ body: { broker } }) => {
      await parts.use(broker)
      return { status: 'success', message: `Using ${broker}`, data: await parts.describe() }
    },
    'POST /broker/login': async ({ body: { fields: credentials } }) => {
      await parts.login(credentials)
      return { status: 'success', message: `Signed in to ${brokers.manifest().displayName}` }
    },
    'POST /broker/logout': async () => {
      await brokers.logout()
      return { status: 'success', message: `Signed out of ${brokers.manifest().displayName}` }
    },
    'POST /broker/sync': httpHandler(async (c) => c.json(syncReply(await sync(c, parts)))),
    'GET /broker/simulated/faults': () => ({ status: 'success', data: parts.faults.get() }),
    'PUT /broker/simulated/faults': httpHandler(async (c) => {
      parts.faults.set(await readJson(c))
      return c.json({ status: 'success', data: parts.faults.get() })
    }),
  } satisfies Partial<Handlers>
}

/** Loads the instruments from the dump in the request, or from the broker when the request carries none. */
async function sync(c: Context<AppEnv>, parts: BrokerParts): Promise<SyncResult> {
  const type = c.req.header('content-type') ?? ''
  const force = c.req.query('force') ?? 'false'
  if (force !== 'true' && force !== 'false') {
    throw new ServiceError('validation', 'force: Must be one of: true, false.')
  }
  if (!type.startsWith('text/csv')) return parts.syncFromBroker(force === 'true')
  if ((c.req.query('format') ?? 'kite') !== 'kite') {
    throw new ServiceError('validation', 'format: Must be one of: kite.')
  }
  return parts.syncFromDump(await readText(c, MAX_DUMP_BYTES), force === 'true')
}

function syncReply(result: SyncResult) {
  return {
    status: 'success',
    message: `Loaded ${result.count} instruments`,
    data: { ...result, rejected: result.rejected.slice(0, SHOWN_REJECTS) },
  }
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

/**
 * Returns a row for the active broker when its plugin is not installed, so that the list shows why it is
 * missing.
 */
function missing(brokers: BrokerService) {
  if (brokers.available()) return []
  const { brokerId: id } = brokers
  const nothing = { exchanges: [], credential_fields: [], capabilities: null }
  return [{ id, name: id, active: true, available: false, ...nothing }]
}
