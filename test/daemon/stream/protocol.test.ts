import { describe, expect, test } from 'vitest'
import { type Frame, FUTURE, follow, INFY, NOW, openRig, SBIN, tickOf, USER } from './rig.js'

const acked = (symbol: string, more: Frame = {}): Frame => ({
  symbol,
  exchange: 'NSE',
  status: 'success',
  mode: 'Quote',
  depth: 5,
  broker: 'simulated',
  ...more,
})
const subscribed = (subscriptions: Frame[], more: Frame = {}): Frame => ({
  type: 'subscribe',
  status: 'success',
  subscriptions,
  message: 'Subscription processing complete',
  broker: 'simulated',
  ...more,
})
const unsubscribed = (successful: string[], more: Frame = {}): Frame => ({
  type: 'unsubscribe',
  status: 'success',
  message: 'Unsubscription processing complete',
  successful: successful.map((symbol) => ({
    symbol,
    exchange: 'NSE',
    status: 'success',
    broker: 'simulated',
  })),
  failed: [],
  broker: 'simulated',
  ...more,
})
const error = (code: string, message: string): Frame => ({ type: 'error', status: 'error', code, message })

describe('authenticate', () => {
  test.each([
    ['api_key', 'authenticate', 'action'],
    ['apikey', 'authenticate', 'action'],
    ['api_key', 'auth', 'type'],
  ])('takes the key as %s with the verb %s as %s, as often as it is given', async (field, verb, name) => {
    const { apiKey, connect } = await openRig()
    const client = await connect({}, '/any/path')
    for (const _ of [1, 2]) {
      expect(await client.ask({ [name]: verb, [field]: apiKey })).toEqual({
        type: 'auth',
        status: 'success',
        message: 'Authentication successful',
        broker: 'simulated',
        user_id: USER,
        supported_features: { ltp: true, quote: true, depth: true },
      })
    }
  })

  test('succeeds without a broker, with market data off, and a subscription says so', async () => {
    const { apiKey, connect, venue } = await openRig()
    venue.connected = false
    const client = await connect()
    expect(await client.ask({ action: 'authenticate', api_key: apiKey })).toMatchObject({
      status: 'success',
      supported_features: { ltp: false, quote: false, depth: false },
    })
    const refusal = error('BROKER_ERROR', 'Broker adapter not found')
    expect(await follow(client, SBIN)).toEqual(refusal)
    expect(await client.ask({ action: 'unsubscribe', ...SBIN })).toEqual(refusal)
  })

  test('messages sent right behind it wait for it', async () => {
    const { apiKey, connect } = await openRig()
    const client = await connect()
    client.send({ action: 'authenticate', api_key: apiKey })
    client.send({ action: 'subscribe', ...SBIN })
    expect([(await client.next()).type, (await client.next()).type]).toEqual(['auth', 'subscribe'])
  })
})

