import type { z } from 'zod'
import type { TradingMode } from '../../trading/index.js'
import type { BrokerAccount, PositionName } from '../account/positions.js'
import type { OrderSource } from '../journal/entry.js'
import type { OrderInDoubt } from '../journal/journal.js'
import type { Caller, LiveOrders, OrderPorts, SandboxExecution } from '../ports.js'
import type { Outcome } from '../publish/publish.js'
import type { OrderResult } from '../result.js'
import type { WaitingTerms } from '../schema.js'
import type { OptionResolver } from './option-port.js'
import type { BatchPlan, ExecutionPlan } from './plans/plan.js'

/** The user, the source and the trading mode of an execution. */
export interface Run {
  userId: string
  source: OrderSource
  mode: TradingMode
  caller?: Caller
}

/** The services that planning may use. */
export interface PlanTools {
  sandbox: Pick<SandboxExecution, 'atNextOpening' | 'expectedPosition' | 'waitingAlike'>
  broker: LiveOrders
  /**
   * Returns the orders of this session that concern a request and that the broker may have without having
   * answered.
   */
  inDoubt(concerns: (order: OrderInDoubt) => boolean): Promise<readonly OrderInDoubt[]>
  /**
   * Reads positions and orders of the broker's account. Waits shortly for orders that are about to end.
   * @param concerns which of them must stand still meanwhile
   * @param terms those of the next order; absent for one at the market
   * @param isAwaited whether to wait shortly for an account to change; absent for one that may stay as it is
   */
  account(
    concerns: (row: PositionName) => boolean,
    terms?: WaitingTerms,
    isAwaited?: (account: BrokerAccount) => boolean,
  ): Promise<BrokerAccount>
  /** Absent where no options directory is wired: option orders are refused then. */
  options: OptionResolver | undefined
  /** The pause between the parts of one split order. */
  splitPauseMs: number
  /** Returns the largest order that the exchange takes for a contract; undefined if no limit is known. */
  largestOrder: OrderPorts['largestOrder']
}

/** How a plan learns what the account holds. */
export type AccountReading = Pick<PlanTools, 'account' | 'inDoubt'>

/** A plan to execute, or the result of a request that needs no order. */
export type Planned = ExecutionPlan | { result: OrderResult }

/** An executed request, for its event. */
interface Executed {
  outcome: Outcome
  plan: BatchPlan
}

/**
 * A kind of request that becomes other orders: its payload, its plan and its event. `MultiOrders` does the
 * rest the same way for every kind.
 */
export interface MultiOrderKind<P extends object, N extends string = string> {
  operation: N
  payload: z.ZodType<P>
  /** It only reduces positions, so it may be sent when new orders may not. */
  reduces?: boolean
  /** Returns the slots of the request. Only one request at a time occupies a slot. */
  slots?(payload: P, run: Run, tools: PlanTools): Promise<readonly string[]>
  /**
   * @param slots the {@link slots} that the request occupies while it is executed; absent in a preview
   * @throws ServiceError with the text for the caller
   */
  plan(payload: P, run: Run, tools: PlanTools, slots?: readonly string[]): Promise<Planned>
  /**
   * Returns the net quantity that the positions of its orders are brought to. Only for a kind whose orders are computed
   * from the positions: a retry sends those that a crash left unsent only as far as their position still needs them.
   */
  target?(payload: P): number
  publish(payload: P, executed: Executed, ports: Pick<OrderPorts, 'publish'>): void
  /** Publishes also each order that a broker refused. */
  publishesEachFailure?: boolean
}

/** Returns the name of a position's slot: smart orders and closes of one position wait for each other. */
export function slotOf({ exchange, symbol, product }: PositionName): string {
  return `${exchange}:${symbol}:${product}`
}
