import type { Database, Row } from '../../storage/index.js'
import { PRICE_TYPES, type PriceType } from '../vocabulary.js'

const TYPES = `select order_ref, price_types as changed, json_extract(request, '$.pricetype') as placed from order_journal
  where order_ref in (select value from json_each(?))`
const STORE = 'update order_journal set price_types = ? where order_ref = ?'
/** Stores what is known of the type, unless another change of the order has written since. */
const SETTLE = `${STORE} and price_types is ?`

/** The change of an order's type that is stored before it is sent. */
export interface TypeChange {
  /** Stores that the broker has made the change. */
  made(): Promise<void>
  /** Stores that it has certainly not made it. In a doubt neither is called: both types stay. */
  notMade(): Promise<void>
}

/** The SQL about the price types that orders have: as they were placed, or as they were changed here. */
export class TypeStore {
  constructor(private readonly db: Database) {}

  /** Returns the types that orders may have, by reference: one, or more while a change is on its way or in doubt. */
  async of(orderRefs: readonly string[]): Promise<Map<string, readonly PriceType[]>> {
    const rows = await this.db.queryRaw(TYPES, [JSON.stringify(orderRefs)])
    return new Map(rows.map((row) => [String(row.order_ref), typesIn(row)]))
  }

  /**
   * Stores that an order may get another type, before its change is sent.
   * @returns undefined for an order that has this type already, or that is not from here
   */
  async begin(orderRef: string, asked: PriceType): Promise<TypeChange | undefined> {
    const now = (await this.of([orderRef])).get(orderRef)
    if (!now || (now.length === 1 && now[0] === asked)) return undefined
    const [before, meanwhile] = await this.db.write(async (tx) => {
      const [row = {}] = await tx.query(TYPES, [JSON.stringify([orderRef])])
      const types = [...new Set([...typesIn(row), asked])].join(' ')
      await tx.exec(STORE, [types, orderRef])
      return [row.changed === null ? null : String(row.changed), types] as const
    })
    return {
      made: () => this.#settle(orderRef, meanwhile, asked),
      notMade: () => this.#settle(orderRef, meanwhile, before),
    }
  }

  async #settle(orderRef: string, from: string, to: string | null): Promise<void> {
    await this.db.write((tx) => tx.exec(SETTLE, [to, orderRef, from]))
  }
}

function typesIn({ changed, placed }: Row): PriceType[] {
  const stored = String(changed ?? placed ?? '').split(' ')
  return PRICE_TYPES.filter((type) => stored.includes(type))
}
