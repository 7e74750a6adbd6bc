import { and, asc, eq } from 'drizzle-orm'
import { allBut, type Database, insertInto } from '../../storage/index.js'
import { brokerComparisons, brokerExternals, brokerForeignOrders } from '../../storage/tables/svc/brokers.js'
import { Quantities } from './account-at.js'
import type { External } from './compare.js'

/** An account at a broker. The account is empty where the broker names none. */
export interface AccountName {
  broker: string
  account: string
}

/** A comparison of an account with the journal. Instants are epoch milliseconds. */
export interface Comparison {
  session: string
  at: number
  /** The fills recorded before this instant are in the rows. */
  through: number
  rows: External[]
  foreignOrders: string[]
}

const INSERT_EXTERNAL = insertInto(brokerExternals, allBut(brokerExternals))
const INSERT_FOREIGN = insertInto(brokerForeignOrders, allBut(brokerForeignOrders))
/**
 * Selects by how much each order of an account filled between two instants. The order of a cross join is fixed: it reads the
 * fills since the first instant by their index. Orders of earlier versions have no account.
 */
const RECORDED = `select j.exchange, j.symbol, j.product, j.action, f.quantity - coalesce(
    (select max(b.quantity) from order_fills b where b.order_ref = f.order_ref and b.at < ?1), 0) as quantity
  from order_fills f indexed by order_fills_at cross join order_journal j on j.order_ref = f.order_ref
  where f.at >= ?1 and f.at < ?2 and j.mode = 'live' and j.broker = ?3 and coalesce(j.account, ?4) = ?4
    and not exists (
      select 1 from order_fills l where l.order_ref = f.order_ref and l.quantity > f.quantity and l.at < ?2)`
/** Selects our orders among those of a broker's book, each with its recorded fill before an instant. */
const OWN = `select j.order_ref, j.order_id,
    coalesce((select max(quantity) from order_fills f where f.order_ref = j.order_ref and f.at < ?1), 0) as filled
  from order_journal j
  where j.order_ref in (select value from json_each(?3))
    or (j.broker = ?2 and j.order_id is not null and j.order_id in (select value from json_each(?4)))`

/** All SQL about what an account holds beside the journal. */
export class DriftStore {
  constructor(private readonly db: Database) {}

  /** Returns the last comparison; undefined before the first one. */
  async last({ account, broker }: AccountName): Promise<Comparison | undefined> {
    const { at, session, through } = brokerComparisons
    const [known] = await this.db.read
      .select({ at, session, through })
      .from(brokerComparisons)
      .where(and(eq(brokerComparisons.broker, broker), eq(brokerComparisons.account, account)))
    if (!known) return undefined
    const { before, exchange, external, ours, product, symbol } = brokerExternals
    const rows = await this.db.read
      .select({ exchange, symbol, product, ours, external, before })
      .from(brokerExternals)
      .where(and(eq(brokerExternals.broker, broker), eq(brokerExternals.account, account)))
      .orderBy(asc(symbol), asc(exchange), asc(product))
    return { ...known, rows, foreignOrders: await this.#foreignOrders({ account, broker }) }
  }

  async #foreignOrders({ account, broker }: AccountName): Promise<string[]> {
    const rows = await this.db.read
      .select({ orderId: brokerForeignOrders.orderId })
      .from(brokerForeignOrders)
      .where(and(eq(brokerForeignOrders.broker, broker), eq(brokerForeignOrders.account, account)))
      .orderBy(asc(brokerForeignOrders.seenAt), asc(brokerForeignOrders.orderId))
    return rows.map(({ orderId }) => orderId)
  }

  /** Returns the signed quantities that the journal recorded from one instant up to another. */
  async recorded({ account, broker }: AccountName, from: number, to: number): Promise<Quantities> {
    const rows = await this.db.queryRaw(RECORDED, [from, to, broker, account])
    const recorded = new Quantities()
    for (const row of rows) {
      const name = {
        exchange: String(row.exchange),
        symbol: String(row.symbol),
        product: String(row.product),
      }
      recorded.add(name, row.action === 'BUY' ? Number(row.quantity) : -Number(row.quantity))
    }
    return recorded
  }

  /** Returns our orders among those with these tags and ids, each with the fill recorded before an instant. */
  async own(
    broker: string,
    { ids, tags }: { ids: readonly string[]; tags: readonly string[] },
    before: number,
  ): Promise<{ orderRef: string; orderId: string | null; filled: number }[]> {
    const rows = await this.db.queryRaw(OWN, [before, broker, JSON.stringify(tags), JSON.stringify(ids)])
    return rows.map((row) => ({
      orderRef: String(row.order_ref),
      orderId: row.order_id === null ? null : String(row.order_id),
      filled: Number(row.filled),
    }))
  }

  /** Replaces the last comparison of an account. */
  async store({ account, broker }: AccountName, comparison: Comparison): Promise<void> {
    const { at, foreignOrders, rows, session, through } = comparison
    const state = { session, at, through }
    await this.db.write(async (tx) => {
      await tx
        .insert(brokerComparisons)
        .values({ broker, account, ...state })
        .onConflictDoUpdate({ target: [brokerComparisons.broker, brokerComparisons.account], set: state })
      await tx
        .delete(brokerExternals)
        .where(and(eq(brokerExternals.broker, broker), eq(brokerExternals.account, account)))
      await tx.batch(INSERT_EXTERNAL.rows(rows.map((row) => ({ broker, account, ...row }))))
      await tx
        .delete(brokerForeignOrders)
        .where(and(eq(brokerForeignOrders.broker, broker), eq(brokerForeignOrders.account, account)))
      await tx.batch(
        INSERT_FOREIGN.rows(foreignOrders.map((orderId) => ({ broker, account, orderId, seenAt: at }))),
      )
    })
  }
}
