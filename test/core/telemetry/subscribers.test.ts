import { describe, expect, test } from 'vitest'
import { BUS_CAPACITY, EventBus, EventStream } from '../../../src/core/events/index.js'
import {
  alertText,
  failureText,
  LatencyRecorder,
  type Notifier,
  OrderAlerts,
  OrderLogs,
  purgeLogs,
  RequestTrail,
  TrafficLog,
  wireOrderAlerts,
  wireSubscribers,
} from '../../../src/core/telemetry/index.js'
import { eventNumbers } from '../../support/event-numbers.js'
import { API_KEY, NOW, openLogs, orderFailed, orderPlaced, orderUpdate } from './fixtures.js'

/** For a channel that reaches nobody. */
const silentNotifier: Notifier = { reaches: () => false, send: async () => undefined }

/** The subscribers on a real bus, stream and database; the notifiers record what they are sent. */
async function wired(telegram?: Notifier) {
  const parts = await openLogs()
  const { clock, log } = parts
  const bus = new EventBus(log)
  const stream = await EventStream.open(clock, log, eventNumbers())
  const orderLogs = new OrderLogs(parts)
  const sent: string[] = []
  const keeping = (channel: string): Notifier => ({
    reaches: () => true,
    send: async (user, text) => void sent.push(`${channel} ${user} ${text.split('\n')[0]}`),
  })
  const subscribers = {
    orderLogs,
    stream,
    telegram: new OrderAlerts({ channel: 'telegram', notifier: telegram ?? keeping('telegram'), clock, log }),
    whatsapp: new OrderAlerts({ channel: 'whatsapp', notifier: keeping('whatsapp'), clock, log }),
    email: new OrderAlerts({ channel: 'email', notifier: silentNotifier, clock, log }),
  }
  wireSubscribers(bus, subscribers)
  wireOrderAlerts(bus, subscribers)
  const events: string[] = []
  stream.subscribe('asha', (frame) => events.push(frame.event))
  const rows = async () => [await orderLogs.count('live', {}), await orderLogs.count('analyze', {})]
  return { ...parts, bus, stream, subscribers, orderLogs, sent, events, rows }
}

describe('the four subscribers', () => {
  test('a live order: one order_logs row, order_event, both alerts', async () => {
    const { bus, sent, events, rows } = await wired()
    bus.publish('order.placed', orderPlaced())
    await bus.idle()
    expect(await rows()).toEqual([1, 0])
    expect(events).toEqual(['order_event'])
    expect(sent).toEqual(['telegram asha *Order Placed*', 'whatsapp asha *Order Placed*'])
  })

  test('an analyzed order: one analyzer_logs row and none in order_logs, analyzer_update and no order_event', async () => {
    const { bus, events, rows } = await wired()
    bus.publish('order.placed', orderPlaced({ mode: 'analyze' }))
    await bus.idle()
    expect(await rows()).toEqual([0, 1])
    expect(events).toEqual(['analyzer_update'])
  })

  test.each([
    ['order.failed', 'placeorder', 'Order Failed', 'order_failed'],
    ['order.failed', 'basketorder', 'Basket Order Failed', 'order_failed'],
    ['order.modify_failed', 'modifyorder', 'Order Modification Failed', 'order_failed'],
    ['order.cancel_failed', 'cancelorder', 'Order Cancellation Failed', 'order_failed'],
    ['gtt.failed', 'placegttorder', 'GTT Order Failed', 'gtt_event'],
    ['gtt.modify_failed', 'modifygttorder', 'GTT Modification Failed', 'gtt_event'],
    ['gtt.cancel_failed', 'cancelgttorder', 'GTT Cancellation Failed', 'gtt_event'],
  ] as const)('%s of %s in live mode reaches all four', async (topic, api_type, title, event) => {
    const { bus, sent, events, orderLogs, rows } = await wired()
    const failed = { ...orderFailed({ api_type }), symbol: 'SBIN', orderid: '7', trigger_id: '8' }
    bus.publish(topic, failed)
    await bus.idle()
    const [row] = await orderLogs.list('live', { limit: 1 })
    expect(JSON.parse(row?.responseData ?? '')).toMatchObject({ message: 'Margin exceeds available funds' })
    expect(await rows()).toEqual([1, 0])
    expect(events).toEqual([event])
    expect(sent).toEqual([`telegram asha *${title}*`, `whatsapp asha *${title}*`])
  })

  test.each(['order.failed', 'analyzer.error'] as const)(
    '%s in Analyzer mode reaches all four',
    async (topic) => {
      const { bus, sent, events, rows } = await wired()
      bus.publish(topic, orderFailed({ mode: 'analyze' }))
      await bus.idle()
      expect(await rows()).toEqual([0, 1])
      expect(events).toEqual(['analyzer_update'])
      expect(sent).toEqual(['telegram asha *Order Failed*', 'whatsapp asha *Order Failed*'])
    },
  )

  test('wiring twice does not double anything', async () => {
    const { bus, subscribers, sent, events, rows } = await wired()
    wireSubscribers(bus, subscribers)
    wireOrderAlerts(bus, subscribers)
    bus.publish('order.placed', orderPlaced())
    await bus.idle()
    expect([await rows(), events.length, sent.length]).toEqual([[1, 0], 1, 2])
    expect(bus.stats().max_pending).toBe(5)
  })

  test('a failing channel is logged and affects no other subscriber', async () => {
    const { bus, log, sent, rows } = await wired({
      reaches: () => true,
      send: async () => {
        throw new Error('telegram is down')
      },
    })
    bus.publish('order.placed', orderPlaced())
    await bus.idle()
    expect([await rows(), sent]).toEqual([[1, 0], ['whatsapp asha *Order Placed*']])
    expect(log.lines).toMatchObject([{ event: 'alerts.not_delivered', fields: { channel: 'telegram' } }])
    expect(JSON.stringify(log.lines)).not.toContain(API_KEY)
  })
})

