import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)

const MODES = ['live', 'analyze', 'semi_auto'] as const
type Mode = (typeof MODES)[number]
const enter = async (mode: Mode) => {
  await desk.daemon.analyze(mode === 'analyze')
  await desk.daemon.orderMode(mode === 'semi_auto' ? 'semi_auto' : 'auto')
}

/** Each command line with its exit status and a part of its message, the same in every mode. */
const SAME_IN_EVERY_MODE: readonly [line: string, exit: number, says: RegExp][] = [
  ['order place SBIN NSE BUY 1 --type LIMIT', 2, /A LIMIT order needs a price\. Pass --price\./],
  ['order place SBIN NSE BUY 1 --type LIMIT --price 0', 2, /needs a price/],
  ['order place SBIN NSE BUY 1 --type LIMIT --dry-run', 2, /needs a price/],
  [
    'order place SBIN NSE BUY 1 --type SL --price 800',
    2,
    /An SL order needs a trigger price\. Pass --trigger\./,
  ],
  ['order place SBIN NSE BUY 1 --type SL-M', 2, /needs a trigger price/],
  ['order smart SBIN NSE BUY 0 --position-size 3 --type LIMIT', 2, /needs a price/],
  ['order split SBIN NSE BUY 10 --split-size 5 --type LIMIT', 2, /needs a price/],
  ['order margin SBIN NSE BUY 1 --type LIMIT', 2, /needs a price/],
  ['order gtt place SBIN NSE BUY 1 --product CNC --type LIMIT --trigger-sl 805', 2, /price/],

  ['quote NOPE', 4, /NOPE/],
  ['depth NOPE NSE', 4, /NOPE/],
  ['depth NSE:NOPE', 4, /NOPE/],
  ['history NOPE NSE', 4, /NOPE/],
  ['symbol NOPE NSE', 4, /NOPE/],
  ['search nopenope', 4, /Nothing matches "nopenope"/],
  ['expiry NOPE', 4, /NOPE has no options on NFO/],
  ['chain NOPE', 4, /NOPE/],
  ['greeks NOPE', 4, /^$/],
  ['order place NOPE NSE BUY 1', 4, /NOPE not found on NSE.* svc search NOPE/],
  ['order place NIFTY NSE BUY 1', 4, /NIFTY not found on NSE: it is an index \(NSE_INDEX\)/],
  ['order place SBINN NSE BUY 1 --dry-run', 4, /Nearest: SBIN/],
  ['order place NSE:NOPE BUY 1 --dry-run', 4, /NOPE/],
  ['order smart NOPE NSE BUY 1 --position-size 2', 4, /NOPE/],
  ['order split NOPE NSE BUY 10 --split-size 5', 4, /NOPE/],
  ['order margin NOPE NSE BUY 1', 4, /NOPE/],
  ['order gtt place NOPE NSE BUY 1 --product CNC --type LIMIT --price 800 --trigger-sl 805', 4, /NOPE/],
  [
    'order options NOPE NSE_INDEX BUY 65 --expiry 23NOV26 --offset ATM --option-type CE --product NRML',
    4,
    /NOPE/,
  ],
  ['position close NOPE NSE', 4, /NOPE/],
  ['position close NSE:NOPE', 4, /NOPE/],

  ['chain NIFTY --expiry 01JAN20', 4, /01JAN20/],
  ['broker use nobody --confirm LIVE', 4, /not found/],
  ['order status 999', 4, /999/],
  ['order status order/999', 4, /999/],
  ['approval show 999', 4, /999/],
  ['approval show approval/999', 4, /999/],
  ['order journal order/999', 4, /999/],

  ['order list --status nope', 2, /Allowed choices/],
  ['order journal --status triggered', 0, /^$/],
  ['order journal --status nope', 2, /Allowed choices/],
  ['order journal --state nope', 2, /Allowed choices/],
  ['approval list --status nope', 2, /Allowed choices/],
  ['quote XXX:SBIN', 2, /Must be one of/],
  ['order place SBIN XXX BUY 1', 2, /exchange/],
  ['depth SBIN', 2, /The exchange of SBIN is missing\. Example: NSE:SBIN, or SBIN NSE\n$/],
  ['depth NSE:SBIN BSE', 2, /names an exchange already/],
  ['history SBIN NSE --interval 7m', 2, /no bars of "7m"\. Intervals: 1m, 3m, /],
  ['history SBIN NSE --interval 2m', 2, /no bars of "2m"\. Intervals: 1m, 3m, /],
  ['order place SBIN NSE BUY 1 --wait-timeout 5s', 2, /has no effect without --wait/],
  ['order list --since soon', 2, /--since must be a duration such as 2h/],
  ['order list --since 2026-11-31', 2, /--since must be/],
  ['order list --since 1h --until 2h', 2, /--since must be before --until/],
  ['trade list --limit 0', 2, /--limit must be a whole number/],
  ['approval show order/6', 2, /order\/6 is an order, not an approval/],
  ['order settle approval/6 --outcome rejected --reason x --yes', 2, /is an approval, not an order/],
  ['order status', 2, /^error: Missing required argument 'order-id'\. See: svc order status --help\n$/],
  ['mode auto', 2, /Did you mean svc mode set auto\?/],
]

