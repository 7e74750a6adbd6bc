import { describe, expect, test } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { ApiRig, type Mode, ORDER } from '../api-rig.js'

const TYPO = { ...ORDER, symbol: 'SBIM' }
const GTT = {
  strategy: 't',
  trigger_type: 'single',
  exchange: 'NSE',
  symbol: 'SBIM',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  price: 690,
  triggerprice_sl: 700,
}
const { strategy: _, ...LINE } = TYPO

const TERMS = { pricetype: 'LIMIT', product: 'MIS', price: 690, trigger_price: 0, disclosed_quantity: 0 }

const DOORS: readonly [path: string, body: Record<string, unknown>, headers?: Record<string, string>][] = [
  ['placeorder', TYPO],
  ['placeorder', TYPO, { 'x-dry-run': '1' }],
  ['placesmartorder', { ...TYPO, position_size: 25 }],
  ['placesmartorder', { ...TYPO, quantity: 0, position_size: 0 }],
  ['splitorder', { ...TYPO, splitsize: 5 }],
  ['basketorder', { strategy: 't', orders: [LINE, LINE] }],
  ['placegttorder', GTT],
  ['modifyorder', { ...TYPO, orderid: '1', ...TERMS }],
  ['modifygttorder', { ...GTT, trigger_id: 'G1' }],
]
const NOT_FOUND = {
  status: 404,
  code: 'not_found',
  body: { message: 'Symbol SBIM not found on NSE. Nearest: SBIN. Look it up: svc search SBIM' },
}
const RULES = [{}, { max_order_value: 50_000 }, { price_band_percent: 5 }, { max_price_age_seconds: 5 }]

describe.each(['live', 'analyze'] as const)('an unknown symbol in %s mode', (mode) => {
  test.each(DOORS)(
    'is 404 with the nearest symbol, with and without rules: %s %j %j',
    async (path, body, headers) => {
      const rig = await ApiRig.open(mode)
      for (const rules of RULES) {
        await rig.desk.service.risk.change(rules, USER)
        expect(await rig.post(path, body, headers)).toMatchObject(NOT_FOUND)
      }
      expect(await rig.journal()).toEqual([])
    },
  )
})

test.each<Mode>(['semi_auto', 'semi_auto_analyze'])('is not queued for approval (%s)', async (mode) => {
  const rig = await ApiRig.open(mode)
  for (const [path, body] of DOORS) {
    if (path !== 'basketorder' && !path.startsWith('modify')) {
      expect(await rig.post(path, body)).toMatchObject(NOT_FOUND)
    }
  }
  const { orders } = await rig.desk.service.approvals.list(USER, { status: 'pending' })
  expect(orders).toEqual([])
})

test('in an approved basket fails alone, with the same text', async () => {
  const rig = await ApiRig.open('semi_auto')
  await rig.desk.service.risk.change({ max_order_value: 50_000 }, USER)
  const orders = [{ ...LINE, symbol: 'SBIN' }, LINE]
  const { body } = await rig.post('basketorder', { strategy: 't', orders })
  const { approvals } = rig.desk.service
  await rig.settled(approvals.approve(USER, Number(body.pending_order_id), USER))
  expect(await rig.ledger()).toHaveLength(1)
})

test('that is an index says where it is', async () => {
  const rig = await ApiRig.open('analyze')
  const { body, status } = await rig.post('placeorder', { ...ORDER, symbol: 'NIFTY' })
  expect([status, body.message]).toEqual([
    404,
    'Symbol NIFTY not found on NSE: it is an index (NSE_INDEX), which has no orders. Trade its contracts: svc search NIFTY FUT',
  ])
})

test('closes no position, and needs no listing to close one', async () => {
  const rig = await ApiRig.open('analyze')
  const { status } = await rig.post('closeposition', {
    strategy: 't',
    symbol: 'SBIM',
    exchange: 'NSE',
    product: 'MIS',
  })
  expect(status).not.toBe(500)
})