describe('a full bus', () => {
  const update = orderUpdate()

  test('loses no log row, and clients get a gap event', async () => {
    const { bus, stream, events, rows, log } = await wired()
    const before = stream.lastSeq
    for (let i = 0; i < BUS_CAPACITY; i++) bus.publish('order.update', update)
    bus.publish('order.placed', orderPlaced({ mode: 'analyze' }))
    bus.publish('order.failed', orderFailed())
    await bus.idle()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await rows()).toEqual([1, 1])
    const told = events.filter((event) => event !== 'order_update')
    expect([told, events.length]).toEqual([['gap'], BUS_CAPACITY + 1])
    expect(stream.lastSeq - before).toBe(BUS_CAPACITY + 3)
    expect(log.lines.map((line) => line.event)).toContain('events.dropped')
  })
})

describe('an alert', () => {
  const now = Date.parse(NOW)

  test('for Telegram: title, strategy, mode, rule, facts, time', () => {
    expect(alertText('telegram', orderPlaced(), now)).toBe(
      [
        '*Order Placed*',
        'Strategy: *ORB_15*',
        '*LIVE MODE - Real Order*',
        '─────────────────────',
        'Symbol: `SBIN`',
        'Action: BUY',
        'Quantity: 5',
        'Price Type: MARKET',
        'Exchange: NSE',
        'Product: MIS',
        'Order ID: 26030200000001',
        'Time: 10:00:00',
      ].join('\n'),
    )
  })

  test('for WhatsApp: the same in plain text; a refusal carries its reason, missing facts are N/A', () => {
    const event = orderPlaced({
      mode: 'analyze',
      request_data: { symbol: 'SBIN', action: 'BUY' },
      response_data: { status: 'error', message: 'Insufficient funds' },
    })
    expect(alertText('whatsapp', event, now)).toBe(
      [
        '*Order Placed*',
        '*ANALYZE MODE - No Real Order*',
        '---------------------',
        'Symbol: SBIN',
        'Action: BUY',
        'Quantity: N/A',
        'Price Type: N/A',
        'Exchange: N/A',
        'Product: N/A',
        'Error: Insufficient funds',
        'Time: 10:00:00',
      ].join('\n'),
    )
  })

  test('of a failure: what was asked for, and the error', () => {
    const failed = orderFailed({
      request_data: { ...orderPlaced().request_data, apikey: API_KEY },
      response_data: { status: 'error', message: `Margin exceeds funds, key ${API_KEY}` },
    })
    expect(failureText('whatsapp', failed, now)).toBe(
      [
        '*Order Failed*',
        'Strategy: ORB_15',
        '*LIVE MODE - Real Order*',
        '---------------------',
        'Symbol: SBIN',
        'Action: BUY',
        'Quantity: 5',
        'Price Type: MARKET',
        'Exchange: NSE',
        'Product: MIS',
        'Error: Margin exceeds funds, key [redacted]',
        'Time: 10:00:00',
      ].join('\n'),
    )
    expect(
      failureText('telegram', orderFailed({ api_type: 'cancelorder', request_data: { orderid: '7' } }), now),
    ).toContain('Order ID: 7\nError: Margin exceeds available funds')
  })

  test('of another kind is an Order Update', () => {
    expect(alertText('whatsapp', orderPlaced({ api_type: 'placegttorder' }), now).split('\n')[0]).toBe(
      '*Order Update*',
    )
  })

  test('escapes Markdown and line breaks, and masks secrets', () => {
    const event = orderPlaced({
      request_data: {
        strategy: 'a*b\nTime: 99',
        symbol: 'M&M`_X',
        action: `BUY_${API_KEY}`,
        quantity: '[5](x)',
      },
      response_data: { status: 'error', message: `key ${API_KEY} refused` },
    })
    const text = alertText('telegram', event, now)
    expect(text.split('\n')).toHaveLength(12)
    expect(text).toContain('Strategy: *ab Time: 99*')
    expect(text).toContain("Symbol: `M&M'_X`")
    expect(text).toContain('Quantity: \\[5](x)')
    expect(text).not.toContain(API_KEY)
  })

  test('goes nowhere if no channel is set up or the event has no user', async () => {
    const { bus, sent } = await wired(silentNotifier)
    bus.publish('order.placed', orderPlaced({ user_id: undefined }))
    bus.publish('order.placed', orderPlaced())
    await bus.idle()
    expect(sent).toEqual(['whatsapp asha *Order Placed*'])
  })
})