describe.each(MODES)('the exit status in the mode %s', (mode) => {
  beforeAll(() => enter(mode))
  afterAll(() => enter('analyze'))

  it.each(SAME_IN_EVERY_MODE)('svc %s: %d', async (line, exit, says) => {
    const done = await svc(line)
    const said = done.stderr.replace(/^(idempotency key: |LIVE {2}broker ).*\n/gm, '')
    expect({ line, exit: done.exit }).toEqual({ line, exit })
    expect(said).toMatch(says)
    expect(said.trimEnd().split('\n').length, said).toBeLessThanOrEqual(1)
  })
})

it('an underlying may be named by the exchange of its options, where it is no symbol', async () => {
  const [, next = ''] = (await svc('expiry NIFTY NFO -q')).stdout.split('\n')
  const words = `NIFTY NFO BUY 65 --expiry ${next.replaceAll('-', '')}`
  const { exit, stderr } = await svc(`order options ${words} --offset ATM --option-type CE --product NRML`)
  expect([exit, stderr]).toEqual([0, expect.stringContaining('idempotency key')])
})

it.each(['unknown', 'lapsed'])(
  'orders that are %s are searched where they are: in the history',
  async (status) => {
    expect((await svc(`order list --status ${status}`)).exit).toBe(0)
    expect(desk.gateway.received.map(({ path }) => path.split('?')[0])).toEqual(['/orders/history'])
  },
)

it('a stream of an unknown symbol is exit 4 as well', async () => {
  // The gateway passes no WebSocket on.
  const { exit, stderr } = await svc('stream NOPE --count 1', { env: { SVC_URL: desk.daemon.url } })
  expect([exit, stderr]).toEqual([4, expect.stringContaining('NOPE')])
})

it('an unknown symbol is named as the cause also where a limit needs its price', async () => {
  await desk.daemon.request('PUT', '/risk', { max_order_value: 1_000_000 })
  const { exit, stderr } = await svc('order place NOPE NSE BUY 1')
  await desk.daemon.request('PUT', '/risk', { max_order_value: null })
  expect([exit, stderr]).toEqual([4, expect.stringContaining('NOPE')])
  expect(stderr).not.toContain('risk')
})

