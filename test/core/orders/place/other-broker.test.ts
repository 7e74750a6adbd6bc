import { expect, onTestFinished, test, vi } from 'vitest'
import type { PlaceContext } from '../../../../src/core/orders/index.js'
import { placeGttPayload } from '../../../../src/core/orders/index.js'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import type { OrderAnswer } from '../../../../src/daemon/orders/answer.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

/* Another broker becomes active after a request was decided, and before its intent is stored. */

const CONTEXT: PlaceContext = { userId: USER, source: 'api' }

const GTT = {
  strategy: 't',
  trigger_type: 'SINGLE',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  price: 690,
  triggerprice_sl: 700,
}

interface Case {
  submit(desk: TestDesk): Promise<OrderAnswer>
  /** Calls the listener once the request has been decided. */
  onDecision(desk: TestDesk, then: () => void): void
}

/** Calls the listener after each call of a method. */
function after<K extends string>(
  of: Record<K, (...asked: never[]) => Promise<unknown>>,
  method: K,
  then: () => void,
): void {
  const original = of[method]
  of[method] = async (...asked: never[]) => {
    const answer = await original.apply(of, asked)
    then()
    return answer
  }
}

const CASES: Record<string, Case> = {
  placegttorder: {
    submit: ({ orders }) => orders.gtts.place(parseWith(placeGttPayload, GTT), CONTEXT),
    onDecision: ({ service }, then) => after(service.market, 'quote', then),
  },
  basketorder: {
    submit: ({ orders }) =>
      orders.multi.submit(BASKET_ORDER, { strategy: 't', orders: [payloadOf()] }, CONTEXT),
    onDecision: ({ service }, then) => after(service.risk, 'examine', then),
  },
  placesmartorder: {
    submit: ({ orders }) => orders.multi.submit(SMART_ORDER, { ...payloadOf(), position_size: 30 }, CONTEXT),
    onDecision: ({ service }, then) => after(service.brokers.client().portfolio, 'positions', then),
  },
  closeposition: {
    submit: ({ orders }) => orders.changes.close({ strategy: 't' }, CONTEXT),
    onDecision: ({ service }, then) => after(service.brokers.client().portfolio, 'positions', then),
  },
}

test.each(Object.entries(CASES))(
  'a %s does not leave for a broker that becomes active after its decision',
  async (_operation, { onDecision, submit }) => {
    const desk = await TestDesk.open()
    await desk.place({ symbol: 'INFY', quantity: 10 })
    const before = await desk.ledger()
    const { brokers, journal } = desk.service
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    onDecision(desk, () => vi.spyOn(brokers, 'brokerId', 'get').mockReturnValue('zerodha'))
    const answer = await submit(desk)
    expect(JSON.stringify(answer.body)).toContain('The broker was changed')
    expect(await desk.ledger()).toEqual(before)
    expect(await brokers.client().gtts?.list()).toEqual([])
    const [row] = await journal.inState('rejected')
    expect(row).toMatchObject({ broker: 'simulated', endCause: 'not_sent' })
  },
)
