import { approvals } from '../../../src/tui/approvals/screen.js'
import { type DeskOptions, payloadOf, USER } from '../../support/desk/desk.js'
import { bearer } from '../../support/desk/http-desk.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

const Screen = approvals.View

type Live = Awaited<ReturnType<typeof liveDesk>>
export type OrderFields = NonNullable<Parameters<typeof payloadOf>[0]>

/** A limit order that the simulated exchange keeps open. */
const ORDER = { pricetype: 'LIMIT', price: 100, strategy: 'demo' } as const

/** A daemon whose user approves orders by hand, in LIVE mode. */
export async function queueDesk(options: DeskOptions = {}) {
  const live = await liveDesk(options)
  await set(live, '/settings/analyze-mode/0')
  await set(live, '/apikey/mode', { user_id: USER, mode: 'semi_auto' })
  return { ...live, ...queueOf(live) }
}

async function set({ http, token }: Live, path: string, body?: object): Promise<void> {
  const { status, text } = await http.request('POST', path, { headers: bearer(token), ...(body && { body }) })
  if (status !== 200) throw new Error(text)
}

function queueOf(live: Live) {
  const { http } = live
  return {
    /** Queues an order. @returns its id in the queue */
    async queue(fields: OrderFields = {}): Promise<number> {
      const body = { apikey: http.apikey, ...payloadOf({ ...ORDER, ...fields }) }
      const { body: answer, text } = await http.request('POST', '/api/v1/placeorder', { body })
      if (answer.pending_order_id === undefined) throw new Error(text)
      return Number(answer.pending_order_id)
    },
    /** Another client of the same user decides. */
    async approve(id: number): Promise<void> {
      await live.client.request('POST /action-center/approve/:id', { params: { id: String(id) }, body: {} })
    },
    async reject(id: number, reason: string): Promise<void> {
      const request = { params: { id: String(id) }, body: { reason } }
      await live.client.request('POST /action-center/reject/:id', request)
    },
    analyze: (on: boolean) => set(live, `/settings/analyze-mode/${on ? 1 : 0}`),
    /** Returns the statuses of all orders in the queue, newest first. */
    async statuses(): Promise<readonly string[]> {
      const { data } = await live.client.request('GET /action-center/api/data', {
        query: { status: 'all', prices: 'false' },
      })
      return data.orders.map(({ id, status }) => `${id} ${status}`)
    },
    /** Returns the price that was stored when an order was queued. */
    async priceWhenQueued(id: number): Promise<number> {
      const query = { status: 'all', before: id + 1, limit: 1 }
      const { data } = await live.client.request('GET /action-center/api/data', { query })
      return data.orders[0]?.created_ltp ?? 0
    },
    /** The exchange trades at a price. */
    trade(price: number, symbol = 'SBIN') {
      http.desk.service.hub.publish({
        symbol,
        exchange: 'NSE',
        ltp: price,
        timestamp: http.desk.clock.now(),
        open: price,
        high: price,
        low: price,
        prevClose: price,
        volume: 1,
        oi: 0,
        lastQuantity: 1,
        averagePrice: price,
        bid: price,
        ask: price,
        bidSize: 1,
        askSize: 1,
        totalBuyQuantity: 1,
        totalSellQuantity: 1,
        depth: { buy: [], sell: [] },
      })
    },
  }
}

/** Shows the screen in a terminal of 80 by 24, or of another width. */
export function approvalScreen({ access }: Pick<Live, 'access'>, width = 80) {
  return shown(access, <Screen width={width} height={21} />)
}