describe('the names of orders and approvals', () => {
  /** An order below the market, which moves from day to day, and within its price band. */
  let limit = ''
  let far = 0
  beforeAll(async () => {
    await enter('live')
    far = await desk.daemon.priceAt(0.97)
    limit = `order place NSE:SBIN BUY 10 --type LIMIT --price ${far} --product CNC`
  })
  afterAll(() => enter('analyze'))

  it('an order: every command takes the name that -q prints', async () => {
    const name = (await svc(`${limit} -q`)).stdout.trim()
    expect(name).toMatch(/^order\/\w+$/)
    const id = name.replace('order/', '')
    expect(await desk.terminal.json(`order status ${name}`)).toMatchObject({ orderid: id })
    expect(await desk.terminal.json(`order get ${id}`)).toMatchObject({ orderid: id })
    expect(await desk.terminal.json(`order journal ${name}`)).toMatchObject({ orderid: id })
    expect((await svc(`order modify ${name} --price ${far + 1}`)).exit).toBe(0)
    expect((await svc(`order modify ${name} --type SL-M`)).exit).toBe(2)
    expect((await svc(`order cancel ${name}`)).exit).toBe(0)
  })

  it('an approval, and the order that comes from it', async () => {
    await enter('semi_auto')
    const name = (await svc(`${limit} -q`)).stdout.trim()
    expect(name).toMatch(/^approval\/\d+$/)
    const id = Number(name.replace('approval/', ''))
    expect(await desk.terminal.json(`approval get ${name}`)).toMatchObject({ id, status: 'pending' })
    const early = await svc(`order status ${name}`)
    expect([early.exit, early.stderr]).toEqual([4, expect.stringContaining('is pending and has no order')])
    expect((await svc(`approval approve ${name}`)).exit).toBe(0)
    const { orderid } = await desk.terminal.json<{ orderid: string }>(`order show ${name}`)
    const again = await svc(`approval approve ${name}`)
    expect([again.exit, again.stderr]).toEqual([
      5,
      expect.stringMatching(
        new RegExp(
          `Approval ${id} was approved by asha at \\d{4}-.* See its order: svc order status ${orderid}\\n$`,
        ),
      ),
    ])
    await enter('live')
    expect((await svc(`order cancel ${name}`)).exit).toBe(0)
  })

  it('Ctrl-C during the wait is 130 and says that the order stands', async () => {
    const placing = desk.terminal.start(`${limit} --wait`)
    const looked = () => desk.gateway.received.some(({ path }) => path === '/api/v1/orderstatus')
    await expect.poll(looked).toBe(true)
    placing.interrupt()
    const { exit, stdout, stderr } = await placing.ended
    const id = /^orderid\t(\w+)$/m.exec(stdout)?.[1] ?? 'none'
    expect([exit, stderr]).toEqual([
      130,
      expect.stringContaining(`Interrupted: Order ${id} stands. See it: svc order status ${id}`),
    ])
    expect(await desk.terminal.json(`order status ${id}`)).toMatchObject({ order_status: 'open' })
    await svc(`order cancel ${id}`)
  })
})

describe('svc position close', () => {
  const rows = async () =>
    (
      await desk.terminal.json<{ symbol: string; product: string; quantity: number }[]>('position list')
    ).filter(({ symbol, quantity }) => symbol === 'TCS' && quantity !== 0)
  const buy = (product: string) => desk.daemon.place({ symbol: 'TCS', quantity: 14, product })

  it('closes the only open product, and names the products when there are several', async () => {
    await buy('CNC')
    const wrong = await svc('position close TCS NSE --product MIS')
    expect([wrong.exit, wrong.stderr]).toEqual([
      4,
      'error: NSE:TCS is not open in MIS, but in CNC (14). Choose it: --product\n',
    ])
    await buy('MIS')
    const several = await svc('position close NSE:TCS')
    expect([several.exit, several.stdout]).toEqual([5, ''])
    expect(several.stderr).toMatch(/has open positions in (CNC \(14\) and MIS|MIS \(14\) and CNC) \(14\)\./)
    expect((await rows()).length).toBe(2)
    expect((await svc('position close TCS NSE --product MIS')).exit).toBe(0)
    expect((await svc('position close NSE:TCS -q')).stdout).toMatch(/^order\/\w+\n$/)
    expect(await rows()).toEqual([])
    const none = await svc('position close TCS NSE')
    expect(none).toMatchObject({ exit: 0, stderr: 'There is no open position in NSE:TCS.\n' })
  })
})

