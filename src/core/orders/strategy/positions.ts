import type { BrokerHolding, BrokerOrder } from '../../brokers/broker.js'
import { brokerFailure } from '../../brokers/index.js'
import { ServiceError } from '../../errors/index.js'
import { exactQuantity } from '../../money/index.js'
import { type Clock, sessionStart } from '../../time/index.js'
import { accountAt, isIn, type PositionName } from '../account/positions.js'
import { timeOfOrderRef } from '../order-ref.js'
import {
  isOtherAccount,
  type LiveExecution,
  type LiveOrders,
  type OrderPorts,
  type SandboxExecution,
} from '../ports.js'

/** The account of a run: at a broker, or the sandbox account of a user. */
export type RunAccount =
  | { mode: 'live'; broker: string; accountId?: string | undefined }
  | { mode: 'analyze'; userId: string }

type LiveAccount = Extract<RunAccount, { mode: 'live' }>

/** An account's record of one order. */
export interface AccountFill {
  /** Null if the book no longer lists the order, because it is of an earlier session. */
  filled: number | null
}

/** The positions of an account at one moment, with the fills that they contain. */
export interface AccountState {
  /**
   * Returns the signed quantity of a contract and product, whenever it was bought: delivery shares with those that the
   * account held when the day began, less the sales of today.
   */
  held(name: PositionName): number
  /** Returns whether the quantity of a position is in units. A broker's own count cannot be compared with that of a run. */
  isSettled(name: PositionName): boolean
  /**
   * Returns whether the instruments of the broker list the contract. Without that the broker's rows have a name of its own,
   * and {@link held} finds none of them.
   */
  isListed(name: PositionName): boolean
  /** Returns undefined if the order should be listed and is not. */
  fill(orderRef: string): AccountFill | undefined
  /** Returns the signed quantity that orders of others have filled today, or since a moment of today. */
  byOthers(name: PositionName, since?: number): number
  /** True if the positions are certainly as new as the orders. */
  isExact: boolean
}

/** The positions and orders that a reading concerns. */
export interface AccountQuestion {
  positions: readonly PositionName[]
  orderRefs: readonly string[]
  /** Returns which of these references belong to orders of any run, also of one that holds nothing now. */
  ofRuns(orderRefs: readonly string[]): Promise<ReadonlySet<string>>
}

interface PositionParts {
  clock: Clock
  broker: LiveOrders
  ports: Pick<OrderPorts, 'instrument'>
  sandbox: Pick<SandboxExecution, 'ordersWith' | 'quantities'>
}

/** Reads what an account holds, together with the fills of the runs' orders, so that the two can be compared. */
export class StrategyPositions {
  constructor(private readonly parts: PositionParts) {}

  /**
   * Reads an account. A result is of one moment: no order of these positions filled meanwhile.
   * @throws ServiceError if the account cannot be read, another broker is active, or its instruments are not loaded
   */
  read(account: RunAccount, question: AccountQuestion): Promise<AccountState> {
    return account.mode === 'analyze'
      ? this.#simulated(account.userId, question)
      : this.#live(account, question)
  }