describe('answers', () => {
  const CASES: readonly { name: string; before?: Frame[]; message: Frame; answer: Frame }[] = [
    {
      name: 'one symbol, mode and depth by default',
      message: { action: 'subscribe', ...SBIN },
      answer: subscribed([acked('SBIN')]),
    },
    {
      name: 'a list, with its request id',
      message: { action: 'subscribe', symbols: [SBIN, INFY], mode: 'ltp ', request_id: 'r1' },
      answer: subscribed([acked('SBIN', { mode: 'LTP' }), acked('INFY', { mode: 'LTP' })], {
        request_id: 'r1',
      }),
    },
    {
      name: 'the list called instruments, the levels called depth_level',
      message: { type: 'subscribe', instruments: [SBIN], mode: 'DEPTH', depth_level: 20, request_id: null },
      answer: subscribed([acked('SBIN', { mode: 'Depth', depth: 20 })], { request_id: null }),
    },
    {
      name: 'more levels than the broker has: the most it has',
      message: { action: 'subscribe', ...SBIN, mode: 3, depth: 50 },
      answer: subscribed([acked('SBIN', { mode: 'Depth', depth: 20 })]),
    },
    {
      name: 'fewer than five: five',
      message: { action: 'subscribe', ...SBIN, mode: 3, depth: 3 },
      answer: subscribed([acked('SBIN', { mode: 'Depth', depth: 5 })]),
    },
    {
      name: 'levels as a suffix of the symbol',
      message: { action: 'subscribe', symbol: 'SBIN:20', exchange: 'NSE', mode: 3 },
      answer: subscribed([acked('SBIN:20', { mode: 'Depth', depth: 20 })]),
    },
    {
      name: 'the same again with other levels: the first stay',
      before: [{ action: 'subscribe', ...SBIN, mode: 3, depth: 20 }],
      message: { action: 'subscribe', ...SBIN, mode: 3, depth: 5 },
      answer: subscribed([acked('SBIN', { mode: 'Depth', depth: 20 })]),
    },
    {
      name: 'an unknown symbol fails alone',
      message: { action: 'subscribe', symbols: [SBIN, { symbol: 'BAD', exchange: 'NSE' }] },
      answer: subscribed(
        [
          acked('SBIN'),
          {
            symbol: 'BAD',
            exchange: 'NSE',
            status: 'error',
            message: 'Symbol BAD not found for exchange NSE',
            broker: 'simulated',
          },
        ],
        { status: 'partial' },
      ),
    },
    {
      name: 'all failed is partial too, and case counts',
      message: { action: 'subscribe', symbol: 'sbin', exchange: 'NSE' },
      answer: subscribed(
        [
          {
            symbol: 'sbin',
            exchange: 'NSE',
            status: 'error',
            message: 'Symbol sbin not found for exchange NSE',
            broker: 'simulated',
          },
        ],
        { status: 'partial' },
      ),
    },
    {
      name: 'levels that are no number',
      message: { action: 'subscribe', ...SBIN, mode: 3, depth: 'deep' },
      answer: subscribed(
        [
          {
            symbol: 'SBIN',
            exchange: 'NSE',
            status: 'error',
            message: 'Invalid depth level deep. Must be 5, 20',
            broker: 'simulated',
          },
        ],
        { status: 'partial' },
      ),
    },
    {
      name: 'items without symbol or exchange are passed over',
      message: { action: 'subscribe', symbols: [{ symbol: 'SBIN' }, null, SBIN, 'NSE:SBIN', {}] },
      answer: subscribed([acked('SBIN')]),
    },
    {
      name: 'a list with nothing to subscribe to is no success',
      message: { action: 'subscribe', symbols: [{ symbol: 'SBIN' }, null, 'NSE:SBIN', {}] },
      answer: error('INVALID_PARAMETERS', 'At least one symbol must be specified'),
    },
    {
      name: 'nor one with nothing to unsubscribe from',
      message: { action: 'unsubscribe', symbols: [{ symbol: 'SBIN' }] },
      answer: error('INVALID_PARAMETERS', 'Either symbols or unsubscribe_all is required'),
    },
    {
      name: 'unsubscribe without a mode lets every mode go',
      before: [
        { action: 'subscribe', ...SBIN, mode: 1 },
        { action: 'subscribe', ...SBIN, mode: 3 },
      ],
      message: { action: 'unsubscribe', symbols: [SBIN], request_id: 7 },
      answer: unsubscribed(['SBIN'], { request_id: 7 }),
    },
    {
      name: 'what was never followed counts as let go',
      message: { action: 'unsubscribe', symbol: 'NEVER', exchange: 'NSE', mode: 'LTP' },
      answer: unsubscribed(['NEVER']),
    },
    {
      name: 'a bad mode of an item fails that item',
      message: { action: 'unsubscribe', symbols: [SBIN, { ...INFY, mode: 9 }] },
      answer: unsubscribed(['SBIN'], {
        status: 'partial',
        failed: [
          {
            ...INFY,
            status: 'error',
            message: 'Invalid mode 9; expected 1 (LTP), 2 (Quote), or 3 (Depth)',
            broker: 'simulated',
          },
        ],
      }),
    },
    {
      name: 'only failures are an error',
      message: { action: 'unsubscribe', symbols: [{ ...INFY, mode: 'x' }] },
      answer: unsubscribed([], {
        status: 'error',
        failed: [
          {
            ...INFY,
            status: 'error',
            message: "Invalid mode 'x'; expected 'LTP', 'Quote', or 'Depth' (case-insensitive)",
            broker: 'simulated',
          },
        ],
      }),
    },
    {
      name: 'unsubscribe_all lists what was held, each symbol once',
      before: [
        { action: 'subscribe', symbols: [SBIN, INFY] },
        { action: 'subscribe', ...SBIN, mode: 1 },
      ],
      message: { action: 'unsubscribe_all', request_id: { a: 1 } },
      answer: unsubscribed(['SBIN', 'INFY'], { request_id: { a: 1 } }),
    },
    {
      name: 'unsubscribe_all as a member',
      message: { action: 'unsubscribe', unsubscribe_all: true },
      answer: unsubscribed([]),
    },
    {
      name: 'subscribe_orders',
      message: { action: 'subscribe_orders', request_id: 1 },
      answer: {
        type: 'subscribe_orders',
        status: 'success',
        message: 'Subscribed to order updates',
        request_id: 1,
      },
    },
    {
      name: 'unsubscribe_orders',
      message: { action: 'unsubscribe_orders' },
      answer: { type: 'unsubscribe_orders', status: 'success', message: 'Unsubscribed from order updates' },
    },
    {
      name: 'get_broker_info',
      message: { action: 'get_broker_info', request_id: 1 },
      answer: {
        type: 'broker_info',
        status: 'success',
        broker: 'simulated',
        adapter_status: 'connected',
        user_id: USER,
      },
    },
    {
      name: 'get_supported_brokers',
      message: { action: 'get_supported_brokers' },
      answer: { type: 'supported_brokers', status: 'success', brokers: ['simulated', 'zerodha'], count: 2 },
    },
    {
      name: 'ping with what is to be echoed',
      message: { action: 'ping', timestamp: 5, _pingId: 7 },
      answer: { type: 'pong', status: 'success', server_timestamp: NOW, client_timestamp: 5, _pingId: 7 },
    },
    {
      name: 'a bare ping',
      message: { action: 'ping' },
      answer: { type: 'pong', status: 'success', server_timestamp: NOW },
    },
  ]

  test('are those of the contract, to the member', async () => {
    const { signIn } = await openRig()
    for (const { name, before = [], message, answer } of CASES) {
      const client = await signIn()
      for (const earlier of before) await client.ask(earlier)
      expect(await client.ask(message), name).toEqual(answer)
      client.socket.close()
    }
  })
})

