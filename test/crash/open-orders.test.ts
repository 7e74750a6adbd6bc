import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { query } from '../support/files/files.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'

const RESTING = {
  strategy: 'e2e',
  symbol: 'INFY',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  product: 'MIS',
  pricetype: 'LIMIT',
  price: 1400,
}

it('the journal has the fills and cancels that happened while the daemon was down', async () => {
  const kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
  onTestFinished(() => kite.dispose())
  const daemon = await kite.desk()
  onTestFinished(() => daemon.dispose())
  for (let n = 0; n < 5; n++) {
    expect(await daemon.api('placeorder', { ...RESTING })).toMatchObject({ status: 200 })
  }
  const states = async () => {
    const rows = await query<{ state: string }>(
      join(daemon.home, 'svc.db'),
      'select state from order_journal order by order_ref',
    )
    return rows.map(({ state }) => state)
  }
  expect(await states()).toEqual(new Array(5).fill('accepted'))

  await daemon.kill()
  const [cancelled] = await kite.placed()
  await kite.control('POST', '_cancel', { orderId: cancelled?.orderId })
  await kite.control('POST', '_price', { instrument: 'NSE:INFY', price: 1390 })
  await daemon.start()
  await expect.poll(states).toEqual(['cancelled', 'filled', 'filled', 'filled', 'filled'])

  // The numbers stay the same: nothing counts twice.
  await daemon.crash()
  const [fills] = await query<{ filled: number }>(
    join(daemon.home, 'svc.db'),
    "select count(*) as filled from order_events where to_state = 'filled'",
  )
  expect(fills?.filled).toBe(4)
})
