import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import { allBut, type Database, insertInto, type Row, SerialQueue } from '../../storage/index.js'
import { strategyLegs } from '../../storage/tables/strategies.js'
import { PRODUCTS } from '../schema.js'
import { type LegRules, legAfter, type StrategyFill, type StrategyLeg } from './pnl.js'

/** A fill in the order in which it was stored. */
interface LoggedFill extends StrategyFill {
  id: number
  userId: string
  strategy: string
}

/** The log of fills of a database file. It only grows, and each new fill has the highest id. */
export interface FillLog {
  /** The table of the fills. */
  table: string
  /** The number of the rules by which the log counts its fills. Totals by other rules are counted again from the first fill. */
  version: number
  /** Selects the fills with ids above the first and up to the second parameter, in their order. */
  sql: string
  /** Returns the fill of a row; undefined for a row that adds nothing to its order. */
  toFill(row: Row): LoggedFill | undefined
}

/** The legs of a strategy, and the last fill that they include. */
interface StrategyTotal {
  legs: StrategyLeg[]
  through: number
}

/** The number of fills that one transaction adds to the totals. A read adds fewer than that itself. */
const CHUNK = 1_000

interface Owned {
  userId: string
  strategy: string
}
type OwnedLeg = Owned & { leg: StrategyLeg }

/** Running totals of strategies in memory. They change only through {@link add}. */
class Legs {
  /**
   * By user and contract, then by strategy, because a close finds every strategy with a leg in its contract.
   */
  readonly #contracts = new Map<string, Map<string, OwnedLeg>>()

  constructor(
    rows: readonly OwnedLeg[],
    private readonly rules: LegRules,
  ) {
    for (const row of rows) this.#set(row)
  }

  add(fill: LoggedFill): void {
    const { userId } = fill
    const strategies = fill.closesOnly ? [...this.#of(userId, fill).keys()] : [fill.strategy]
    for (const strategy of strategies) {
      const leg = legAfter(this.#of(userId, fill).get(strategy)?.leg, fill, this.rules)
      if (leg) this.#set({ userId, strategy, leg })
    }
  }

  all(): OwnedLeg[] {
    return [...this.#contracts.values()].flatMap((legs) => [...legs.values()])
  }

  #set(row: OwnedLeg): void {
    this.#of(row.userId, row.leg).set(row.strategy, row)
  }

  #of(
    userId: string,
    contract: { exchange: string; symbol: string; product: string },
  ): Map<string, OwnedLeg> {
    const key = JSON.stringify(contractKey(userId, contract))
    const known = this.#contracts.get(key) ?? new Map<string, OwnedLeg>()
    this.#contracts.set(key, known)
    return known
  }
}

function contractKey(
  userId: string,
  { exchange, symbol, product }: { exchange: string; symbol: string; product: string },
): string[] {
  return [userId, exchange, symbol, product]
}

/** The cursor has the version of the log as its id, so a row with another id says that the totals follow other rules. */
const ends = ({ table, version }: FillLog) =>
  `select exists (select 1 from strategy_cursor where id <> ${version}) as outdated,
    coalesce((select last_fill from strategy_cursor where id = ${version}), 0) as last_fill,
    coalesce((select max(id) from ${table}), 0) as newest`
const LEGS = `select user_id, strategy, exchange, symbol, product, quantity, cost, realized, today_realized, session from strategy_legs`
/**
 * Selects the legs of a strategy, those of all strategies that are open or were traded in a session, and those of all strategies
 * in some contracts. Exported for the test of the query plans.
 */
export const LEGS_OF_STRATEGY = `${LEGS} where user_id = ? and strategy = ?`
export const LEGS_OF_SESSION = `${LEGS} where user_id = ? and (quantity <> 0 or session >= ?)`
export const LEGS_OF_CONTRACTS = `${LEGS} where (user_id, exchange, symbol, product) in
  (select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?))`
const UPSERT_LEGS = insertInto(strategyLegs, allBut(strategyLegs), {
  key: ['userId', 'strategy', 'exchange', 'symbol', 'product'],
})
const FORGET = ['delete from strategy_legs', 'delete from strategy_cursor']
const SET_CURSOR = `insert into strategy_cursor (id, last_fill) values (?, ?)
  on conflict (id) do update set last_fill = excluded.last_fill`

/**
 * Keeps running totals of every strategy, so that the cost of its profit does not grow with its history. The
 * totals include the log of fills up to a cursor, and one transaction stores both. A read adds the few fills
 * after the cursor itself and stores nothing, so it works while the disk is full. The order path does nothing
 * for the totals.
 */
export class StrategyTotals {
  readonly #queue = new SerialQueue()
  #closed = false

  constructor(
    private readonly db: Database,
    private readonly fills: FillLog,
    private readonly rules: LegRules,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly chunk = CHUNK,
  ) {}

