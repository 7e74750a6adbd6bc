import { describe, expect, onTestFinished, test } from 'vitest'
import type { FaultRule } from '../../../src/core/brokers/simulated/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { placeOrderPayload, toOrderRequest } from '../../../src/core/orders/index.js'
import { parseWith } from '../../../src/core/validation/index.js'
import { flowOrders } from '../../../src/daemon/flows/order-port.js'
import { ApiRig, type Mode, ORDER } from '../../daemon/operations/api-rig.js'
import { USER } from '../../support/desk/desk.js'
import { eventually } from '../../support/eventually.js'

/*
 * Every source executes an order once. The table combines each source with each end in each mode, and checks
 * every record: journal, sandbox, broker, events, the day's count, latency and order log.
 */

const { strategy: _, ...LEG } = ORDER
const GTT = {
  strategy: 't',
  trigger_type: 'SINGLE',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  product: 'CNC',
  quantity: 10,
  price: 690,
  triggerprice_sl: 700,
}
/** More than the account can pay, and less than the ceiling of the gate. */
const TOO_MUCH = 200_000

type OrderMode = 'live' | 'analyze'
type Body = Record<string, unknown>

interface Source {
  name: 'api' | 'workflow' | 'approval' | 'strategy' | 'batch' | 'GTT'
  /** Orders of the request. */
  orders: number
  /** The live topics of a successful and of a failed request. */
  done: string
  failed: string
  /** The entry of the order log. */
  operation: string
  /** The type and the source in the latency log. */
  kind: string
  from: string
  body(quantity: number): Body
  send(rig: ApiRig, body: Body): Promise<unknown>
}

const single = {
  orders: 1,
  done: 'order.placed',
  failed: 'order.failed',
  operation: 'placeorder',
  kind: 'PLACE',
}
const SOURCES: readonly Source[] = [
  {
    name: 'api',
    from: 'api',
    ...single,
    body: (quantity) => ({ ...ORDER, quantity }),
    send: (rig, body) => rig.post('placeorder', body),
  },
  {
    name: 'workflow',
    from: 'flow',
    ...single,
    body: (quantity) => ({ ...ORDER, quantity }),
    send: (rig, body) => {
      const port = flowOrders({ orders: rig.desk.service.orders, log: silentLogger })
      return rig.settled(port.send('placeorder', body, { userId: USER, idempotencyKey: 'visit' }))
    },
  },
  {
    name: 'approval',
    from: 'approval',
    ...single,
    body: (quantity) => ({ ...ORDER, quantity }),
    send: async (rig, body) => {
      const { approvals } = rig.desk.service
      const id = await approvals.enqueue(USER, 'placeorder', parseWith(placeOrderPayload, body))
      return rig.settled(approvals.approve(USER, id, USER))
    },
  },
  {
    name: 'strategy',
    from: 'strategy',
    ...single,
    body: (quantity) => ({ ...ORDER, quantity }),
    send: (rig, body) => {
      const { mode, orders } = rig.desk.service
      const { strategyOrders } = orders
      const { strategy, symbol, quantity } = parseWith(placeOrderPayload, body)
      return rig.settled(
        strategyOrders.place({
          orderRef: strategyOrders.newReference(mode()),
          userId: USER,
          mode: mode(),
          role: 'entry',
          broker: mode() === 'live' ? 'simulated' : 'sandbox',
          strategy,
          symbol,
          exchange: 'NSE',
          action: 'BUY',
          quantity,
          product: 'MIS',
        }),
      )
    },
  },
  {
    name: 'batch',
    orders: 2,
    done: 'basket.completed',
    failed: 'basket.completed',
    operation: 'basketorder',
    kind: 'BASKET',
    from: 'api',
    body: (quantity) => ({ strategy: 't', orders: [LEG, LEG].map((leg) => ({ ...leg, quantity })) }),
    send: (rig, body) => rig.post('basketorder', body),
  },
  {
    name: 'GTT',
    orders: 1,
    done: 'gtt.placed',
    failed: 'gtt.failed',
    operation: 'placegttorder',
    kind: 'GTT_PLACE',
    from: 'api',
    body: (quantity) => ({ ...GTT, quantity }),
    send: (rig, body) => rig.post('placegttorder', body),
  },
]

