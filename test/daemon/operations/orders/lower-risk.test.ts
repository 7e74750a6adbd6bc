import { describe, expect, test } from 'vitest'
import { BrokerError } from '../../../../src/core/brokers/broker.js'
import type { OrderOperationName } from '../../../../src/core/orders/index.js'
import { openRequest } from '../../../../src/core/orders/index.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import { answerTo } from '../../../../src/daemon/orders/answer.js'
import { payloadOf, USER } from '../../../support/desk/desk.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const strategy = 't'
const SBIN = { strategy, symbol: 'SBIN', exchange: 'NSE', action: 'BUY', product: 'MIS', pricetype: 'LIMIT' }
const INFY = { strategy, symbol: 'INFY', exchange: 'NSE', product: 'MIS' }
const PRICES = { trigger_price: 0, disclosed_quantity: 0 }
const GTT = {
  strategy,
  trigger_type: 'SINGLE',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  product: 'CNC',
  pricetype: 'LIMIT',
  triggerprice_sl: 700,
}

/** What a user has. */
interface Held {
  /** An order that waits. */
  orderid: string
  /** An active trigger. */
  trigger_id: string
}

const THINGS = ['order', 'position', 'trigger'] as const
type Thing = (typeof THINGS)[number]

interface Act {
  operation: OrderOperationName
  /** What the act is about. */
  on: Thing
  body(held: Held): object
  /** True for what only lowers risk. */
  lowers: boolean
  /** True for what the sandbox does not do. */
  isLiveOnly?: true
}

const modify = (fields: object, lowers: boolean): Act => ({
  operation: 'modifyorder',
  on: 'order',
  body: ({ orderid }) => ({ ...SBIN, ...PRICES, orderid, quantity: 10, price: 700, ...fields }),
  lowers,
})
const modifyGtt = (fields: object, lowers: boolean): Act => ({
  operation: 'modifygttorder',
  on: 'trigger',
  body: ({ trigger_id }) => ({ ...GTT, trigger_id, quantity: 5, price: 690, ...fields }),
  lowers,
})
const free = (on: Thing, operation: OrderOperationName, body: Act['body']): Act => ({
  ...{ on, operation, body },
  lowers: true,
})

const ACTS: Record<string, Act> = {
  'a cancel': free('order', 'cancelorder', ({ orderid }) => ({ strategy, orderid })),
  'a cancel of all': free('order', 'cancelallorder', () => ({ strategy })),
  'a close of all': free('position', 'closeposition', () => ({ strategy })),
  'a close of one': free('position', 'closeposition', () => INFY),
  'a cancel of a GTT': free('trigger', 'cancelgttorder', ({ trigger_id }) => ({ strategy, trigger_id })),
  'a change to less quantity': modify({ quantity: 9 }, true),
  'a change to a lower price': modify({ price: 699 }, true),
  'a change to more quantity': modify({ quantity: 11 }, false),
  'a change to the market': { ...modify({ pricetype: 'MARKET', price: 0 }, false), isLiveOnly: true },
  'a change of a GTT to less quantity': modifyGtt({ quantity: 4 }, true),
  'a change of a GTT to a nearer trigger': modifyGtt({ triggerprice_sl: 710 }, false),
}

type Ask = (act: Act, held: Held) => Promise<{ status: number; code: string }>
type Sender = (http: HttpDesk) => Promise<Ask>

/** Over HTTP, with the API key and other headers. */
const keyed =
  (headersOf: (http: HttpDesk) => Promise<Record<string, string>> | Record<string, string>): Sender =>
  async (http) => {
    const headers = await headersOf(http)
    return async ({ operation, body }, held) => {
      const call = { headers, body: { apikey: http.apikey, ...body(held) } }
      const reply = await http.desk.settled(http.request('POST', `/api/v1/${operation}`, call))
      return { status: reply.status, code: reply.code ?? 'ok' }
    }
  }
/** Inside the service, as workflows and assistants send. */
const inside =
  (source: 'flow' | 'mcp'): Sender =>
  async ({ desk }) =>
  async ({ operation, body }, held) => {
    const { run } = openRequest(operation, (schema) => parseWith(schema, body(held)))
    return answerTo(await desk.settled(run(desk.service.orders, { userId: USER, source })))
  }

const PERSONS: Record<string, Sender> = {
  'the key with a session': keyed(async (http) => bearer(await http.signIn())),
  'the key with a token that may see orders': keyed(async (http) => bearer(await http.tokenOf('orders'))),
}
const OTHERS: Record<string, Sender> = {
  'the key alone': keyed(() => ({})),
  'the key with a token that may only read': keyed(async (http) => bearer(await http.tokenOf('read'))),
  'the key with a session that has ended': keyed(async (http) => {
    const token = await http.signIn()
    await http.request('POST', '/auth/logout', { headers: bearer(token) })
    return bearer(token)
  }),
  'a workflow': inside('flow'),
  'an assistant': inside('mcp'),
}

/** Places what a user is to have, all of it by default. */
async function hold({ desk }: HttpDesk, things: readonly Thing[] = THINGS): Promise<Held> {
  const held: Held = { orderid: '', trigger_id: '' }
  if (things.includes('position')) await desk.place({ ...INFY, product: 'MIS', exchange: 'NSE' })
  if (things.includes('order')) {
    const { body } = await desk.place({ pricetype: 'LIMIT', price: 700 })
    held.orderid = String(body.orderid)
  }
  if (things.includes('trigger')) {
    const { run } = openRequest('placegttorder', (schema) =>
      parseWith(schema, { ...GTT, quantity: 5, price: 690 }),
    )
    const { body } = answerTo(await run(desk.service.orders, { userId: USER, source: 'api' }))
    held.trigger_id = String(body.trigger_id)
  }
  return held
}