  async #simulated(userId: string, { orderRefs }: AccountQuestion): Promise<AccountState> {
    const { sandbox } = this.parts
    const positions = await sandbox.quantities(userId)
    // Read after the positions: a fill between the two readings is not yet known to its run.
    const orders = new Map((await sandbox.ordersWith(orderRefs)).map((order) => [order.orderId, order]))
    return {
      held: (name) => quantityIn(positions, name),
      isSettled: () => true,
      isListed: () => true,
      fill: (orderRef) => {
        const order = orders.get(orderRef)
        return order && { filled: order.filledQuantity }
      },
      byOthers: () => 0,
      isExact: true,
    }
  }

  async #live(account: LiveAccount, { ofRuns, positions: names }: AccountQuestion): Promise<AccountState> {
    const { broker: active, clock, ports } = this.parts
    this.#requireReadable(account)
    const concerns = (row: PositionName) => names.some((name) => isIn(row, name) || isSameShare(row, name))
    const { orders, positions } = await accountAt(active.client(), concerns)
    const holdings = names.some(isDelivery) ? await holdingsAt(active) : []
    this.#requireReadable(account)
    const filled = filledByTag(orders)
    const concerned = orders.filter(concerns)
    const ours = await ofRuns([...filledByTag(concerned).keys()])
    const others = concerned.filter(({ tag }) => tag === undefined || !ours.has(tag))
    const today = sessionStart(clock.now())
    return {
      held: (name) => exactQuantity(netOf(positions, name) + openingOf(holdings, name)),
      isSettled: (name) => !positions.some((row) => isIn(row, name) && row.unsettled !== undefined),
      isListed: (name) => ports.instrument(name) !== undefined,
      fill: (orderRef) => {
        const listed = filled.get(orderRef)
        if (listed !== undefined) return { filled: listed }
        return timeOfOrderRef(orderRef) >= today ? undefined : { filled: null }
      },
      byOthers: (name, since = 0) =>
        netOf(others.filter(({ timestamp }) => timestamp >= since).map(toPosition), name),
      isExact: false,
    }
  }

  /**
   * Refuses an account that is not the one signed in. It refuses all while the instruments of the broker are not loaded: its
   * rows then have names of its own, and a position that the account holds would look closed.
   */
  #requireReadable({ accountId, broker }: LiveAccount): void {
    const { broker: active } = this.parts
    if (active.brokerId !== broker) throw new ServiceError('conflict', `${active.brokerId} is active`)
    if (isOtherAccount(active, accountId)) {
      throw new ServiceError('conflict', `${active.accountId} is signed in at ${broker}, not ${accountId}`)
    }
    active.requireReady()
  }
}

/** Returns what the account held when the day began. Only sales of today change it, and they are in the positions. */
async function holdingsAt(broker: LiveExecution): Promise<BrokerHolding[]> {
  try {
    return await broker.client().portfolio.holdings('exit')
  } catch (error) {
    throw brokerFailure(error)
  }
}

function isDelivery({ product }: PositionName): boolean {
  return product === 'CNC'
}

/**
 * Returns whether a row is about the same delivery shares, at another exchange. A demat account does not know where a share
 * was bought: brokers list a holding under one of the exchanges, and it can be sold at each.
 */
function isSameShare(row: PositionName, name: PositionName): boolean {
  return isDelivery(row) && isDelivery(name) && row.symbol === name.symbol && row.exchange !== name.exchange
}

function openingOf(holdings: readonly BrokerHolding[], name: PositionName): number {
  const rows = isDelivery(name) ? holdings.filter((row) => isDelivery(row) && row.symbol === name.symbol) : []
  return rows.reduce((sum, { openingQuantity }) => sum + openingQuantity, 0)
}

/** Returns the quantity of a position, less what was sold of the same shares at another exchange. */
function netOf(rows: readonly HeldQuantity[], name: PositionName): number {
  const elsewhere = rows.filter((row) => isSameShare(row, name)).reduce((sum, row) => sum + row.quantity, 0)
  return exactQuantity(quantityIn(rows, name) + Math.min(elsewhere, 0))
}

interface HeldQuantity extends PositionName {
  quantity: number
}

function toPosition({ action, exchange, filledQuantity, product, symbol }: BrokerOrder): HeldQuantity {
  return { exchange, product, symbol, quantity: action === 'BUY' ? filledQuantity : -filledQuantity }
}

/** Several orders of the broker may have one tag. */
function filledByTag(orders: readonly BrokerOrder[]): Map<string, number> {
  const filled = new Map<string, number>()
  for (const { filledQuantity, tag } of orders) {
    if (tag) filled.set(tag, exactQuantity((filled.get(tag) ?? 0) + filledQuantity))
  }
  return filled
}

function quantityIn(positions: readonly HeldQuantity[], name: PositionName): number {
  const rows = positions.filter((row) => isIn(row, name))
  return exactQuantity(rows.reduce((sum, { quantity }) => sum + quantity, 0))
}