describe('retention', () => {
  test('deletes old rows, keeps rows that are set to be kept, and one failure does not stop the rest', async () => {
    const parts = await openLogs()
    const { clock, log, db } = parts
    const orderLogs = new OrderLogs(parts)
    const latency = new LatencyRecorder(parts)
    const traffic = new TrafficLog(parts)
    const requests = new RequestTrail(parts)
    for (const mode of ['live', 'analyze'] as const) orderLogs.record(orderPlaced({ mode }))
    latency.record({ orderType: 'QUOTES', end: 'succeeded' })
    const request = { clientIp: '192.0.2.1', method: 'GET', target: '/', statusCode: 200, durationMs: 1 }
    traffic.record(request)
    await Promise.all([orderLogs.flush(), latency.flush(), traffic.flush()])
    await clock.advance(10 * 86_400_000)
    orderLogs.record(orderPlaced({ mode: 'analyze' }))
    await orderLogs.flush()
    const config = {
      ORDER_LOG_RETENTION_DAYS: 0,
      ANALYZER_LOG_RETENTION_DAYS: 9,
      LATENCY_RETENTION_DAYS: 7,
      TRAFFIC_LOG_RETENTION_DAYS: 7,
    }
    await purgeLogs({ orderLogs, latency, requests, traffic, config, clock, log })
    expect([await orderLogs.count('live', {}), await orderLogs.count('analyze', {})]).toEqual([1, 1])
    expect(await latency.list({ limit: 10 })).toEqual([])
    await db.write((tx) => tx.exec('drop table analyzer_logs'))
    await purgeLogs({ orderLogs, latency, requests, traffic, config, clock, log })
    expect(await traffic.list({ limit: 10 })).toEqual([])
    expect(log.lines.map((line) => line.event)).toEqual([
      'logs.purged',
      'logs.purged',
      'logs.purged',
      'logs.purge_failed',
    ])
  })
})