const MODES = ['live', 'analyze'] as const
const TABLE = SOURCES.flatMap((source) => MODES.map((mode) => ({ source, mode, name: source.name })))

async function open(mode: Mode, source: Source): Promise<ApiRig> {
  const rig = await ApiRig.open(mode)
  // The next order is refused exactly when those of the request count.
  await rig.desk.service.risk.change({ max_orders_per_day: source.orders }, USER)
  await rig.topics()
  return rig
}

/** Every record of what a request left behind. */
async function recordsOf(rig: ApiRig, mode: OrderMode) {
  const { databases, latency, orderLogs, risk } = rig.desk.service
  const topics = (await rig.topics()).filter((topic) => !topic.startsWith('pending_order'))
  await Promise.all([latency.flush(), orderLogs.flush()])
  const rows = await databases.svc.queryRaw('select state, end_cause from order_journal order by rowid')
  const book =
    mode === 'live' ? [] : await databases.sandbox.queryRaw('select status as status from sandbox_orders')
  const triggers =
    mode === 'live' ? [] : await databases.sandbox.queryRaw('select gtt_status as status from sandbox_gtt')
  const next = toOrderRequest(parseWith(placeOrderPayload, { ...ORDER, quantity: 1 }))
  return {
    journal: rows.map(({ state, end_cause: cause }) =>
      cause === null ? state : `${String(state)}:${String(cause)}`,
    ),
    sandbox: [...book, ...triggers].map(({ status }) => status),
    broker: (await rig.ledger()).length,
    topics,
    counted: (await risk.examine(USER, mode, next))?.rule === 'max_orders_per_day',
    latency: (await latency.list({ limit: 10 })).map(
      ({ broker, orderType, source, status, userId }) =>
        `${orderType} ${status} ${source}${userId === USER ? '' : ' without its user'} ${broker}`,
    ),
    log: (await orderLogs.list(mode, { limit: 10 })).map(({ apiType }) => apiType),
  }
}

const times = <T>(source: Source, value: T): T[] => Array.from({ length: source.orders }, () => value)
const isGtt = ({ name }: Source) => name === 'GTT'
const fault = (rule: Partial<FaultRule>): FaultRule => ({ on: ['place', 'placeGtt'], kind: 'fail', ...rule })

describe('an order that is taken', () => {
  test.each(TABLE)('$name, $mode', async ({ source, mode }) => {
    const rig = await open(mode, source)
    await source.send(rig, source.body(10))
    await rig.desk.service.updates.drained()
    const live = mode === 'live'
    expect(await recordsOf(rig, mode)).toEqual({
      journal: live ? times(source, isGtt(source) ? 'accepted' : 'filled') : [],
      sandbox: live ? [] : times(source, isGtt(source) ? 'active' : 'complete'),
      broker: live && !isGtt(source) ? source.orders : 0,
      topics: [source.done],
      // A trigger of the sandbox is no order until it fires.
      counted: true,
      latency: times(source, `${source.kind} SUCCESS ${source.from} ${live ? 'simulated' : 'sandbox'}`),
      log: [source.operation],
    })
  })
})

describe('an order that is refused', () => {
  test.each(TABLE)('$name, $mode', async ({ source, mode }) => {
    const rig = await open(mode, source)
    const live = mode === 'live'
    if (live)
      rig.desk.service.brokers.plugins
        .faults()
        .set([fault({ httpStatus: 422, message: 'RMS: margin exceeds' })])
    await source.send(rig, source.body(live ? 10 : TOO_MUCH))
    const shownAsPlaced = !live && !isGtt(source) && source.name !== 'batch'
    expect(await recordsOf(rig, mode)).toEqual({
      journal: live ? times(source, 'rejected:refused') : [],
      sandbox: [],
      broker: 0,
      // The sandbox's refusal is published as the answer to a placed order.
      topics: [shownAsPlaced ? source.done : source.failed],
      // The broker saw it; the sandbox's book never did.
      counted: live,
      latency: times(source, `${source.kind} FAILED ${source.from} ${live ? 'simulated' : 'sandbox'}`),
      log: [source.operation],
    })
  })
})

