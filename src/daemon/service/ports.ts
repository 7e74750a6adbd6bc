import type { BrokerService } from '../../core/brokers/index.js'
import { ServiceError } from '../../core/errors/index.js'
import { EXCHANGES, type Instruments } from '../../core/instruments/index.js'
import type { Money } from '../../core/money/index.js'
import { toMoney } from '../../core/money/index.js'
import type { LiveOrders, OrderJournal, SandboxExecution } from '../../core/orders/index.js'
import type { RiskPorts } from '../../core/risk/index.js'
import type { PreviewOutcome, Sandbox } from '../../core/sandbox/index.js'
import { type Clock, sessionStart } from '../../core/time/index.js'

/** Returns the sandbox in the form the order path uses. */
export function sandboxExecution(sandbox: Sandbox): SandboxExecution {
  return {
    newOrderId: () => sandbox.newOrderId(),
    placeAll: (userId, orders, options) => sandbox.placeAll(userId, orders, options),
    outcomeOf: (userId, orderId) => sandbox.outcomeOf(userId, orderId),
    preview: async (userId, order, options) => previewOf(await sandbox.preview(userId, order, options)),
    rehearse: async (userId) => {
      const rehearsal = await sandbox.rehearse(userId)
      return { preview: async (order) => previewOf(await rehearsal.preview(order)) }
    },
    statusOf: async (userId, orderId) => (await sandbox.books.order(userId, orderId))?.order_status,
    ordersWith: (orderIds) => sandbox.ordersWith(orderIds),
    ordersOf: (userId, strategy, since) => sandbox.ordersOf(userId, strategy, since),
    expectedPosition: (userId, ref) => sandbox.expectedPosition(userId, ref),
    atNextOpening: (userId, ref) => sandbox.atNextOpening(userId, ref),
    openPart: (userId, ref) => sandbox.openPart(userId, ref),
    waitingAlike: (userId, ref, terms) => sandbox.waitingAlike(userId, ref, terms),
    quantities: (userId) => sandbox.quantities(userId),
    resetAt: (userId) => sandbox.resetAt(userId),
    openPositions: (userId, filter) => sandbox.openPositions(userId, filter),
    termsOf: async (userId, orderId) => {
      const order = await sandbox.books.order(userId, orderId)
      const exchange = EXCHANGES.find((known) => known === order?.exchange)
      if (!order || !exchange) return undefined
      return { ...order, exchange, priceType: order.pricetype, triggerPrice: order.trigger_price }
    },
    modify: (userId, orderId, changes, options) => sandbox.modify(userId, orderId, changes, options),
    cancel: (userId, orderId) => sandbox.cancel(userId, orderId),
    cancelAll: (userId, options) => sandbox.cancelAll(userId, options),
    closeEach: (userId, positions) => sandbox.closeEach(userId, positions),
  }
}

const previewOf = (preview: PreviewOutcome) =>
  preview.ok ? { margin: preview.margin } : { margin: null, refusal: preview.message }

/**
 * Returns the active broker for new orders. It refuses them until the broker's own instruments are loaded.
 */
export function liveOrders(brokers: BrokerService, instruments: Pick<Instruments, 'status'>): LiveOrders {
  return {
    get brokerId() {
      return brokers.brokerId
    },
    get accountId() {
      return brokers.session?.userId
    },
    client: () => brokers.client(),
    manifest: () => brokers.manifest(),
    algoOf: (strategy) => brokers.algoOf(strategy),
    orderSlot: (rank) => brokers.orderSlot(rank),
    requireReady: () => {
      brokers.client()
      const { record } = instruments.status()
      const { brokerId } = brokers
      if (record?.brokerId === brokerId) return
      const present = record
        ? `The loaded instruments belong to ${record.brokerId}`
        : 'No instruments are loaded'
      throw new ServiceError(
        'unavailable',
        `${present}, but the active broker is ${brokerId}. New orders are refused until its instruments are loaded (svc broker sync).`,
      )
    },
  }
}

/** Returns the account data the risk gate reads, in either mode. */
export function accountPorts(
  brokers: BrokerService,
  journal: OrderJournal,
  sandbox: Sandbox,
  clock: Clock,
): Pick<RiskPorts, 'dayPnl' | 'ordersToday'> {
  return {
    dayPnl: async (userId, mode): Promise<Money | undefined> => {
      if (mode === 'analyze') return sandbox.books.dayPnl(userId)
      try {
        const positions = await brokers.client().portfolio.positions('order')
        return totalOf(positions.map(({ dayPnl }) => dayPnl))
      } catch {
        // `undefined` means unknown: the gate then refuses orders if a loss limit is set.
        return undefined
      }
    },
    ordersToday: async (userId, mode) =>
      mode === 'analyze'
        ? sandbox.books.placedToday(userId)
        : journal.countSince(userId, sessionStart(clock.now())),
  }
}

/** Returns the sum of profits in rupees; undefined if one of them is unknown. */
function totalOf(profits: readonly (number | undefined)[]): Money | undefined {
  let total: Money = 0n
  for (const profit of profits) {
    if (profit === undefined) return undefined
    total += toMoney(profit)
  }
  return total
}