describe.each(['live', 'analyze'] as const)('in %s mode', (mode) => {
  describe.each([
    ['auto', false],
    ['auto', true],
    ['semi_auto', false],
    ['semi_auto', true],
  ] as const)('%s, kill switch %s', (orderMode, isOn) => {
    const isSemi = mode === 'live' && orderMode === 'semi_auto'

    /** Returns what an act is answered: a person always lowers risk, nobody else passes semi-auto mode. */
    function expected({ isLiveOnly, lowers, operation }: Act, name: string): string {
      if (name in PERSONS && lowers) return 'ok'
      // The live orders of an assistant wait for approval, so it may only cancel.
      const onlyCancels = mode === 'live' && name === 'an assistant' && !operation.startsWith('cancel')
      if (isSemi || onlyCancels) return 'forbidden'
      if (isOn && operation.startsWith('modify')) return 'kill_switch'
      return isLiveOnly && mode === 'analyze' ? 'refused' : 'ok'
    }

    test('each act is answered as its sender may', async () => {
      const http = await HttpDesk.open()
      const { identity, risk, sandbox, settings } = http.desk.service
      if (mode === 'analyze') await sandbox.start()
      await settings.setAnalyzeMode(mode === 'analyze')
      for (const [sentBy, sender] of Object.entries({ ...PERSONS, ...OTHERS })) {
        const ask = await sender(http)
        const answers: Record<string, string> = {}
        for (const [name, act] of Object.entries(ACTS)) {
          await identity.apiKeys.setOrderMode(USER, 'auto')
          await risk.setKillSwitch(false, 'test', USER)
          const held = await hold(http, [act.on])
          await identity.apiKeys.setOrderMode(USER, orderMode)
          if (isOn) await risk.setKillSwitch(true, 'news', USER)
          answers[name] = (await ask(act, held)).code
        }
        const all = Object.entries(ACTS).map(([name, act]) => [name, expected(act, sentBy)])
        expect(answers, sentBy).toEqual(Object.fromEntries(all))
      }
    })
  })
})

describe('a signed-in person', () => {
  async function semiAuto() {
    const http = await HttpDesk.open()
    const held = await hold(http)
    const { service } = http.desk
    await service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    await service.risk.setKillSwitch(true, 'news', USER)
    const headers = bearer(await http.signIn())
    const post = (path: string, body: object) =>
      http.desk.settled(
        http.request('POST', `/api/v1/${path}`, { headers, body: { apikey: http.apikey, ...body } }),
      )
    return { http, held, post, service }
  }

  test('closes one position to zero, is answered with its order, and is in the audit trail by name', async () => {
    const { http, post, service } = await semiAuto()
    const { body } = await post('closeposition', INFY)
    expect(body).toMatchObject({
      closed_positions: 1,
      results: [{ symbol: 'INFY', exchange: 'NSE', product: 'MIS', status: 'success', orderid: /./ }],
    })
    expect(await http.desk.ledger()).toHaveLength(3)
    await service.audit.flush()
    expect(await service.audit.list({ act: 'position.close', limit: 9 })).toMatchObject([
      { actor: USER, credential: 'session', outcome: 'done' },
    ])
    // Nothing is left, so nothing can be opened on the other side.
    expect((await post('closeposition', INFY)).status).toBe(404)
  })

  test('reads what is still allowed when a change does not lower risk', async () => {
    const { held, post } = await semiAuto()
    const { body, status } = await post('modifyorder', {
      ...SBIN,
      ...PRICES,
      orderid: held.orderid,
      quantity: 11,
      price: 700,
    })
    expect([status, body.message]).toEqual([
      403,
      'Modify order operation is not allowed in Semi-Auto mode. Please switch to Auto mode to modify orders. Still allowed: less quantity, a limit price or a trigger farther from the market, and a cancel.',
    ])
  })

  test.each(['modifyorder', 'modifygttorder'] as const)(
    'learns from %s that the broker does not answer about what is to change',
    async (operation) => {
      const { held, http, post, service } = await semiAuto()
      const { gtts, orders } = service.brokers.client()
      const list = () => Promise.reject(new BrokerError('network', 'No answer', { sent: 'maybe' }))
      Object.assign(orders, { list })
      if (gtts) Object.assign(gtts, { list })
      const changes = {
        modifyorder: { ...SBIN, ...PRICES, orderid: held.orderid, quantity: 9, price: 700 },
        modifygttorder: { ...GTT, trigger_id: held.trigger_id, quantity: 4, price: 690 },
      }
      const sent = await http.desk.ledger()
      const { code, body } = await post(operation, changes[operation])
      expect([code, body.message]).toEqual(['unavailable', 'Simulated exchange did not answer (No answer)'])
      expect(await http.desk.ledger()).toEqual(sent)
    },
  )

  test('opens nothing: an order and a smart order wait for approval as before', async () => {
    const { post } = await semiAuto()
    for (const [path, more] of [
      ['placeorder', {}],
      ['placesmartorder', { position_size: 0, quantity: 0 }],
    ] as const) {
      const { underlying_ltp: _, ...line } = payloadOf()
      expect((await post(path, { ...line, ...more })).body, path).toMatchObject({ mode: 'semi_auto' })
    }
  })
})
