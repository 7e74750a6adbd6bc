import type { z } from 'zod'
import type { OrderOperationName } from '../../operations/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { OrderSource } from '../journal/journal.js'
import type { Caller, LiveOrders, OrderPorts, PositionRef, SandboxExecution } from '../ports.js'
import type { Outcome } from '../publish.js'
import type { OrderResult } from '../result.js'
import type { OptionResolver } from './option-port.js'
import type { BatchPlan, ExecutionPlan } from './plan.js'

/** The user, the source and the trading mode of an execution. */
export interface Run {
  userId: string
  source: OrderSource
  mode: TradingMode
  caller?: Caller
}

/** The services that planning may use. */
export interface PlanTools {
  sandbox: Pick<SandboxExecution, 'expectedPosition'>
  broker: LiveOrders
  /** Absent where no options directory is wired: option orders are refused then. */
  options: OptionResolver | undefined
  /** The pause between the parts of one split order. */
  splitPauseMs: number
}

/** A plan to execute, or an answer without any order. */
export type Planned = ExecutionPlan | { answer: OrderResult; event?: 'no_action' }

/** What was carried out, for the event that tells of it. */
export interface Done {
  outcome: Outcome
  plan: BatchPlan
}

/**
 * A kind of request that becomes other orders: how it reads, what it becomes, and how its end is told. The
 * desk does the rest the same way for all of them.
 */
export interface MultiOrderKind<P extends object> {
  operation: OrderOperationName
  payload: z.ZodType<P>
  /** It only reduces what is held, so it may leave when new orders may not. */
  reduces?: boolean
  /** Only one request at a time for each of these. */
  slots?(payload: P, run: Run, tools: PlanTools): Promise<readonly string[]>
  /**
   * @param held the {@link slots} this request has while it is executed; absent in a preview
   * @throws ServiceError with the text for the caller
   */
  plan(payload: P, run: Run, tools: PlanTools, held?: readonly string[]): Promise<Planned>
  publish(payload: P, done: Done, ports: Pick<OrderPorts, 'emit'>): void
  /** Whether each order a broker refused is told by itself as well. */
  publishesEachFailure?: boolean
}

/** What a position's turn is called: smart orders and closes of one position wait for each other. */
export function slotOf({ exchange, symbol, product }: PositionRef): string {
  return `${exchange}:${symbol}:${product}`
}
