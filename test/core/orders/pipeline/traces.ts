import { Database } from '../../../../src/core/storage/index.js'
import { type Chance, seeded } from '../../../support/chance/chance.js'
import { quoteOf, ScriptedMarket, TEN_O_CLOCK } from '../../sandbox/harness.js'
import { PaperExchange } from './exchange.js'
import { type Ended, Scenario } from './scenario.js'
import { CALL, FUTURE, SHARE, type World } from './stage.js'

const SVC_TABLES = [
  'order_journal',
  'order_events',
  'order_fills',
  'order_batches',
  'idempotency_keys',
  'pending_orders',
  'risk_rules',
  'kill_switch',
  'marks',
]
const SANDBOX_TABLES = [
  'sandbox_orders',
  'sandbox_trades',
  'sandbox_positions',
  'sandbox_holdings',
  'sandbox_funds',
  'sandbox_gtt',
  'sandbox_gtt_legs',
  'sandbox_daily_pnl',
  'sandbox_jobs',
  'sandbox_order_ids',
]

/** What a scenario left behind. */
export interface Trace {
  seed: number
  /** The settings at the beginning, and all that happened, in its order. */
  happened: readonly { what: string; facts: object }[]
  ended: readonly Ended[]
  exchange: PaperExchange
  tables: Readonly<Record<string, readonly Record<string, unknown>[]>>
}

/** Runs scenarios one after the other over two databases. */
export class Traces {
  private constructor(
    private readonly svc: Database,
    private readonly sandboxDb: Database,
  ) {}

  static async open(directory: string): Promise<Traces> {
    const svc = await Database.open({ file: `${directory}/svc.db`, schema: 'svc' })
    await svc.write((tx) => tx.exec('create table marks (name text)'))
    return new Traces(svc, await Database.open({ file: `${directory}/sandbox.db`, schema: 'sandbox' }))
  }

  async close(): Promise<void> {
    await this.svc.close()
    await this.sandboxDb.close()
  }

  /** Runs the scenario of a seed. */
  async of(seed: number, chance: Chance = seeded(seed)): Promise<Trace> {
    await this.#clear(this.svc, SVC_TABLES)
    await this.#clear(this.sandboxDb, SANDBOX_TABLES)
    const happened: { what: string; facts: object }[] = []
    const market = new ScriptedMarket()
    for (const [ref, price] of [
      [SHARE, 100],
      [FUTURE, 24_500],
      [CALL, 120],
    ] as const) {
      market.set(quoteOf(ref, price))
      market.keep(quoteOf(ref, price))
    }
    const world: World = {
      svc: this.svc,
      sandboxDb: this.sandboxDb,
      exchange: new PaperExchange(),
      market,
      settings: {
        mode: 'live',
        orderMode: 'auto',
        proposes: false,
        isSignedIn: true,
        isReady: true,
        brokerId: 'paper',
        accountId: 'A',
      },
      now: Date.parse(TEN_O_CLOCK),
      // An event may change after it was published; the record must not.
      record: (what, facts) => happened.push({ what, facts: plain(facts) }),
    }
    const scenario = await Scenario.open(world, chance)
    await scenario.run()
    const tables = {
      ...(await this.#rows(this.svc, SVC_TABLES)),
      ...(await this.#rows(this.sandboxDb, SANDBOX_TABLES)),
    }
    return { seed, happened, ended: scenario.ended, exchange: world.exchange, tables }
  }

  async #clear(db: Database, tables: readonly string[]): Promise<void> {
    await db.write(async (tx) => {
      // Also the numbers of rows begin anew: the trace of a seed depends on no other one.
      for (const table of [...tables, 'sqlite_sequence']) await tx.exec(`delete from ${table}`)
    })
  }

  async #rows(db: Database, tables: readonly string[]): Promise<Record<string, Record<string, unknown>[]>> {
    const rows: Record<string, Record<string, unknown>[]> = {}
    for (const table of tables) rows[table] = await db.queryRaw(`select * from ${table} order by rowid`)
    return rows
  }
}

/** Returns facts as they are now, with errors by their members. */
function plain(facts: object): object {
  return JSON.parse(
    JSON.stringify(facts, (_, value: unknown) => {
      if (typeof value === 'bigint') return `${value}n`
      if (!(value instanceof Error)) return value
      return { ...value, name: value.name, message: value.message, cause: undefined }
    }),
  )
}

const IDS = /\b(?:[SB][0-9A-HJKMNP-TV-Z]{17}|\d{14}|GTT-\d{6}-[0-9a-f]{8}|TRADE-\d{8}-\d{6}-[0-9a-f]{8})\b/g

/** Returns a trace as a text in which each id is named by its first place: two runs of one seed give the same text. */
export function textOfTrace({ happened, tables }: Trace): string {
  const names = new Map<string, string>()
  return JSON.stringify(inOrder({ happened, tables }), null, 1).replaceAll(IDS, (id) => {
    const name = names.get(id) ?? `id-${names.size + 1}`
    names.set(id, name)
    return name
  })
}

/**
 * Returns a value with the members of its objects, and of the JSON texts in it, in the order of their names. Only the bodies of
 * answers keep their order.
 */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value === 'string' && value.startsWith('{')) return inOrder(JSON.parse(value))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, of]) => [name, name === 'answer' ? of : inOrder(of)]))
}
