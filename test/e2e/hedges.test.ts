import { expect, it, onTestFinished } from 'vitest'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'

const STRATEGIES = '/strategy/api/strategies'
const OPTION = { segment: 'options', lots: 1, expiry: 'weekly', strike_mode: 'atm', atm_offset: 'ATM' }
const HEDGED = {
  name: 'hedged',
  strategy_kind: 'batch',
  strategy_type: 'positional',
  product: 'NRML',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  legs: [
    { ...OPTION, position: 'S', option_type: 'CE' },
    { ...OPTION, position: 'B', option_type: 'PE' },
  ],
}

it('a run sells nothing when the broker rejects the purchase of the same start after it took it', async () => {
  const kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
  onTestFinished(() => kite.dispose())
  const daemon = await kite.desk()
  onTestFinished(() => daemon.dispose())
  const made = await daemon.request('POST', STRATEGIES, HEDGED)
  expect([made.status, made.text]).toEqual([201, made.text])
  expect((await daemon.request('POST', `${STRATEGIES}/1/live`, { enabled: true })).status).toBe(200)
  await kite.script('place', 'late_reject:Circuit limit')
  await daemon.request('POST', `${STRATEGIES}/1/start`, { mode: 'live' })
  const { body } = await daemon.request<{
    data: { action: string; status: string; reject_reason: string }[]
  }>('GET', `${STRATEGIES}/1/orders`)
  const orders = body.data.map(({ action, status, reject_reason }) => [action, status, reject_reason])
  expect(orders.sort()).toEqual([
    ['BUY', 'rejected', 'Circuit limit'],
    ['SELL', 'rejected', expect.stringMatching(/an order to buy of the same start was not accepted/)],
  ])
  expect(await kite.placed()).toHaveLength(1)
})
