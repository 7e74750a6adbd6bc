import { describe, expect, onTestFinished, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { Files, flow } from '../../../support/files/kept-files.js'
import { Gateway } from '../../../support/traffic/gateway.js'

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
  const LINES = [
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
  ] as const

  test('every command that sends orders', async () => {
    const desk = await CliDesk.open()
    await desk.svc('analyze off --confirm LIVE')
    for (const [line, stdin] of LINES) {
      const { exit, stderr } = await desk.svc(`${line} --only-mode analyze`, { stdin })
      expect([line, exit, stderr]).toEqual([
        line,
        5,
        expect.stringContaining(
          'Orders are live, and this request asks for simulated ones alone; nothing was sent.',
        ),
      ])
      expect(JSON.parse((await desk.svc('order list --json')).stdout), line).toEqual([])
    }
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

  const EXPIRY = '--expiry 24NOV26'
  const LEGS = JSON.stringify({
    ...{ underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' },
    legs: [{ offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65, product: 'NRML' }],
  })

  test.each([
    ['live', '', 'live (the broker would get it)'],
    ['analyze', 'analyze on', 'analyze (it would be simulated)'],
    ['semi_auto', 'mode set semi_auto', 'semi_auto (it would wait for approval)'],
  ])('ends with the mode %s, whatever the command, and sends nothing', async (mode, before, words) => {
    const desk = await CliDesk.open()
    if (before !== '') expect((await desk.svc(before)).exit).toBe(0)
    const basket = JSON.stringify([
      { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' },
    ])
    for (const [line, stdin] of [
      ['order place SBIN NSE BUY 1 --product MIS --dry-run', ''],
      ['order split SBIN NSE BUY 20 --split-size 10 --product MIS --dry-run', ''],
      ['order smart SBIN NSE BUY --position-size 5 --product MIS --dry-run', ''],
      ['order basket - --dry-run', basket],
      [
        `order options NIFTY NSE_INDEX BUY 65 ${EXPIRY} --offset ATM --option-type CE --product NRML --dry-run`,
        '',
      ],
      ['order options-multi - --dry-run', LEGS],
      ['do "b 1 sbin" --dry-run', ''],
    ] as const) {
      const { exit, stderr, stdout } = await desk.svc(line, { stdin })
      expect([line, exit, stderr]).toEqual([
        line,
        0,
        expect.stringMatching(
          new RegExp(`Dry run: nothing was sent\\. Mode: ${words.replace(/[()]/g, '\\$&')}\\.\n$`),
        ),
      ])
      expect([line, stdout]).toEqual([line, expect.stringContaining(mode)])
    }
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

const GTT = 'order gtt place NSE:SBIN BUY 10 --product CNC --price 900 --trigger-sl 905'
const PLACE = 'order place SBIN NSE BUY 1'

describe('the mode that a terminal asked about is the one that is sent', () => {
  const SHOWN = [
    [PLACE, ''],
    ['do "b 1 sbin"', ''],
    ['order smart SBIN NSE BUY --position-size 5', ''],
    ['order split SBIN NSE BUY 10 --split-size 5', ''],
    ['order basket -', basket],
    ['order options-multi -', legs],
    [GTT, ''],
  ] as const

  test('of every command that sends orders', async () => {
    const desk = await CliDesk.open({ env: { CONFIRM_LIVE: 'always' } })
    for (const [line, stdin] of SHOWN) {
      await desk.svc('analyze off --confirm LIVE')
      const switched = async () => {
        await desk.service.settings.setAnalyzeMode(true)
        return 'y'
      }
      const { exit, stderr } = await desk.svc(line, { stdin, answers: [switched] })
      expect(stderr, line).toContain('Send it LIVE to simulated')
      expect([line, exit, stderr]).toEqual([
        line,
        5,
        expect.stringContaining('Orders are simulated, and this request asks for live ones alone'),
      ])
      expect(JSON.parse((await desk.svc('order list --json')).stdout)).toEqual([])
    }
  })
})

describe('a change is for the mode that its command has shown, or checked it in', () => {
  test.each([
    ['shown simulated', 'on', 'do "b 1 sbin"', 'POST /api/v1/placeorder', 'analyze'],
    ['shown live', 'off --confirm LIVE', 'do "b 1 sbin"', 'POST /api/v1/placeorder', 'live'],
    ['announced live', 'off --confirm LIVE', PLACE, 'POST /api/v1/placeorder', 'live'],
    ['not shown', 'on', PLACE, 'POST /api/v1/placeorder', undefined],
    ['not shown to -q', 'off --confirm LIVE', `${PLACE} -q`, 'POST /api/v1/placeorder', undefined],
    ['announced live, of a GTT', 'off --confirm LIVE', GTT, 'POST /api/v1/placegttorder', 'live'],
    ['checked in it', 'on', 'order basket - --all-or-nothing', 'POST /api/v1/basketorder', 'analyze'],
    ['chosen', 'on', 'do "b 1 sbin" --only-mode analyze', 'POST /api/v1/placeorder', 'analyze'],
  ])('%s (analyze %s): %s', async (_name, analyze, line, route, mode) => {
    const { gateway, svc } = await watched()
    await svc(`analyze ${analyze}`)
    expect((await svc(line)).exit).toBe(0)
    expect(gateway.last(route).headers['x-only-mode']).toBe(mode)
  })

  test.each([
    ['a stored workflow', 'note', '/flow/api/workflows/1/execute'],
    ['a file', 'FILE', '/flow/api/run'],
  ])('a run of %s', async (_name, what, path) => {
    const { gateway, svc } = await watched()
    const file = new Files().write('note.yaml', flow('hello', 'note'))
    expect((await svc(`flow apply ${file}`)).exit).toBe(0)
    await svc('analyze off --confirm LIVE')
    const line = `flow run ${what.replace('FILE', file)}`
    expect((await svc(line)).exit).toBe(0)
    expect(gateway.last(`POST ${path}`).headers['x-only-mode']).toBe('live')
    expect((await svc(`${line} --only-mode analyze`)).exit).toBe(5)
  })

  test('a retry of a basket is for the mode of the basket', async () => {
    const { gateway, svc } = await watched()
    await svc('analyze on --yes')
    await svc('risk set max_order_quantity=5 --yes')
    const orders = JSON.parse(basket).concat({ ...JSON.parse(basket)[0], symbol: 'INFY', quantity: 9 })
    const send = (rest: string) => svc(`order basket - --idempotency-key b1 ${rest}`, JSON.stringify(orders))
    expect((await send('')).exit).toBe(5)
    await svc('risk set max_order_quantity=off --yes')
    expect((await send('--retry-failed')).exit).toBe(0)
    expect(gateway.last('POST /api/v1/basketorder').headers['x-only-mode']).toBe('analyze')
  })
})

/** The commands of a script, and their requests. */
async function watched() {
  const desk = await CliDesk.open()
  const gateway = await Gateway.before(() => desk.url)
  onTestFinished(() => gateway.close())
  const env = {
    SVC_URL: gateway.url,
    SVC_API_KEY: desk.http.apikey,
    SVC_TOKEN: await desk.http.tokenOf('admin'),
  }
  return { gateway, svc: (line: string, stdin = basket) => desk.svc(line, { env, stdin }) }
}
