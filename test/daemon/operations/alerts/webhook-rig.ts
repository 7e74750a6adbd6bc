import { eq } from 'drizzle-orm'
import { ServiceError } from '../../../../src/core/errors/index.js'
import { InMemoryDirectory, type Instrument } from '../../../../src/core/instruments/index.js'
import { silentLogger } from '../../../../src/core/logging/index.js'
import { sha256Hex } from '../../../../src/core/secrets/index.js'
import type { Database } from '../../../../src/core/storage/index.js'
import {
  strategies,
  strategyRuns,
  strategyWebhookEvents,
} from '../../../../src/core/storage/tables/svc/strategies.js'
import { networkOf } from '../../../../src/core/strategies/config/networks.js'
import {
  openStrategies,
  openWebhook,
  parseStrategy,
  type RunService,
  type SignalledLeg,
  type StoppedRun,
} from '../../../../src/core/strategies/index.js'
import type { VirtualClock } from '../../../../src/core/time/index.js'
import { TrustedProxies } from '../../../../src/daemon/http/client.js'
import { world } from '../../../core/identity/support.js'
import { mounted } from '../../../support/desk/mounted.js'

export const TOKEN = `svc_hook_${'Zm9v'.repeat(10)}YmE`

const LEG = { segment: 'options', position: 'B', lots: 1, option_type: 'CE', expiry: 'weekly' }
const BATCH = {
  name: 'Straddle',
  strategy_kind: 'batch',
  strategy_type: 'positional',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  legs: [LEG],
}
const SIGNAL = {
  name: 'Trend',
  strategy_kind: 'signal',
  strategy_type: 'intraday',
  entry_time: '00:00',
  exit_time: '23:59',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  product: 'MIS',
  legs: [
    { symbol: 'SBIN', exchange: 'NSE', qty: 10 },
    { symbol: 'INFY', exchange: 'NSE', qty: 5 },
  ],
}

const share = (symbol: string): Instrument => ({
  symbol,
  brokerSymbol: symbol,
  name: symbol,
  exchange: 'NSE',
  brokerExchange: 'NSE',
  token: symbol,
  expiry: '',
  strike: 0,
  lotSize: 1,
  instrumentType: 'EQ',
  tickSize: 0.05,
})
const DIRECTORY = InMemoryDirectory.of([share('SBIN'), share('INFY')])

/** Answers of the engine, which a test may replace. It keeps the rows of its runs, as the real one does. */
export class ScriptedRuns implements Pick<RunService, 'start' | 'stop' | 'signal' | 'needsStop'> {
  readonly calls: string[] = []
  stopped: Omit<StoppedRun, 'runId'> = { mode: 'sandbox', stopPending: false, exits: [], refused: null }
  signalled: SignalledLeg = { runId: 31, note: null, refused: null }
  /** Runs before every act. */
  before: () => Promise<void> = async () => undefined

  constructor(
    private readonly db: Database,
    private readonly clock: VirtualClock,
  ) {}

  async start(strategyId: number, { mode, webhookEventId }: Parameters<RunService['start']>[1]) {
    this.calls.push(`start ${mode}`)
    await this.before()
    const row = {
      strategyId,
      mode,
      broker: 'sandbox',
      startedAt: this.clock.now(),
      triggerSource: 'webhook' as const,
    }
    const [run] = await this.db
      .write((tx) =>
        tx
          .insert(strategyRuns)
          .values({ ...row, webhookEventId })
          .returning(),
      )
      .catch(() => {
        throw new ServiceError('conflict', 'This strategy is already running')
      })
    return { runId: run?.id ?? 0, mode, legs: [] }
  }

  async stop(strategyId: number): Promise<StoppedRun> {
    this.calls.push('stop')
    await this.before()
    const [run] = await this.db.read
      .select()
      .from(strategyRuns)
      .where(eq(strategyRuns.strategyId, strategyId))
    if (!this.stopped.stopPending) await this.finish()
    return { runId: run?.id ?? null, ...this.stopped }
  }

  /** The runs of this engine never last until the next stop. */
  needsStop() {
    return false
  }

  /** Stores the row of the call first, as the real one does. */
  async signal(_strategyId: number, { first, legId, signal }: Parameters<RunService['signal']>[1]) {
    const isStored = await first?.store().then(
      () => true,
      () => false,
    )
    if (!isStored && signal.endsWith('entry')) throw new Error('the row of the call is not stored')
    this.calls.push(`${signal} ${legId}`)
    await this.before()
    return this.signalled
  }

  /** Ends every run now. */
  async finish(): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.update(strategyRuns).set({ stoppedAt: this.clock.now() })
    })
  }
}

interface Sent {
  token?: string
  body?: unknown
  /** Sent as it is, without a declared length. */
  raw?: string | Uint8Array<ArrayBuffer> | ReadableStream
  headers?: Record<string, string>
  from?: string
  /** The end of the path. */
  path?: string
}

interface Answer {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

type Row = Partial<typeof strategies.$inferInsert>

/** The webhook on a real database, behind its real routes, in front of a scripted engine. */
export async function webhookRig(
  over: { kind?: 'batch' | 'signal'; config?: object; row?: Row; behind?: string[] } = {},
) {
  const { clock, db, identity } = await world()
  const config = parseStrategy({ ...(over.kind === 'signal' ? SIGNAL : BATCH), ...over.config })
  const [stored] = await db.write((tx) =>
    tx
      .insert(strategies)
      .values({
        userId: 'asha',
        name: config.name,
        config: JSON.stringify(config),
        webhookTokenHash: sha256Hex(TOKEN),
        createdAt: clock.now(),
        updatedAt: clock.now(),
        ...over.row,
      })
      .returning(),
  )
  const runs = new ScriptedRuns(db, clock)
  const proxies = new TrustedProxies({
    TRUST_PROXY_HEADERS: over.behind !== undefined,
    TRUSTED_PROXIES: (over.behind ?? []).flatMap((address) => networkOf(address) ?? []),
    CLIENT_IP_HEADER: undefined,
  })
  const boot = async () => {
    const { strategyHistory: history, strategyWebhookEvents: events } = await openStrategies({
      db,
      clock,
      directory: DIRECTORY,
    })
    const webhook = await openWebhook({
      db,
      clock,
      log: silentLogger,
      directory: DIRECTORY,
      runs,
      history,
      events,
    })
    return mounted(identity, undefined, { strategyWebhook: webhook, daemon: Object({ proxies }) })
  }
  let app = await boot()
  const send = async ({ body, from, headers, path = '', raw, token = TOKEN }: Sent = {}): Promise<Answer> => {
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const declared: Record<string, string> =
      raw === undefined && typeof text === 'string' ? { 'content-length': String(text.length) } : {}
    const init = {
      method: 'POST',
      duplex: 'half' as const,
      headers: { ...declared, ...headers },
      ...(text !== undefined && { body: text }),
    }
    const env = from === undefined ? {} : { incoming: { socket: { remoteAddress: from } } }
    const response = await app.request(`/strategy/webhook/${token}${path}`, init, env)
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  }
  return {
    clock,
    db,
    runs,
    id: stored?.id ?? 0,
    send,
    /** Sends a body and returns the result. */
    result: async (body: unknown, rest: Sent = {}) => (await send({ ...rest, body })).body.result,
    change: (row: Row) => db.write((tx) => tx.update(strategies).set(row)),
    /** The audit, oldest first. */
    audit: () => db.read.select().from(strategyWebhookEvents),
    /** Opens the webhook anew on the same database, as after a crash. */
    restart: async () => {
      app = await boot()
    },
  }
}
