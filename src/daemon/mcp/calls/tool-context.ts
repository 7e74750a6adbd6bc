import { ServiceError } from '../../../core/errors/index.js'
import type { Instruments } from '../../../core/instruments/index.js'
import { EXCHANGES, instrumentRow } from '../../../core/instruments/index.js'
import type { OrderOperationName, PlaceContext } from '../../../core/orders/index.js'
import { ORDER_OPERATION_NAMES, openRequest } from '../../../core/orders/index.js'
import { istDate } from '../../../core/time/index.js'
import type { TradingMode } from '../../../core/trading/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { noteOrder } from '../../audit/order-notes.js'
import type { RunningService } from '../../daemon.js'
import { lostRightFor } from '../../http/orders/lost-right.js'
import { OPERATION_LIST } from '../../operations/index.js'
import type { NamedOperation } from '../../operations/named.js'
import type { OperationName } from '../../operations/operation.js'
import { answerTo } from '../../orders/answer.js'
import type { PerformOf } from '../../routing/mount.js'
import type { AskOptions, ToolContext } from '../tools/tool.js'
import type { McpCaller } from './caller.js'
import { ToolRefusal } from './errors.js'

/** Nothing is sent for a call after this time: its caller has most likely stopped waiting. */
const PATIENCE_MS = 30_000

const REVOKED = {
  code: 'forbidden',
  message: 'The access of the assistant was revoked before this was sent; it was not sent.',
} as const

const TOGGLE: OperationName = 'POST /api/v1/analyzer/toggle'
/** An exit of your programs that is simulated looks done, and the position at the broker stays open. */
const MODE_STAYS =
  'An assistant may not switch between Live and Analyzer mode while the MCP setting queue_writes is on. Do it yourself (svc analyze on, svc analyze off), or switch queue_writes off (svc admin mcp).'

const BY_NAME: ReadonlyMap<string, NamedOperation> = new Map(OPERATION_LIST.map((row) => [row.name, row]))
const ORDERS: ReadonlyMap<string, OrderOperationName> = new Map(
  ORDER_OPERATION_NAMES.map((name) => [`POST /api/v1/${name}`, name]),
)

/**
 * Returns what tools may do for a caller. Orders go through the one execution with the source `mcp`: risk gate, kill
 * switch, approval queue, journal and events are those of every other order. Everything else runs as its route does.
 */
export function toolContext(service: RunningService, performOf: PerformOf, caller: McpCaller): ToolContext {
  const { clock, instruments, mcp } = service
  const startedAt = clock.monotonic()
  return {
    ask: (name, body, options = {}) => {
      const order = ORDERS.get(name)
      return order ? sendOrder(order, body, options) : perform(name, body)
    },
    today: () => istDate(clock.now()),
    instruments: (exchange, limit) => firstInstruments(instruments, exchange, limit),
  }

  async function sendOrder(operation: OrderOperationName, body: object, { idempotencyKey }: AskOptions) {
    const { context, principal } = caller
    const lostRight = lostRightIn(operation)
    const { run } = openRequest(operation, (schema) => parseWith(schema, body))
    const answer = answerTo(
      await run(service.orders, {
        userId: principal.username,
        source: 'mcp',
        startedAt,
        deadline: startedAt + PATIENCE_MS,
        ...(lostRight && { lostRight }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      }),
    )
    noteOrder(service, context, { operation, principal, answer })
    if (answer.code !== 'ok') throw new ToolRefusal(answer, answer.code)
    return answer.body
  }

  /** An assistant of its own has only what it was granted; one on stdio has the user's key. */
  function lostRightIn(operation: OrderOperationName): PlaceContext['lostRight'] {
    const { grant, principal } = caller
    if (!grant) return lostRightFor(operation, service.identity, principal)
    return () => (mcp.mayWrite(grant) ? undefined : REVOKED)
  }

  async function perform(name: OperationName, given: object): Promise<object> {
    const operation = BY_NAME.get(name)
    const run = operation && performOf(operation)
    if (!operation || !run) throw new Error(`no tool can run ${name}`)
    const body = operation.body && parseWith(operation.body, given)
    if (name === TOGGLE && changesMode(body, service.mode()) && mcp.settings().queueWrites) {
      throw new ServiceError('forbidden', MODE_STAYS)
    }
    return run(caller.context, { input: { body }, caller: caller.principal, startedAt })
  }
}

function changesMode(body: unknown, mode: TradingMode): boolean {
  const asked = typeof body === 'object' && body !== null && 'mode' in body && body.mode === true
  return asked !== (mode === 'analyze')
}

function firstInstruments(
  { directory }: Pick<Instruments, 'directory'>,
  exchange: string | undefined,
  limit: number,
): { total: number; rows: object[] } {
  const counts: Readonly<Record<string, number>> = directory.countByExchange()
  const rows: object[] = []
  for (const code of EXCHANGES) {
    if (exchange !== undefined && code !== exchange) continue
    for (const instrument of directory.forExchange(code)) {
      if (rows.length === limit) break
      rows.push(instrumentRow(instrument))
    }
  }
  return { total: exchange === undefined ? directory.count : (counts[exchange] ?? 0), rows }
}
