import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* What a command says of an approval that is decided: how it ended, and a next step that works. */

const line = (symbol: string) => ({
  symbol,
  exchange: 'NSE',
  action: 'BUY',
  product: 'MIS',
  quantity: 1,
  pricetype: 'MARKET',
})

async function approvedBasket(...symbols: string[]) {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  const queued = await desk.svc('order basket - --yes', { stdin: JSON.stringify(symbols.map(line)) })
  expect(queued.stderr).toContain('approval')
  const approved = await desk.svc('approval approve 1')
  return { desk, approved }
}

test('a basket that was executed in part: its status, its reason, and a command that shows its orders', async () => {
  const { desk, approved } = await approvedBasket('SBIN', 'INFY', 'NOPE')
  expect([approved.exit, approved.stderr]).toEqual([
    5,
    expect.stringContaining('1 of 3 orders failed: NOPE: '),
  ])
  expect(JSON.parse((await desk.svc('approval show 1 --json')).stdout)).toMatchObject({
    execution: 'partial',
    broker_status: 'complete',
  })

  const again = await desk.svc('approval approve 1')
  expect(again.stderr).toContain('It was executed in part: 1 of 3 orders failed: NOPE: ')
  expect(again.stderr).toContain('See its orders: svc order status approval/1.')
  const shown = await desk.svc('order status approval/1 --json')
  expect(JSON.parse(shown.stdout)).toMatchObject([
    { symbol: 'SBIN', order_status: 'complete' },
    { symbol: 'INFY', order_status: 'complete' },
  ])
})

test('an order that the broker never had: again says that it failed and must be placed again', async () => {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  await desk.svc('order place SBIN NSE BUY 1 --product MIS')
  desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], kind: 'fail', httpStatus: 400, message: 'no margin' }])
  expect((await desk.svc('approval approve 1')).exit).toBe(5)
  const { exit, stderr } = await desk.svc('approval approve 1')
  expect(exit).toBe(5)
  expect(stderr).toMatch(/It failed: .*no margin/)
  expect(stderr).toContain('Nothing is at the broker. If you still want the order, place it again.')
  expect(stderr).not.toContain('svc order status')
})

test.each(['approve', 'reject', 'delete --yes'])(
  '%s of an approval that does not exist names it',
  async (verb) => {
    const desk = await CliDesk.open()
    const { exit, stderr } = await desk.svc(`approval ${verb} 99`)
    expect([exit, stderr]).toEqual([
      4,
      expect.stringContaining('error: There is no approval 99. See: svc approval list --status all\n'),
    ])
  },
)
