import { describe, expect, test, vi } from 'vitest'
import { placeGttPayload } from '../../../../src/core/orders/index.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import type { OrderAnswer } from '../../../../src/daemon/orders/answer.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { eventually } from '../../../support/eventually.js'

/*
 * The process ends after it stored the key of an order and before it sent the order. The first service never
 * continues: its sandbox and its broker do not answer.
 */

const NOT_SENT = 'Not sent: the service stopped before it came to this order.'
const KEYED = { userId: USER, source: 'api', idempotencyKey: 'k' } as const
const MINUTE_MS = 60_000
const GTT = parseWith(placeGttPayload, {
  strategy: 't',
  trigger_type: 'SINGLE',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  price: 690,
  triggerprice_sl: 700,
})

type Mode = 'live' | 'analyze'
interface Kind {
  name: string
  submit(desk: TestDesk): Promise<OrderAnswer>
  /** Returns the number of its orders, at the broker or in the sandbox. */
  count(desk: TestDesk): Promise<number>
}

const occurrences = (text: string, book: object) => JSON.stringify(book).split(text).length - 1

const ORDER: Kind = {
  name: 'order',
  submit: ({ orders }) => orders.single.place(payloadOf(), KEYED),
  count: async ({ service }) => occurrences('"orderid"', await service.account.orderbook(USER)),
}
const GTT_ORDER: Kind = {
  name: 'GTT',
  submit: ({ orders }) => orders.gtts.place(GTT, KEYED),
  count: async ({ service }) => occurrences('"trigger_id"', await service.orders.gtts.book(USER)),
}

async function afterCrash(kind: Kind, mode: Mode, laterMs: number): Promise<TestDesk> {
  const first = await TestDesk.open()
  const { brokers, databases, sandbox, settings } = first.service
  await settings.setAnalyzeMode(mode === 'analyze')
  const never = () => new Promise<never>(() => undefined)
  sandbox.placeAll = never
  sandbox.gtt.place = never
  brokers.orderSlot = never
  void kind.submit(first).catch(() => undefined)
  await eventually(async () => (await databases.svc.queryRaw('select 1 from idempotency_keys')).length === 1)
  await first.close()
  const clock = deskClock(first.clock.now() + laterMs)
  return TestDesk.open({ home: first.home, clock })
}

const CASES = (['live', 'analyze'] as const).flatMap((mode) =>
  [ORDER, GTT_ORDER].map((kind) => [mode, kind.name, kind] as const),
)

describe.each(CASES)('a %s %s that a crash kept from leaving', (mode, _name, kind) => {
  test('is sent once when its caller asks again within 15 minutes', async () => {
    const desk = await afterCrash(kind, mode, 14 * MINUTE_MS)
    expect(await kind.count(desk)).toBe(0)
    const answer = await kind.submit(desk)
    expect(answer).toMatchObject({ status: 200, code: 'ok' })
    expect((await kind.submit(desk)).body).toEqual(answer.body)
    expect(await kind.count(desk)).toBe(1)
  })

  test('is not sent when its caller asks again later', async () => {
    const desk = await afterCrash(kind, mode, 16 * MINUTE_MS)
    expect(await kind.submit(desk)).toMatchObject({
      status: 503,
      code: 'unavailable',
      body: { message: NOT_SENT },
    })
    expect(await kind.count(desk)).toBe(0)
  })

  test('meets the risk gate again', async () => {
    const desk = await afterCrash(kind, mode, MINUTE_MS)
    await desk.service.risk.change({ max_order_quantity: 1 }, USER)
    expect(await kind.submit(desk)).toMatchObject({ status: 403, body: { rule: 'max_order_quantity' } })
    expect(await kind.count(desk)).toBe(0)
    for (const state of ['claimed', 'sending', 'unknown'] as const)
      expect(await desk.service.journal.inState(state)).toEqual([])
  })

  test('is not sent when orders need approval since then', async () => {
    const desk = await afterCrash(kind, mode, MINUTE_MS)
    await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    expect(await kind.submit(desk)).toMatchObject({ status: 409, code: 'conflict' })
    expect(await kind.count(desk)).toBe(0)
  })

  test('is not sent when the mode is another by then', async () => {
    const desk = await afterCrash(kind, mode, MINUTE_MS)
    await desk.service.settings.setAnalyzeMode(mode !== 'analyze')
    expect(await kind.submit(desk)).toMatchObject({ status: 409, code: 'conflict' })
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    expect(await kind.count(desk)).toBe(0)
  })
})

const LIVE = CASES.filter(([mode]) => mode === 'live')

describe.each(LIVE)('a %s %s that a crash kept from leaving', (mode, _name, kind) => {
  test('waits until the instruments of its broker are loaded', async () => {
    const desk = await afterCrash(kind, mode, MINUTE_MS)
    const { instruments } = desk.service
    const { record, ...others } = instruments.status()
    if (!record) throw new Error('no instruments are loaded')
    const loaded = vi.spyOn(instruments, 'status')
    loaded.mockReturnValue({ ...others, record: { ...record, brokerId: 'zerodha' } })
    await expect(kind.submit(desk)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await kind.count(desk)).toBe(0)
    loaded.mockRestore()
    expect(await kind.submit(desk)).toMatchObject({ status: 200, code: 'ok' })
    expect(await kind.count(desk)).toBe(1)
  })

  test('waits until somebody has signed in to its broker', async () => {
    const desk = await afterCrash(kind, mode, MINUTE_MS)
    const { brokers } = desk.service
    await brokers.logout()
    await expect(kind.submit(desk)).rejects.toMatchObject({ code: 'forbidden' })
    await brokers.login({})
    expect(await kind.submit(desk)).toMatchObject({ status: 200, code: 'ok' })
    expect(await kind.count(desk)).toBe(1)
  })
})
