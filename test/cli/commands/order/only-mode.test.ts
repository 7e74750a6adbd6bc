import { describe, expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* --only-mode and --dry-run of the order commands. */

const basket = JSON.stringify([
  { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' },
])
const legs = JSON.stringify({
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX',
  expiry_date: '24NOV26',
  legs: [{ offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65, product: 'NRML' }],
})

describe('--only-mode refuses in the other mode, with 5, and sends nothing', () => {
  test.each([
    ['order place SBIN NSE BUY 1', ''],
    ['order place SBIN NSE BUY 1 --dry-run', ''],
    ['order smart SBIN NSE BUY --position-size 5', ''],
    ['order split SBIN NSE BUY 10 --split-size 5', ''],
    ['order split SBIN NSE BUY 10 --split-size 5 --dry-run', ''],
    ['order basket -', basket],
    ['order basket - --dry-run', basket],
    ['order basket - --all-or-nothing', basket],
    [
      'order options NIFTY NSE_INDEX BUY 65 --expiry 24NOV26 --offset ATM --option-type CE --product NRML',
      '',
    ],
    ['order options-multi -', legs],
    ['order gtt place NSE:SBIN BUY 10 --product CNC --price 900 --trigger-sl 905', ''],
    ['order gtt cancel GTT-261121-00000001', ''],
    ['order cancel 1', ''],
    ['order cancel-all --yes', ''],
    ['position close-all --yes', ''],
    ['do "b 1 sbin"', ''],
    ['do "b 1 sbin" --dry-run', ''],
    ['do "c all" --yes', ''],
  ])('%s', async (line, stdin) => {
    const desk = await CliDesk.open()
    await desk.svc('analyze off --yes')
    const { exit, stderr } = await desk.svc(`${line} --only-mode analyze`, { stdin })
    expect([exit, stderr]).toEqual([
      5,
      expect.stringContaining(
        'Orders are live, and this request asks for simulated ones alone; nothing was sent.',
      ),
    ])
    expect(JSON.parse((await desk.svc('order list --json')).stdout)).toEqual([])
  })

  test('and executes it in its own', async () => {
    const desk = await CliDesk.open()
    await desk.svc('analyze on --yes')
    expect((await desk.svc('order place SBIN NSE BUY 1 --only-mode analyze')).exit).toBe(0)
    expect((await desk.svc('order place SBIN NSE BUY 1 --only-mode sandbox')).exit).toBe(2)
    expect((await desk.svc('order place SBIN NSE BUY 1 --only-mode=')).exit).toBe(2)
  })
})

describe('--dry-run', () => {
  test('of a split shows its parts, and ends with 5 if one would be refused', async () => {
    const desk = await CliDesk.open()
    const line = 'order split SBIN NSE BUY 25 --split-size 10 --price 900 --dry-run'
    const { exit, stderr, stdout } = await desk.svc(
      `${line} -o csv --columns order_num,action,quantity,pricetype,price,status`,
    )
    expect([exit, stdout.trim().split(/\r?\n/).slice(1)]).toEqual([
      0,
      ['1,BUY,10,LIMIT,900,ok', '2,BUY,10,LIMIT,900,ok', '3,BUY,5,LIMIT,900,ok'],
    ])
    expect(stderr).toContain('Dry run: nothing was sent.')
    await desk.svc('risk set max_orders_per_day=2 --yes')
    expect((await desk.svc(line)).exit).toBe(5)
    expect(JSON.parse((await desk.svc('order list --json')).stdout)).toEqual([])
  })

  test('of a smart order shows the order that the position needs, or that it needs none', async () => {
    const desk = await CliDesk.open()
    await desk.svc('order place SBIN NSE BUY 10 --yes')
    const line = 'order smart SBIN NSE BUY --dry-run'
    const { exit, stdout } = await desk.svc(
      `${line} --position-size 4 -o csv --columns action,quantity,pricetype`,
    )
    expect([exit, stdout.trim().split(/\r?\n/)[1]]).toEqual([0, 'SELL,6,MARKET'])
    const none = await desk.svc(`${line} --position-size 10`)
    expect([none.exit, none.stdout]).toEqual([0, expect.stringContaining('already at the target')])
    expect(JSON.parse((await desk.svc('order list --json')).stdout)).toHaveLength(1)
  })

  test('says on stderr why an order would be refused, whatever --jq leaves of the answer', async () => {
    const desk = await CliDesk.open()
    await desk.svc('risk set max_order_quantity=5 --yes')
    const reason = 'would be refused: Quantity 10 exceeds the limit of 5 per order'
    for (const [line, stdin] of [
      ['order place SBIN NSE BUY 10 --dry-run --jq .mode', ''],
      ['order basket - --dry-run --jq length', basket.replace('"quantity":1', '"quantity":10')],
      ['order split SBIN NSE BUY 20 --split-size 10 --dry-run --jq length', ''],
    ] as const) {
      const { exit, stderr } = await desk.svc(line, { stdin })
      expect([exit, stderr]).toEqual([5, expect.stringContaining(reason)])
    }
  })
})
