import type { KiteOrder } from '../wire.js'

const FINAL: ReadonlySet<string> = new Set(['COMPLETE', 'CANCELLED', 'REJECTED'])

/**
 * Iceberg orders, which Kite shows leg by leg: each leg is an order of its own, sent when the one before is filled, and
 * names the first as its parent. Here the first leg's id is that of the whole order.
 */
export class Icebergs {
  /** The rows of the legs by the id of the first leg, and then by their own. */
  readonly #legs = new Map<string, Map<string, KiteOrder>>()
  readonly #wholeOf = new Map<string, string>()

  /** Notes rows of the book or an update. @returns them with the legs of each iceberg as one order, as far as they are known */
  merged(rows: readonly KiteOrder[]): KiteOrder[] {
    for (const row of rows) this.#note(row)
    const orders = new Map(rows.map((row) => [this.idOf(row.order_id), row]))
    return [...orders].map(([id, row]) => this.whole(id) ?? row)
  }

  /** Returns the id of the order that an order or a leg belongs to. */
  idOf(orderId: string): string {
    return this.#wholeOf.get(orderId) ?? orderId
  }

  /** Returns the id of the leg that a change or a cancel of an order must name: the last one. */
  legOf(orderId: string): string {
    return this.#sorted(orderId).at(-1)?.order_id ?? orderId
  }

  #note(row: KiteOrder): void {
    if (row.variety !== 'iceberg') return
    const id = row.parent_order_id || row.order_id
    const legs = this.#legs.get(id) ?? new Map<string, KiteOrder>()
    this.#legs.set(id, legs)
    this.#wholeOf.set(row.order_id, id)
    const known = legs.get(row.order_id)
    // Updates may arrive late.
    const isLate = known && (FINAL.has(known.status) || known.filled_quantity > row.filled_quantity)
    if (!isLate) legs.set(row.order_id, row)
    // The price of a fill may be told later than its quantity.
    else if (lacksPrice(known) && known.filled_quantity === row.filled_quantity)
      legs.set(row.order_id, { ...known, average_price: row.average_price })
  }

  #sorted(id: string): KiteOrder[] {
    const legs = [...(this.#legs.get(id)?.values() ?? [])]
    return legs.sort((a, b) => legNumber(a) - legNumber(b))
  }

  /** Returns an iceberg as one order; undefined for any other order. */
  whole(id: string): KiteOrder | undefined {
    const legs = this.#sorted(id)
    const [first, last] = [legs[0], legs.at(-1)]
    if (!first || !last) return undefined
    const total = first.meta?.iceberg?.total_quantity ?? first.quantity
    const filled = legs.reduce((sum, leg) => sum + leg.filled_quantity, 0)
    const value = legs.reduce((sum, leg) => sum + leg.filled_quantity * leg.average_price, 0)
    const isBetweenLegs = last.status === 'COMPLETE' && filled < total
    return {
      ...last,
      order_id: id,
      parent_order_id: '',
      tag: first.tag,
      tags: first.tags,
      quantity: total,
      status: isBetweenLegs ? 'OPEN' : last.status,
      filled_quantity: filled,
      // Without the price of one leg, that of the others is not the price of the whole.
      average_price: filled > 0 && !legs.some(lacksPrice) ? value / filled : 0,
    }
  }
}

function lacksPrice({ average_price, filled_quantity }: KiteOrder): boolean {
  return filled_quantity > 0 && average_price === 0
}

function legNumber({ meta }: KiteOrder): number {
  return meta?.iceberg?.leg ?? 0
}
