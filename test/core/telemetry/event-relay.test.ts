import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EventStream, type EventTopics, type Topic } from '../../../src/core/events/index.js'
import { relayTo } from '../../../src/core/telemetry/event-relay.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { eventNumbers } from '../../support/event-numbers.js'
import { recordingLogger } from '../logging/recording-logger.js'
import { API_KEY, orderFailed, orderPlaced, orderUpdate } from './fixtures.js'

const ORDER_UPDATE = orderUpdate()
const { user_id: _user, ...ORDER_UPDATE_SENT } = ORDER_UPDATE
const noAction = {
  ...orderFailed(),
  symbol: 'SBIN',
  exchange: 'NSE',
  message: 'Positions Already Matched. No Action needed.',
}
const REQUEST = { strategy: 'ORB_15', symbol: 'SBIN' }
const FAILURE = { status: 'error', message: 'Margin exceeds available funds' }
const FILL = {
  user_id: 'asha',
  orderid: '1',
  tradeid: 't1',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 5,
  price: 800.5,
  product: 'MIS',
  strategy: 'ORB_15',
}

/** The event that a client of the user asha gets for an event of the bus, if any. */
async function clientEvent<T extends Topic>(topic: T, payload: EventTopics[T]): Promise<unknown> {
  const stream = await EventStream.open(new VirtualClock(0), recordingLogger(), eventNumbers())
  const frames: { event: string; data: unknown }[] = []
  stream.subscribe('asha', ({ text }) => frames.push(JSON.parse(text)))
  relayTo(stream)(payload, topic)
  const [sent] = frames
  return sent && { event: sent.event, data: sent.data }
}

const row = <T extends Topic>(
  name: string,
  topic: T,
  payload: EventTopics[T],
  event: string | undefined,
  data?: unknown,
) => ({ name, sent: () => clientEvent(topic, payload), expected: event ? { event, data } : undefined })