  /** Returns the legs of a strategy after every stored fill. */
  async of(userId: string, strategy: string): Promise<StrategyTotal> {
    const own = { sql: LEGS_OF_STRATEGY, parameters: [userId, strategy] }
    const counts = (fill: LoggedFill) =>
      fill.userId === userId && (fill.closesOnly || fill.strategy === strategy)
    const { owned, through } = await this.#current(own, counts)
    return { legs: owned.map(({ leg }) => leg), through }
  }

  /** Returns the legs of all strategies of a user that are open, or were traded in a session, after every stored fill. */
  async ofSession(userId: string, session: string): Promise<{ strategy: string; leg: StrategyLeg }[]> {
    const own = { sql: LEGS_OF_SESSION, parameters: [userId, session] }
    const { owned } = await this.#current(own, (fill) => fill.userId === userId)
    return owned.map(({ leg, strategy }) => ({ strategy, leg }))
  }

  /** Returns the stored legs of a query after the fills that they lack and that count for them. */
  async #current(
    { parameters, sql }: { sql: string; parameters: string[] },
    counts: (fill: LoggedFill) => boolean,
  ): Promise<{ owned: OwnedLeg[]; through: number }> {
    await this.catchUp()
    return this.#queue.run(async () => {
      const { isOutdated, stored, newest } = await this.#ends()
      const [legs, fills] = await Promise.all([
        isOutdated ? [] : this.db.queryRaw(sql, parameters),
        this.db.queryRaw(this.fills.sql, [stored, newest]),
      ])
      const total = new Legs(legs.map(toLeg), this.rules)
      for (const fill of this.#parsed(fills)) if (counts(fill)) total.add(fill)
      return { owned: total.all(), through: newest }
    })
  }

  /**
   * Stores the totals if they lack more than a chunk of fills. Logs a failure: the fills stay in the log, and
   * the next call resumes after the cursor.
   */
  async catchUp(): Promise<void> {
    try {
      while (!this.#closed && (await this.#queue.run(() => this.#storeChunk()))) {}
    } catch (error) {
      this.log.warn('strategy_totals_not_stored', { error: messageOf(error) })
    }
  }

  /** Ends a running catch-up after its current chunk. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#queue.run(() => Promise.resolve())
  }

  /** Adds one chunk of fills to the stored totals. @returns whether it stored one */
  async #storeChunk(): Promise<boolean> {
    if (isShort(await this.#ends(), this.chunk)) return false
    return this.db.write(async (tx) => {
      const range = endsOf(await tx.query(ends(this.fills)))
      if (isShort(range, this.chunk)) return false
      if (range.isOutdated) for (const sql of FORGET) await tx.exec(sql, [])
      const through = range.stored + this.chunk
      const fills = this.#parsed(await tx.query(this.fills.sql, [range.stored, through]))
      const contracts = new Set(fills.map((fill) => JSON.stringify(contractKey(fill.userId, fill))))
      const legs = await tx.query(LEGS_OF_CONTRACTS, [`[${[...contracts].join(',')}]`])
      const total = new Legs(legs.map(toLeg), this.rules)
      for (const fill of fills) total.add(fill)
      await tx.batch(UPSERT_LEGS.rows(total.all().map(legRow)))
      await tx.exec(SET_CURSOR, [this.fills.version, through])
      return true
    })
  }

  async #ends(): Promise<Range> {
    return endsOf(await this.db.queryRaw(ends(this.fills)))
  }

  #parsed(rows: readonly Row[]): LoggedFill[] {
    return rows.flatMap((row) => this.fills.toFill(row) ?? [])
  }
}

/** The last fill in the stored totals, and the last one in the log. */
interface Range {
  /** The stored totals follow other rules, and count for nothing. */
  isOutdated: boolean
  stored: number
  newest: number
}

function endsOf([row]: readonly Row[]): Range {
  const isOutdated = Number(row?.outdated ?? 0) === 1
  return {
    isOutdated,
    stored: isOutdated ? 0 : Number(row?.last_fill ?? 0),
    newest: Number(row?.newest ?? 0),
  }
}

function isShort({ stored, newest }: Range, chunk: number): boolean {
  return newest - stored < chunk
}

/** Money is text, because a sum of many trades may be more than SQLite's integers hold in JavaScript. */
function legRow({ userId, strategy, leg }: OwnedLeg): typeof strategyLegs.$inferInsert {
  const { cost, realized, todayRealized } = leg
  return {
    userId,
    strategy,
    ...leg,
    cost: String(cost),
    realized: String(realized),
    todayRealized: String(todayRealized),
  }
}

function toLeg(row: Row): OwnedLeg {
  const product = PRODUCTS.find((one) => one === row.product)
  if (!product) throw new Error(`strategy_legs holds an unknown product: ${String(row.product)}`)
  return {
    userId: String(row.user_id),
    strategy: String(row.strategy),
    leg: {
      exchange: String(row.exchange),
      symbol: String(row.symbol),
      product,
      quantity: Number(row.quantity),
      cost: BigInt(String(row.cost)),
      realized: BigInt(String(row.realized)),
      todayRealized: BigInt(String(row.today_realized)),
      session: String(row.session),
    },
  }
}
