import { expect, test } from 'vitest'
import { ServiceError } from '../../../../src/core/errors/index.js'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import type { OrderAnswer } from '../../../../src/daemon/orders/answer.js'
import { rounds } from '../../../support/chance/chance.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

/** Holds an order between the writing of its intent and its sending, and lets something happen there. */
async function whileBeingWritten(desk: TestDesk, change: () => Promise<unknown>) {
  const { journal } = desk.service
  const { open } = journal
  journal.open = async (...entry) => {
    await open.apply(journal, entry)
    await change()
  }
  const answer = await desk.place()
  journal.open = open
  return answer
}

test.each<{ name: string; change: (desk: TestDesk) => Promise<unknown>; status: number; code: string }>([
  {
    name: 'trading is stopped',
    change: ({ service }) => service.risk.setKillSwitch(true, 'too fast', USER),
    status: 403,
    code: 'kill_switch',
  },
  {
    name: 'a rule is set that it breaks',
    change: ({ service }) => service.risk.change({ allowed_exchanges: ['BSE'] }, USER),
    status: 403,
    code: 'risk_refused',
  },
  {
    name: 'orders wait for approval from now on',
    change: ({ service }) => service.identity.apiKeys.setOrderMode(USER, 'semi_auto'),
    status: 409,
    code: 'conflict',
  },
  {
    name: 'the service goes to Analyzer mode',
    change: ({ service }) => service.settings.setAnalyzeMode(true),
    status: 409,
    code: 'conflict',
  },
  {
    name: 'another broker is taken',
    change: ({ service }) => service.brokers.use('zerodha'),
    status: 409,
    code: 'conflict',
  },
  {
    name: 'the broker is signed out of',
    change: ({ service }) => service.brokers.logout(),
    status: 403,
    code: 'forbidden',
  },
])('an order whose intent is written when $name is not sent', async ({ change, status, code }) => {
  const desk = await TestDesk.open()
  const answer = await whileBeingWritten(desk, () => change(desk))
  expect([answer.status, answer.code]).toEqual([status, code])
  expect(await desk.service.journal.find(answer.orderRef ?? '')).toMatchObject({ state: 'rejected' })
  expect(await desk.ledger()).toEqual([])
})

test('in a burst, nothing leaves after the answer to the kill switch', async () => {
  const desk = await TestDesk.open()
  const { orders } = desk.service.brokers.client()
  const { place } = orders
  let sent = 0
  orders.place = (order, tag) => {
    sent += 1
    return place(order, tag)
  }
  for (let round = 0; round < rounds(5); round++) {
    const answers = Array.from({ length: 40 }, () => desk.place({ quantity: 1 }))
    if (round % 2 === 1) await answers[round]
    await desk.service.risk.setKillSwitch(true, 'too fast', USER)
    const sentByThen = sent
    await Promise.all(answers)
    expect(sent).toBe(sentByThen)
    await desk.service.risk.setKillSwitch(false, '', USER)
  }
})

test('in Analyzer mode, nothing is taken after the answer to the kill switch, wherever an order has got to', async () => {
  const desk = await TestDesk.open()
  const { risk, sandbox, settings } = desk.service
  await settings.setAnalyzeMode(true)
  const basket = { strategy: 'test', orders: [1, 2, 3].map((quantity) => payloadOf({ quantity })) }
  const trades = async () => (await sandbox.books.tradebook(USER)).length
  for (let round = 0; round < rounds(5); round++) {
    const answers: Promise<{ code: string }>[] = []
    for (let i = 0; i < 20; i++) {
      answers.push(desk.place({ quantity: 1 }))
      if (i === round) await answers[0]
    }
    answers.push(desk.orders.multi.submit(BASKET_ORDER, basket, { userId: USER, source: 'api' }))
    await risk.setKillSwitch(true, 'too fast', USER)
    await sandbox.books.orderbook(USER)
    const filledByThen = await trades()
    const codes = new Set((await Promise.all(answers)).map(({ code }) => code))
    expect([...codes].filter((code) => code !== 'ok' && code !== 'kill_switch')).toEqual([])
    expect(await trades()).toBe(filledByThen)
    expect((await desk.place()).code).toBe('kill_switch')
    await risk.setKillSwitch(false, '', USER)
  }
})

test('brokers switched to and fro while orders are in flight get only what was meant for them', async () => {
  const desk = await TestDesk.open()
  const { brokers, journal, updates } = desk.service
  const switching = (async () => {
    for (let i = 0; i < 10; i++) {
      await Promise.all([brokers.use('zerodha'), brokers.use('simulated'), brokers.logout()])
      await brokers.login({}).catch(() => undefined)
    }
    await brokers.use('simulated')
  })()
  // Without a session an order is refused before it is written down at all.
  const placed = async (): Promise<Pick<OrderAnswer, 'code'> & Partial<Pick<OrderAnswer, 'orderRef'>>> =>
    desk.place({ quantity: 1 }).catch((error: ServiceError) => ({ code: error.code }))
  const answers: Awaited<ReturnType<typeof placed>>[] = []
  for (let batch = 0; batch < 20; batch++)
    answers.push(...(await Promise.all([placed(), placed(), placed()])))
  await switching
  await updates.drained()

  const tags = (await desk.ledger()).map(({ tag }) => tag)
  expect(new Set(tags).size).toBe(tags.length)
  for (const { code, orderRef = '' } of answers) {
    expect(['ok', 'conflict', 'forbidden', 'unavailable']).toContain(code)
    expect([orderRef, tags.includes(orderRef)]).toEqual([orderRef, code === 'ok'])
  }
  expect(await journal.inState('sending')).toEqual([])
})

test('an order that waits for its turn at the broker meets the kill switch after it, not before', async () => {
  const desk = await TestDesk.open()
  const { brokers, risk } = desk.service
  brokers.orderSlot = async () => {
    await risk.setKillSwitch(true, 'too fast', USER)
  }
  const answer = await desk.place()
  expect([answer.status, answer.code]).toEqual([403, 'kill_switch'])
  expect(await desk.ledger()).toEqual([])
})

test('an order whose turn would come too late is refused for certain, and was not sent', async () => {
  const desk = await TestDesk.open()
  desk.service.brokers.orderSlot = async () => {
    throw new ServiceError('rate_limited', 'later', { retryAfterSeconds: 7 })
  }
  const answer = await desk.place()
  expect([answer.status, answer.code]).toEqual([429, 'rate_limited'])
  expect(await desk.service.journal.find(answer.orderRef ?? '')).toMatchObject({ state: 'rejected' })
  expect(await desk.ledger()).toEqual([])
})