const ROWS = [
  row('a live order', 'order.placed', orderPlaced(), 'order_event', {
    symbol: 'SBIN',
    action: 'BUY',
    orderid: '26030200000001',
    exchange: 'NSE',
    price_type: 'MARKET',
    product_type: 'MIS',
    mode: 'live',
  }),
  row(
    'an analyzed order, plain placeorder without its api_type',
    'order.placed',
    orderPlaced({ mode: 'analyze', request_data: { ...REQUEST, apikey: API_KEY } }),
    'analyzer_update',
    { request: REQUEST, response: { status: 'success', orderid: '26030200000001' } },
  ),
  row(
    'an analyzed request of another kind, with its api_type',
    'order.placed',
    orderPlaced({ mode: 'analyze', api_type: 'cancelorder', request_data: { orderid: '1' } }),
    'analyzer_update',
    {
      request: { orderid: '1', api_type: 'cancelorder' },
      response: { status: 'success', orderid: '26030200000001' },
    },
  ),
  row('a live failure', 'order.failed', orderFailed({ error_message: `key ${API_KEY}` }), 'order_failed', {
    api_type: 'placeorder',
    symbol: 'SBIN',
    exchange: 'NSE',
    orderid: '',
    message: 'key [redacted]',
    mode: 'live',
  }),
  row(
    'a live cancellation that failed',
    'order.cancel_failed',
    { ...orderFailed({ api_type: 'cancelorder' }), orderid: '7' },
    'order_failed',
    {
      api_type: 'cancelorder',
      symbol: 'SBIN',
      exchange: 'NSE',
      orderid: '7',
      message: 'Margin exceeds available funds',
      mode: 'live',
    },
  ),
  row('an analyzed failure', 'order.failed', orderFailed({ mode: 'analyze' }), 'analyzer_update', {
    request: REQUEST,
    response: FAILURE,
  }),
  row('an analyzer error', 'analyzer.error', orderFailed({ mode: 'analyze' }), 'analyzer_update', {
    request: REQUEST,
    response: FAILURE,
  }),
  row('nothing to do, live', 'order.no_action', noAction, 'order_notification', {
    symbol: 'SBIN',
    status: 'info',
    message: 'Positions Already Matched. No Action needed.',
  }),
  row('an order update, in both modes', 'order.update', ORDER_UPDATE, 'order_update', ORDER_UPDATE_SENT),
  row('a sandbox fill', 'sandbox.order_filled', FILL, 'analyzer_update', {
    request: {},
    response: { event: 'sandbox.order_filled', mode: 'analyze', ...FILL },
  }),
  row(
    'an auto square-off',
    'sandbox.auto_squareoff',
    { cancelled_orders: 1, closed_positions: 2 },
    'analyzer_update',
    {
      request: {},
      response: {
        event: 'sandbox.auto_squareoff',
        mode: 'analyze',
        cancelled_orders: 1,
        closed_positions: 2,
      },
    },
  ),
  row(
    'a queued order',
    'pending_order_created',
    {
      pending_order_id: 3,
      user_id: 'asha',
      api_type: 'placeorder',
      message: 'New placeorder order queued for approval',
    },
    'pending_order_created',
    {
      pending_order_id: 3,
      user_id: 'asha',
      api_type: 'placeorder',
      message: 'New placeorder order queued for approval',
    },
  ),
  row(
    'all queued orders decided at once',
    'pending_order_updated',
    { action: 'batch_approved', user_id: 'asha', count: 4 },
    'pending_order_updated',
    { action: 'batch_approved', user_id: 'asha', count: 4 },
  ),
  row('a mode change', 'app_mode_changed', { analyze_mode: true }, 'app_mode_changed', {
    analyze_mode: true,
  }),
  row(
    'a failed backup',
    'backup_failed',
    { origin: 'scheduled', message: '/mnt cannot be read.', since: '2026-11-20T11:00:00.000Z' },
    'backup_failed',
    { origin: 'scheduled', message: '/mnt cannot be read.', since: '2026-11-20T11:00:00.000Z' },
  ),
  row(
    'a change of the account that is not from here',
    'broker_drift',
    {
      broker: 'zerodha',
      compared_at: '2026-11-20T05:30:00.000Z',
      orders: [],
      positions: [{ symbol: 'SBIN', exchange: null, product: 'CNC', quantity: -10 }],
      message: 'Not from this service, at zerodha: SBIN CNC -10',
    },
    'broker_drift',
    {
      broker: 'zerodha',
      compared_at: '2026-11-20T05:30:00.000Z',
      orders: [],
      positions: [{ symbol: 'SBIN', exchange: null, product: 'CNC', quantity: -10 }],
      message: 'Not from this service, at zerodha: SBIN CNC -10',
    },
  ),
  row(
    'the end of a session at the broker',
    'broker_session',
    {
      broker: 'zerodha',
      state: 'expired',
      reason: 'It expired.',
      since: '2026-11-21T00:30:00.000Z',
      until: null,
      next_step: 'svc broker login',
      unprotected: [],
    },
    'broker_session',
    {
      broker: 'zerodha',
      state: 'expired',
      reason: 'It expired.',
      since: '2026-11-21T00:30:00.000Z',
      until: null,
      next_step: 'svc broker login',
      unprotected: [],
    },
  ),
  row(
    'sessions',
    'active_sessions_update',
    { user_id: 'asha', count: 0, sessions: [] },
    'active_sessions_update',
    { count: 0, sessions: [] },
  ),
]

describe('client events', () => {
  test('are documented, event by event', () => {
    const listed = [...readFileSync('docs/api.md', 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(
      ([, name]) => name,
    )
    const told = ROWS.flatMap(({ expected }) => (expected ? [expected.event] : []))
    expect([...new Set(told)].filter((event) => !listed.includes(event))).toEqual([])
  })

  test.each(ROWS)('$name', async ({ sent, expected }) => {
    expect(await sent()).toEqual(expected)
  })

  test('never contain an API key, for any topic', async () => {
    const payloads = [
      orderPlaced(),
      orderPlaced({ mode: 'analyze' }),
      orderFailed({ mode: 'analyze' }),
      noAction,
    ]
    for (const topic of [
      'order.placed',
      'order.failed',
      'order.no_action',
      'analyzer.error',
      'kill_switch',
    ] as const) {
      for (const payload of payloads) {
        const stranger = { ...payload, api_key: API_KEY, engaged: true, by: 'x', reason: API_KEY } as never
        expect(JSON.stringify(await clientEvent(topic, stranger)) ?? '').not.toContain(API_KEY)
      }
    }
  })
})
