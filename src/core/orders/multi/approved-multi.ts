import { type ErrorCode, ServiceError } from '../../errors/index.js'
import type { Tx } from '../../storage/index.js'
import type { UnplacedEnd } from '../end.js'
import { markedWith, type OrderResult, resultOfError } from '../result.js'
import type { AccountReading, Planned, Run } from './kind.js'
import type { DecidedBatch } from './plans/batch-store.js'
import type { BatchResult } from './plans/batches.js'
import type { BatchPlan, ExecutionPlan } from './plans/plan.js'

/** A request that needed no order has no ends. */
export type MultiResult = { result: OrderResult } & Partial<Pick<BatchResult, 'plan' | 'ends'>>

/** An approved request. Its stored payload has been read. */
export interface ApprovedMulti {
  /** Returns the orders that it would become now, or its result when it needs none. @throws ServiceError */
  plan(run: Run, reading?: AccountReading): Promise<Planned>
  /** Runs work while no smart order, close or exit trades on its positions. */
  alone<T>(run: Run, work: () => Promise<T>): Promise<T>
  /** Plans it. Returns the refusal of the gate, when it would refuse every order now. */
  recheck(run: Run): Promise<UnplacedEnd | undefined>
  /** Returns the plan of {@link recheck}, which is executed; undefined where it needs no order, or has no plan. */
  planned(): BatchPlan | undefined
  /**
   * Stores the request in the transaction of its claim. @returns its reference
   * @throws ServiceError `conflict` if mode, broker or account have changed since it was planned
   */
  beginIn(tx: Tx, run: Run, approvalId: number): Promise<string>
  /** Executes its plan under the reference of its claim. */
  execute(batchRef: string): Promise<MultiResult>
}

/** What an approved request needs, bound to its kind and payload. */
interface Steps {
  slots(run: Run): Promise<readonly string[]>
  alone<T>(occupied: readonly string[], work: () => Promise<T>): Promise<T>
  plan(run: Run, occupied: readonly string[] | undefined, reading?: AccountReading): Promise<Planned>
  refusedWhole(run: Run, planned: ExecutionPlan): Promise<UnplacedEnd | undefined>
  /** Returns a batch for the broker and the account of now. */
  decided(run: Run): DecidedBatch
  store(tx: Tx, batch: DecidedBatch): Promise<unknown>
  execute(batch: DecidedBatch, planned: Planned): Promise<MultiResult>
}

/**
 * Returns an approved request that is planned once: what was compared with the eyes of its approver is what is sent. Its
 * positions stand still meanwhile, as far as this service trades on them; what another program does at the broker between
 * plan and sending is not seen, as with every smart order.
 */
export function approvedMulti(steps: Steps): ApprovedMulti {
  let occupied: readonly string[] | undefined
  /** The plan, with the mode, the broker and the account that it is for. */
  let known: { planned: Planned; at: DecidedBatch } | undefined
  let claimed: DecidedBatch | undefined
  return {
    plan: (run, reading) => steps.plan(run, undefined, reading),
    alone: async (run, work) => {
      occupied = await steps.slots(run)
      return steps.alone(occupied, work)
    },
    recheck: async (run) => {
      const at = steps.decided(run)
      // A request that cannot be planned fails at its execution, with this reason; it waits on where the reason passes.
      const planned = await steps.plan(run, occupied).catch((error: unknown) => failed(run, error))
      known = { planned, at }
      return 'result' in planned ? undefined : steps.refusedWhole(run, planned)
    },
    planned: () => (known === undefined || 'result' in known.planned ? undefined : known.planned.plan),
    beginIn: async (tx, run, approvalId) => {
      claimed = { ...steps.decided(run), approvalId }
      if (known && !isSamePlace(known.at, claimed)) throw new ServiceError('conflict', ELSEWHERE)
      await steps.store(tx, claimed)
      return claimed.batchRef
    },
    execute: async (batchRef) => {
      if (!known || claimed?.batchRef !== batchRef) {
        throw new Error(`${batchRef} is not the claim of this request`)
      }
      return steps.execute(claimed, known.planned)
    },
  }
}

const ELSEWHERE =
  'Not approved: the mode, the broker or its account changed during the approval. The order stays pending.'

/** The codes of failures that pass: the account cannot be read now, or an order of it is still in doubt. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['unavailable', 'rate_limited'])

function failed({ mode }: Run, error: unknown): Planned {
  if (!(error instanceof ServiceError) || PASSING.has(error.code)) throw error
  return { result: markedWith(mode, resultOfError(error)) }
}

function isSamePlace(one: DecidedBatch, other: DecidedBatch): boolean {
  return one.mode === other.mode && one.brokerId === other.brokerId && one.accountId === other.accountId
}
