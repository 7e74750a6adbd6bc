import { ORDER_INSTRUCTIONS, PRICE_TYPES, PRODUCTS } from '../../orders/schema.js'
import type { BrokerManifest, BrokerPlugin, FaultInjection } from '../broker.js'
import { SimulatedClient } from './client.js'
import { ExchangeStore, type LedgerEntry } from './exchange/exchange-store.js'
import { Faults } from './faults.js'
import { NO_HOLIDAYS } from './market/market-sessions.js'
import { simulatedMaster } from './master/simulated-master.js'
import { simulatedUnderlyingOf } from './master/underlyings.js'
import { SEED_HOLDINGS, type SimulatedOptions, STARTING_CASH } from './options.js'
import { SimulatedVenue } from './venue.js'

export type { LedgerEntry } from './exchange/exchange-store.js'
export { type FaultRule, OPERATIONS, type Operation, readFaults } from './faults.js'
export type { SessionMode } from './market/market-sessions.js'
export { FREEZE_QUANTITIES } from './master/price-rules.js'
export { MasterSelection } from './master/selection.js'
export { simulatedMaster } from './master/simulated-master.js'
export type { Replay, ScriptedPrices, SimulatedOptions } from './options.js'
export { parseBars } from './replay/recording.js'

/** The simulated broker plugin, whose faults are at hand for tests. */
export interface SimulatedPlugin extends BrokerPlugin {
  readonly faults: FaultInjection
  connect(...args: Parameters<BrokerPlugin['connect']>): SimulatedClient
}

const MANIFEST: BrokerManifest = {
  id: 'simulated',
  displayName: 'Simulated exchange',
  kind: 'in_stock',
  exchanges: [
    'NSE',
    'BSE',
    'NFO',
    'BFO',
    'CDS',
    'MCX',
    'CRYPTO',
    'NSE_INDEX',
    'BSE_INDEX',
    'MCX_INDEX',
    'GLOBAL_INDEX',
  ],
  products: PRODUCTS,
  priceTypes: PRICE_TYPES,
  instructions: ORDER_INSTRUCTIONS,
  gtt: { oco: true, limit: true, market: true, products: ['CNC', 'NRML'], expiry: true, order: 'named' },
  credentialFields: [],
  tagLookup: 'authoritative',
  quotes: { maxBatch: 500 },
  streaming: { modes: [1, 2, 3], depthLevels: [5] },
  orderUpdates: 'push',
  rateLimits: {},
  fractionalQuantity: true,
}

/**
 * Creates a broker with a complete exchange inside the process: no account, no network, no credentials. By
 * default it trades at all hours; it can also follow market hours. Orders are stored in its own file.
 */
export function simulatedPlugin(options: Partial<SimulatedOptions> = {}): SimulatedPlugin {
  const settings: SimulatedOptions = {
    seed: 'svc',
    sessions: 'always',
    alwaysOpen: (options.sessions ?? 'always') === 'always',
    calendar: NO_HOLIDAYS,
    startingCash: STARTING_CASH,
    holdings: SEED_HOLDINGS,
    replays: [],
    scripts: [],
    faults: [],
    underlyingOf: simulatedUnderlyingOf,
    master: (now) => simulatedMaster({ now }),
    ...options,
  }
  const faults = new Faults(settings.seed)
  faults.set(settings.faults)
  /** One exchange per directory, because its file allows one writer. */
  const venues = new Map<string, SimulatedVenue>()
  const clients = new Set<SimulatedClient>()
  return {
    manifest: settings.alwaysOpen ? { ...MANIFEST, alwaysOpen: true } : MANIFEST,
    auth: {
      complete: (_fields, { clock }) =>
        faults.around(clock, 'login', async () => ({
          accessToken: 'simulated',
          userId: 'SIMULATED',
          issuedAt: clock.now(),
        })),
    },
    instruments: {
      isGenerated: true,
      async *download(_session, { clock }) {
        const chunks = await faults.around(clock, 'instruments', async () => settings.master(clock.now()))
        yield* chunks
      },
    },
    connect(_session, context) {
      const venue = venues.get(context.stateDir) ?? new SimulatedVenue(settings, context)
      venues.set(context.stateDir, venue)
      const client = new SimulatedClient(venue, faults, (closed) => clients.delete(closed))
      clients.add(client)
      return client
    },
    faults: {
      rules: () => faults.rules,
      set: (rules) => faults.set(rules),
      dropConnections(connection) {
        for (const client of clients) client.drop(connection)
      },
    },
  }
}

/** Reads the orders that an exchange accepted or refused from its file, as evidence in crash tests. */
export async function exchangeLedger(stateDir: string): Promise<LedgerEntry[]> {
  const store = await ExchangeStore.open(stateDir)
  try {
    return await store.entries()
  } finally {
    await store.close()
  }
}