describe('refused requests', () => {
  const notSignedIn = error('NOT_AUTHENTICATED', 'You must authenticate first')
  const noSymbols = error('INVALID_PARAMETERS', 'At least one symbol must be specified')
  const badMode = (text: string) => error('INVALID_MODE', text)
  const badName = (name: string) =>
    badMode(`Invalid mode '${name}'; expected 'LTP', 'Quote', or 'Depth' (case-insensitive)`)

  test('before signing in', async () => {
    const { connect } = await openRig()
    const client = await connect()
    const cases: [unknown, Frame][] = [
      ['{', error('INVALID_JSON', 'Invalid JSON message')],
      ['', error('INVALID_JSON', 'Invalid JSON message')],
      [
        `{"action":"ping","_pingId":${'['.repeat(1900)}${']'.repeat(1900)}}`,
        error('INVALID_JSON', 'JSON is nested too deeply: at most 100 levels'),
      ],
      ['[]', error('PROCESSING_ERROR', 'A message must be a JSON object')],
      ['null', error('PROCESSING_ERROR', 'A message must be a JSON object')],
      [{}, error('INVALID_ACTION', 'Invalid action: None')],
      [{ action: null }, error('INVALID_ACTION', 'Invalid action: None')],
      [{ action: 'fly' }, error('INVALID_ACTION', 'Invalid action: fly')],
      [{ action: 5 }, error('INVALID_ACTION', 'Invalid action: 5')],
      [{ action: 'constructor' }, error('INVALID_ACTION', 'Invalid action: constructor')],
      [{ action: 'authenticate' }, error('AUTHENTICATION_ERROR', 'API key is required')],
      [{ action: 'authenticate', api_key: '' }, error('AUTHENTICATION_ERROR', 'API key is required')],
      [{ action: 'authenticate', api_key: 5 }, error('AUTHENTICATION_ERROR', 'API key is required')],
      [{ action: 'authenticate', api_key: 'no' }, error('AUTHENTICATION_ERROR', 'Invalid API key')],
      [{ action: 'subscribe', ...SBIN, mode: 9 }, notSignedIn],
      [{ action: 'unsubscribe', ...SBIN }, notSignedIn],
      [{ action: 'unsubscribe_all' }, notSignedIn],
      [{ action: 'subscribe_orders' }, notSignedIn],
      [{ action: 'unsubscribe_orders' }, notSignedIn],
      [{ action: 'get_broker_info' }, notSignedIn],
    ]
    for (const [message, answer] of cases) {
      expect(await client.ask(message), JSON.stringify(message)).toEqual(answer)
    }
    expect(client.socket.readyState).toBe(client.socket.OPEN)
  })

  test('signed in: checks the mode first, then the symbols, then the broker', async () => {
    const { signIn, venue } = await openRig()
    const client = await signIn()
    venue.connected = false
    const cases: [unknown, Frame][] = [
      [
        { action: 'subscribe', mode: 9 },
        badMode('Invalid mode 9; expected 1 (LTP), 2 (Quote), or 3 (Depth)'),
      ],
      [
        { action: 'subscribe', mode: -1 },
        badMode('Invalid mode -1; expected 1 (LTP), 2 (Quote), or 3 (Depth)'),
      ],
      [{ action: 'subscribe', mode: 'foo' }, badName('foo')],
      [{ action: 'subscribe', mode: '' }, badName('')],
      [{ action: 'subscribe', mode: true }, badMode('Mode must be int or str, got bool')],
      [{ action: 'subscribe', mode: null }, badMode('Mode must be int or str, got NoneType')],
      [{ action: 'subscribe', mode: 1.5 }, badMode('Mode must be int or str, got float')],
      [{ action: 'subscribe', mode: [] }, badMode('Mode must be int or str, got list')],
      [{ action: 'subscribe', mode: {} }, badMode('Mode must be int or str, got dict')],
      [{ action: 'subscribe' }, noSymbols],
      [{ action: 'subscribe', symbols: [] }, noSymbols],
      [{ action: 'subscribe', symbols: 'SBIN' }, noSymbols],
      [{ action: 'subscribe', symbol: 'SBIN' }, noSymbols],
      [{ action: 'subscribe', symbol: 5, exchange: 'NSE' }, noSymbols],
      [{ action: 'subscribe', ...SBIN }, error('BROKER_ERROR', 'Broker adapter not found')],
      [{ action: 'unsubscribe', ...SBIN, mode: 'foo' }, badName('foo')],
      [
        { action: 'unsubscribe' },
        error('INVALID_PARAMETERS', 'Either symbols or unsubscribe_all is required'),
      ],
      [
        { action: 'subscribe', symbols: Array.from({ length: 3001 }, () => SBIN) },
        error('INVALID_PARAMETERS', 'One message can name at most 3000 symbols'),
      ],
    ]
    for (const [message, answer] of cases) {
      expect(await client.ask(message), JSON.stringify(message).slice(0, 100)).toEqual(answer)
    }
  })

  test('a symbol that the feed refuses fails and is not subscribed', async () => {
    const { hub, refused, signIn } = await openRig()
    refused.add('NSE:INFY')
    const client = await signIn()
    const answer = await client.ask({ action: 'subscribe', symbols: [INFY, SBIN] })
    expect(answer).toMatchObject({
      status: 'partial',
      subscriptions: [{ status: 'error', message: 'The feed has no INFY' }, { status: 'success' }],
    })
    expect(hub.symbols()).toEqual([SBIN])
  })

  test('3000 symbols are all a user may follow, however many connections', async () => {
    const symbols = Array.from({ length: 3001 }, (_, i) => ({ symbol: `S${i}`, exchange: 'NSE' }))
    const { signIn } = await openRig({ symbols })
    const [a, b] = [await signIn(), await signIn()]
    expect(await a.ask({ action: 'subscribe', symbols: symbols.slice(0, 3000) })).toMatchObject({
      status: 'success',
    })
    const message =
      'Maximum capacity reached: 3 connections × 1000 symbols = 3000 symbols. Currently subscribed to 3000 symbols.'
    expect(await follow(b, { symbol: 'S3000', exchange: 'NSE' })).toMatchObject({
      status: 'partial',
      subscriptions: [{ status: 'error', message }],
    })
    // A symbol counts once, for any number of subscribers and modes.
    expect(await follow(b, { symbol: 'S0', exchange: 'NSE' }, 3)).toMatchObject({ status: 'success' })
    await a.ask({ action: 'unsubscribe', symbol: 'S1', exchange: 'NSE' })
    expect(await follow(b, { symbol: 'S3000', exchange: 'NSE' })).toMatchObject({ status: 'success' })
  })
})