describe('an order whose outcome is not known', () => {
  test.each(TABLE.filter(({ mode }) => mode === 'live'))('$name, $mode', async ({ source }) => {
    const rig = await open('live', source)
    rig.desk.service.brokers.plugins.faults().set([fault({ kind: 'lose_answer' })])
    rig.desk.service.brokers.plugins.faults().dropConnections('orders')
    await source.send(rig, source.body(10))
    const records = await recordsOf(rig, 'live')
    expect(records).toMatchObject({
      journal: times(source, 'unknown'),
      latency: times(source, `${source.kind} FAILED ${source.from} simulated`),
      counted: true,
      log: [source.operation],
    })
    expect(records.topics).toContain(source.failed)
    expect(records.broker).toBe(isGtt(source) ? 0 : source.orders)
  })
})

describe('an order whose claim or decision the disk refuses', () => {
  test.each(TABLE)('$name, $mode', async ({ source, mode }) => {
    const rig = await open(mode, source)
    const { sandbox, svc } = rig.desk.service.databases
    const [file, tables] =
      mode === 'live' ? [svc, ['order_journal']] : [sandbox, ['sandbox_orders', 'sandbox_gtt']]
    await file.write(async (tx) => {
      for (const table of tables) {
        await tx.exec(
          `create trigger full_${table} before insert on ${table} begin select raise(abort, 'full'); end`,
        )
      }
    })
    await source.send(rig, source.body(10)).catch(() => undefined)
    const isPending = source.name === 'approval' && mode === 'live'
    const topic = mode === 'analyze' && source.failed === 'order.failed' ? 'analyzer.error' : source.failed
    expect(await recordsOf(rig, mode)).toMatchObject({
      journal: [],
      sandbox: [],
      broker: 0,
      counted: false,
      latency: [],
      // The claim of an approval failed with the journal: the order stays pending.
      topics: isPending ? [] : [source.name === 'batch' && mode === 'live' ? 'order.failed' : topic],
    })
  })
})

describe('an order whose service dies before it leaves', () => {
  test.each(TABLE)('$name, $mode', async ({ source, mode }) => {
    const first = await open(mode, source)
    const { brokers, sandbox } = first.desk.service
    const held: ((over: Error) => void)[] = []
    const never = () => new Promise<never>((_, reject) => held.push(reject))
    brokers.orderSlot = never
    sandbox.placeAll = never
    sandbox.gtt.place = never
    void source.send(first, source.body(10)).catch(() => undefined)
    const { svc } = first.desk.service.databases
    await eventually(async () => {
      const [row] = await svc.queryRaw(
        `select (select count(*) from order_journal where state = 'claimed') as claimed,
            (select count(*) from pending_orders where execution = 'executing') as approved,
            (select count(*) from order_batches) as batches`,
      )
      const isClaimed = Object.values(row ?? {}).some((count) => Number(count) > 0)
      return isClaimed || (mode === 'analyze' && source.name !== 'approval' && source.name !== 'batch')
    }, 'the order is claimed')
    // Its own end comes only after everything was looked at.
    onTestFinished(() => {
      for (const end of held) end(new Error('over'))
    })
    const rig = await ApiRig.open(mode, { home: first.desk.home, clock: first.desk.clock })
    expect(await recordsOf(rig, mode)).toEqual({
      journal: mode === 'live' ? times(source, 'rejected:stopped') : [],
      sandbox: [],
      broker: 0,
      topics: [],
      counted: false,
      latency: [],
      log: [],
    })
    const executions = await rig.desk.service.databases.svc.queryRaw('select execution from pending_orders')
    expect(executions).toEqual(source.name === 'approval' ? [{ execution: 'failed' }] : [])
  })
})