describe('one syntax for symbols, one name for verbs', () => {
  it.each([
    ['depth SBIN NSE', 'depth NSE:SBIN'],
    ['symbol sbin nse', 'symbol nse:sbin'],
    ['expiry NIFTY NFO', 'expiry NFO:NIFTY'],
    ['history SBIN NSE --interval D', 'history NSE:SBIN --interval D'],
    ['order margin SBIN NSE BUY 10', 'order margin NSE:SBIN BUY 10'],
    ['order list', 'order ls'],
    ['token list', 'token ls'],
    ['mode get', 'mode show'],
    ['risk show', 'risk get'],
    ['analyze status', 'analyze show'],
    ['broker status', 'broker get'],
  ])('svc %s is svc %s', async (one, other) => {
    const [first, second] = [await svc(one), await svc(other)]
    expect(second.exit).toBe(0)
    const names = (text: string) => text.replace(/\d[\d.]*/g, '#')
    expect(names(second.stdout)).toBe(names(first.stdout))
  })

  it('several symbols: an exchange belongs to the symbol before it', async () => {
    const { stdout } = await svc('quote SBIN BSE INFY NSE:TCS NSE_INDEX:NIFTY --columns symbol,exchange')
    expect(stdout).toBe('SBIN\tBSE\nINFY\tBSE\nTCS\tNSE\nNIFTY\tNSE_INDEX\n')
  })

  it('orders take both', async () => {
    for (const line of [
      'SBIN NSE BUY 10',
      'NSE:SBIN BUY 10',
      '--symbol NSE:SBIN --action BUY --quantity 10',
    ]) {
      expect([line, (await svc(`order place ${line} --product CNC`)).exit]).toEqual([line, 0])
    }
  })
})

describe('the reason of a refusal', () => {
  it('names the credential and its origin', async () => {
    const token = await svc('whoami', { env: { SVC_TOKEN: 'svc_pat_revoked' } })
    expect([token.exit, token.stderr]).toEqual([
      3,
      expect.stringContaining('The token in SVC_TOKEN is unknown'),
    ])
    const key = await svc('fund list', { env: { SVC_API_KEY: 'garbage' } })
    expect([key.exit, key.stderr]).toEqual([3, expect.stringContaining('The key in SVC_API_KEY was refused')])
    const flag = await svc('fund list --apikey garbage')
    expect(flag.stderr).toContain('The key from --apikey or --apikey-file was refused')
  })

  it('of a change in semi_auto mode does not blame the scopes', async () => {
    await enter('semi_auto')
    // The key alone counts: this token is none.
    const { exit, stderr } = await svc('order cancel 999', { env: { SVC_TOKEN: 'svc_pat_revoked' } })
    await enter('analyze')
    expect([exit, stderr]).toEqual([3, expect.stringContaining('not allowed in Semi-Auto mode')])
    expect(stderr).toContain('See the order mode and the broker: svc status')
    expect(stderr).not.toContain('scopes')
  })

  it('a cut search says so; expiries sort by date', async () => {
    const { stderr, stdout } = await svc('search nifty -q')
    expect(stdout.split('\n').length).toBe(501)
    expect(stderr).toContain('only the first 500 matches are shown')
    const expiries = (await svc('expiry NIFTY -q --sort expiry')).stdout
    expect(expiries).toBe((await svc('expiry NIFTY -q')).stdout)
  })

  it('approve-all counts in a sentence', async () => {
    await enter('semi_auto')
    await svc('order place SBIN NSE BUY 1 --product CNC')
    const { stdout } = await svc('approval approve-all --yes')
    await enter('analyze')
    expect(stdout).toBe('message\t1 approved, 1 executed.\n')
  })
})

it('svc doctor shows the port of the daemon and Indian times', async () => {
  const { port } = new URL(desk.gateway.url)
  const { stdout } = await svc('doctor')
  expect(stdout).toContain(`\tport\t${port} is used by the daemon\t`)
  expect(stdout).toMatch(/\tsession\tasha, until .*IST\t/)
})

it('svc flow webhook enable -q prints the id, and not the address, which has the token', async () => {
  const { body } = await desk.daemon.request<{ id: number }>('POST', '/flow/api/workflows', {
    name: 'Hooked',
  })
  const { exit, stdout } = await svc(`flow webhook enable ${body.id} -q`)
  expect([exit, stdout]).toEqual([0, `${body.id}\n`])
})
