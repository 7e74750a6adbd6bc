import type {
  ApprovalExecutor,
  ApprovalResult,
  ApprovedRequest,
  Destination,
  QueuedOrder,
} from '../../approvals/schema.js'
import { BrokerError } from '../../brokers/broker.js'
import { type ErrorCode, type Refusal, ServiceError } from '../../errors/index.js'
import type { LiveOrders, OrderPorts } from '../ports.js'

/** The error codes of a broker that cannot be used at all: no session, or no such broker. */
const NO_SESSION: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['forbidden', 'broker_missing'])

/** A kind of request that waits for approval. */
export interface ApprovedKind {
  /** Reads a stored request. @throws ServiceError `validation` */
  open(order: QueuedOrder): ApprovedRequest
  /** Returns the result of an execution that a crash interrupted, from its records. It sends nothing. */
  resume(ref: string, order: QueuedOrder): Promise<ApprovalResult>
}

/**
 * Executes approved orders through the common order path, without the queue. The transaction of the
 * approval's claim also journals the attempt, so that its outcome can be found after a crash.
 */
export class ApprovedOrderExecutor implements ApprovalExecutor {
  /** @param kinds the kinds of requests by their names in the queue */
  constructor(
    private readonly kinds: ReadonlyMap<string, ApprovedKind>,
    private readonly broker: LiveOrders,
    private readonly ports: Pick<OrderPorts, 'mode'>,
  ) {}

  supports(operation: string): boolean {
    return this.kinds.has(operation)
  }

  destination(): Destination {
    return { mode: this.ports.mode(), broker: this.broker.brokerId }
  }

  open(order: QueuedOrder): ApprovedRequest {
    const { recheck, send, ...request } = this.#kind(order).open(order)
    return {
      ...request,
      recheck: async () => this.#unready() ?? (await recheck()),
      send: async (ref) => {
        const report = await send(ref)
        return async () => this.#withoutSession(await report())
      },
    }
  }

  async resume(ref: string, order: QueuedOrder): Promise<ApprovalResult> {
    return this.#kind(order).resume(ref, order)
  }

  /**
   * Reads the broker's book as a test: a session can end without notice, and one that cannot read cannot
   * order.
   */
  async withoutSession(): Promise<string | undefined> {
    if (this.ports.mode() !== 'live') return undefined
    try {
      await this.broker.client().orders.list()
      return undefined
    } catch (error) {
      const isMissing = error instanceof ServiceError && NO_SESSION.has(error.code)
      const isRefused = error instanceof BrokerError && error.kind === 'auth'
      return isMissing || isRefused ? `There is no broker session: ${error.message}` : undefined
    }
  }

  #kind({ operation }: QueuedOrder): ApprovedKind {
    const kind = this.kinds.get(operation)
    if (!kind) throw new Error(`no kind of request is called ${operation}`)
    return kind
  }

  /**
   * Refuses for a temporary reason, so that the order stays pending. A missing session instead fails the
   * order.
   */
  #unready(): Refusal | undefined {
    if (this.ports.mode() !== 'live') return undefined
    const refusal = refusalBy(this.broker)
    return refusal?.code === 'unavailable' ? { code: refusal.code, message: refusal.message } : undefined
  }

  /**
   * Gives a failure without a broker session the text of the public API. The detail keeps which session is
   * missing and how to get one.
   */
  #withoutSession(result: ApprovalResult): ApprovalResult {
    if (result.outcome !== 'failed' || !NO_SESSION.has(result.code)) return result
    const refusal = refusalBy(this.broker)
    if (refusal?.message !== result.message) return result
    const { message: detail } = refusal
    return { outcome: 'failed', code: 'forbidden', message: 'Authentication failed', detail }
  }
}

/** Returns why the broker takes no new orders now; undefined when it takes them. */
export function refusalBy(broker: LiveOrders): ServiceError | undefined {
  try {
    broker.requireReady()
    return undefined
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}