describe('ticks', () => {
  const ltp = { ltp: 802.5, ltt: NOW, timestamp: NOW }
  const quote = {
    ...ltp,
    open: 801,
    high: 805,
    low: 799,
    close: 800,
    volume: 1000,
    last_trade_quantity: 5,
    last_quantity: 5,
    avg_trade_price: 801.2,
    average_price: 801.2,
    total_buy_quantity: 5000,
    total_sell_quantity: 6000,
    change: 2.5,
    change_percent: 0.31,
    bid_price: 802.45,
    ask_price: 802.5,
    bid_size: 40,
    ask_size: 60,
  }
  const sent = (mode: number, data: Frame, ref = SBIN): Frame => ({
    type: 'market_data',
    ...ref,
    mode,
    broker: 'simulated',
    data: { ...ref, mode, ...data },
  })

  test('carry the fields of their mode', async () => {
    const { hub, signIn } = await openRig()
    const client = await signIn()
    for (const mode of [1, 2, 3]) await follow(client, SBIN, mode)
    await follow(client, FUTURE, 2)
    const tick = tickOf(SBIN, {}, 20)
    hub.publish(tick)
    expect(await client.next()).toEqual(sent(1, ltp))
    expect(await client.next()).toEqual(sent(2, quote))
    expect(await client.next()).toEqual(
      sent(3, {
        ...quote,
        totalbuyqty: 5000,
        totalsellqty: 6000,
        depth: { buy: tick.depth?.buy.slice(0, 5), sell: tick.depth?.sell.slice(0, 5) },
      }),
    )
    hub.publish(tickOf(FUTURE, { oi: 0 }))
    expect(await client.next()).toEqual(sent(2, { ...quote, oi: 0, open_interest: 0 }, FUTURE))
  })

  test('of a suffixed symbol carry it, and its levels', async () => {
    const { asked, hub, signIn } = await openRig()
    const client = await signIn()
    await follow(client, { symbol: 'SBIN:20', exchange: 'NSE' }, 3)
    await follow(client, SBIN, 3)
    expect(asked).toEqual(['+NSE:SBIN 3'])
    hub.publish(tickOf(SBIN, {}, 20))
    const levels = async () => {
      const { symbol, data } = (await client.next()) as {
        symbol: string
        data: { depth: { buy: unknown[] } }
      }
      return [symbol, data.depth.buy.length]
    }
    expect([await levels(), await levels()]).toEqual([
      ['SBIN:20', 20],
      ['SBIN', 5],
    ])
  })

  test('without a price are not passed on, unless they hold an order book', async () => {
    const { hub, signIn } = await openRig()
    const client = await signIn()
    await follow(client, SBIN, 3)
    hub.publish(tickOf(SBIN, { ltp: 0 }))
    hub.publish(tickOf(SBIN, { ltp: -1 }))
    hub.publish(tickOf(SBIN, { ltp: 0 }, 5))
    expect((await client.drained()).map(({ data }) => (data as { ltp: number }).ltp)).toEqual([0])
  })

  test('a change needs a close to be measured from', async () => {
    const { hub, signIn } = await openRig()
    const client = await signIn()
    await follow(client, SBIN, 2)
    hub.publish(tickOf(SBIN, { prevClose: 0 }))
    expect((await client.next()).data).toMatchObject({ close: 0, change: 0, change_percent: 0 })
  })
})
