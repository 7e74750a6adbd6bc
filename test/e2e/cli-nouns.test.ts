import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempFile } from '../support/files/temp.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { Terminal } from '../support/terminal.js'

/* Each market noun and each order verb once, on the real daemon. */
let daemon: DaemonProcess
let terminal: Terminal

beforeAll(async () => {
  daemon = await DaemonProcess.ready()
  terminal = new Terminal({
    home: join(daemon.home, 'terminal'),
    env: { SVC_URL: daemon.url, SVC_API_KEY: daemon.apikey, SVC_TOKEN: daemon.token },
  })
})
afterAll(() => daemon.dispose())

/** Returns the ids of an output with one id per line. */
const ids = async (line: string) => (await terminal.svc(`${line} -q`)).stdout.trim().split('\n')
const bare = (name = '') => name.replace(/^order\//, '')
const file = (content: unknown) => {
  const path = `${tempFile()}.json`
  writeFileSync(path, JSON.stringify(content))
  return path
}

describe('the market, read from the command line', () => {
  it.each<{ line: string; exit?: number; shows: RegExp }>([
    {
      line: 'quote SBIN BSE:SBIN NSE_INDEX:NIFTY',
      shows: /^SBIN\tNSE\t[\d.]+.*\nSBIN\tBSE\t.*\nNIFTY\tNSE_INDEX\t/,
    },
    { line: 'quote SBIN NOPE', exit: 4, shows: /^SBIN\tNSE\t/ },
    { line: 'depth SBIN NSE', shows: /^(\d+\t[\d.]+\t[\d.]+\t\d+\n){5}$/ },
    { line: 'depth SBIN NSE --json', shows: /"bids": \[/ },
    { line: 'depth NOPE NSE', exit: 4, shows: /^$/ },
    { line: 'history SBIN NSE --interval 1h', shows: /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\+05:30\t[\d.]+\t/ },
    { line: 'history SBIN NSE --interval 5m --chart', shows: /^[\d,.]+ ┤.*█/ },
    { line: 'history SBIN NSE --interval 7m', exit: 2, shows: /^$/ },
    { line: 'search reliance --exchange NSE -q', shows: /^RELIANCE\n/ },
    { line: 'search zzzzzz', exit: 4, shows: /^$/ },
    { line: 'symbol SBIN NSE', shows: /lotsize\t1\n/ },
    { line: 'symbol NOPE NSE', exit: 4, shows: /^$/ },
    { line: 'expiry NIFTY', shows: /^\d\d-[A-Z]{3}-\d\d\n/ },
    { line: 'expiry NIFTY --type futures -q', shows: /^\d\d-[A-Z]{3}-\d\d\n/ },
    { line: 'chain NIFTY --strikes 1 --greeks', shows: /^(-?[\d.]+\t){10}-?[\d.]+\n/ },
    { line: 'chain RELIANCE --strikes 1 --json', shows: /"atm_strike": \d+/ },
    { line: 'chain NOPE', exit: 4, shows: /^$/ },
    { line: 'stream SBIN --count 1', shows: /^\{"symbol":"SBIN","exchange":"NSE",.*"ltp":/ },
    { line: 'stream NOPE --count 1', exit: 4, shows: /^$/ },
    { line: 'order margin SBIN NSE BUY 100', shows: /^total_margin_required\t[1-9]/ },
  ])('svc $line', async ({ line, exit = 0, shows }) => {
    const done = await terminal.svc(line)
    expect({ exit: done.exit, said: done.stderr }).toMatchObject({ exit })
    expect(done.stdout).toMatch(shows)
  })

  it('shows the Greeks of an option from the chain', async () => {
    const chain = JSON.parse((await terminal.svc('chain NIFTY --strikes 1 --json')).stdout)
    const { symbol } = chain.chain[1].ce
    const [row] = JSON.parse((await terminal.svc(`greeks ${symbol} --json`)).stdout)
    expect(row).toMatchObject({ symbol, greeks: { delta: expect.closeTo(0.5, 0) } })
  })
})

describe('orders of every kind, from the command line', () => {
  /** A price below the market, which moves from day to day, and within its price band. */
  let far = 0
  beforeAll(async () => {
    far = await daemon.priceAt(0.97)
  })
  const limit = () => ids(`order place SBIN NSE BUY 10 --type LIMIT --price ${far} --product CNC`)

  it('changes only the given fields of a pending order', async () => {
    const [id] = await limit()
    expect((await terminal.svc(`order modify ${id} --price ${far + 1}`)).exit).toBe(0)
    const changed = JSON.parse((await terminal.svc(`order status ${id} --json`)).stdout)
    expect(changed).toMatchObject({ price: far + 1, quantity: 10, product: 'CNC', order_status: 'open' })
    expect(changed.mode).toBe('live')
    expect((await terminal.svc(`order modify ${id}`)).exit).toBe(2)
    expect((await terminal.svc(`order cancel ${id}`)).exit).toBe(0)
    expect((await terminal.svc(`order cancel ${id}`)).exit).toBe(5)
  })

  it('tries to cancel each of several orders, and names the one that failed', async () => {
    const [first] = await limit()
    const [second] = await limit()
    expect((await terminal.svc(`order cancel ${first}`)).exit).toBe(0)
    const { exit, stdout, stderr } = await terminal.svc(`order cancel ${first} ${second} --quiet`)
    expect([exit, stdout]).toEqual([5, `${bare(second)}\n`])
    expect(stderr).toContain(`order ${first}: `)
    expect(stderr).toContain('error: 1 of 2 failed.')
    expect(JSON.parse((await terminal.svc(`order status ${second} --json`)).stdout)).toMatchObject({
      order_status: 'cancelled',
    })
  })

  it('cancels all orders only after a yes', async () => {
    const placed = [...(await limit()), ...(await limit())]
    expect((await terminal.svc('order cancel-all')).exit).toBe(2)
    const { exit, stdout } = await terminal.svc('order cancel-all --yes')
    expect(exit).toBe(0)
    for (const name of placed) expect(stdout).toContain(`${bare(name)}\tcancelled`)
  })

  it('reports each order of a request, and exits with a failure when one failed', async () => {
    const line = {
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 1,
      pricetype: 'MARKET',
      product: 'MIS',
    }
    const good = await terminal.svc(`order basket ${file([line, { ...line, symbol: 'INFY' }])}`)
    expect(good).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/SBIN.*success[\s\S]*INFY.*success/),
    })
    const half = await terminal.svc(`order basket ${file({ orders: [line, { ...line, symbol: 'NOPE' }] })}`)
    expect(half).toMatchObject({ exit: 5, stdout: expect.stringMatching(/SBIN.*success[\s\S]*NOPE.*error/) })
    const split = await terminal.svc('order split SBIN NSE BUY 105 --split-size 50')
    expect(split).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^1\t50\tsuccess.*\n2\t50.*\n3\t5\t/),
    })
  })

  it('buys an option by its offset from the money, alone and as a strategy', async () => {
    const [, expiry = ''] = await ids('expiry NIFTY')
    const date = expiry.replaceAll('-', '')
    const alone = await terminal.svc(
      `order options NIFTY NSE_INDEX BUY 65 --expiry ${date} --offset OTM1 --option-type CE --product NRML`,
    )
    expect(alone).toMatchObject({ exit: 0, stdout: expect.stringMatching(/symbol\tNIFTY\S+CE/) })
    const leg = { offset: 'ATM', action: 'BUY', quantity: 65 }
    const straddle = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: date }
    const legs = ['CE', 'PE'].map((option_type) => ({ ...leg, option_type }))
    const both = await terminal.svc(`order options-multi ${file({ ...straddle, legs })}`)
    expect(both).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/CE[\s\S]*success[\s\S]*PE[\s\S]*success/),
    })
  })

  it('sets the size of a position, closes it, and closes all', async () => {
    expect((await terminal.svc('order smart TCS NSE BUY 0 --position-size 5')).exit).toBe(0)
    expect((await terminal.svc('position close TCS NSE')).exit).toBe(0)
    const again = await terminal.svc('position close TCS NSE')
    expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining('no open position in NSE:TCS') })
    expect((await terminal.svc('position close-all')).exit).toBe(2)
    expect((await terminal.svc('position close-all --yes')).exit).toBe(0)
    const left = JSON.parse((await terminal.svc('position list --json')).stdout)
    expect(left.filter(({ quantity }: { quantity: number }) => quantity !== 0)).toEqual([])
  })

  it('an OCO needs no price besides its two limits', async () => {
    const legs = '--trigger-sl 500 --stoploss 499 --trigger-tg 5000 --target 5001'
    const [id] = await ids(`order gtt place SBIN NSE SELL 1 --product CNC --trigger-type OCO ${legs}`)
    expect((await terminal.svc(`order gtt cancel ${id}`)).exit).toBe(0)
  })

  it('places, lists, changes and cancels a GTT', async () => {
    const [id] = await ids(
      'order gtt place SBIN NSE BUY 10 --product CNC --type LIMIT --price 800 --trigger-sl 805',
    )
    expect((await terminal.svc('order gtt list')).stdout).toMatch(
      new RegExp(`^${id}\tactive\tsingle\tSBIN\tNSE\t805\tBUY 10 LIMIT 800`, 'm'),
    )
    const changed = `order gtt modify ${id} SBIN NSE BUY 12 --product CNC --type LIMIT --price 801 --trigger-sl 806`
    expect((await terminal.svc(changed)).exit).toBe(0)
    expect((await terminal.svc('order gtt list')).stdout).toContain('BUY 12 LIMIT 801')
    expect((await terminal.svc(`order gtt cancel ${id}`)).exit).toBe(0)
  })
})

describe('workflows, from the command line', () => {
  const workflow = (quantity: number) => ({
    id: 'buyer',
    name: 'Buyer',
    nodes: {
      go: { type: 'start', next: 'buy' },
      buy: {
        type: 'placeOrder',
        with: { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity, product: 'MIS' },
      },
    },
  })

  it('applies a file, runs it, and shows the result', async () => {
    const path = file(workflow(1))
    const sent = async () => (await ids('order list')).length
    expect((await terminal.svc(`flow plan ${path}`)).exit).toBe(9)
    expect((await terminal.svc(`flow apply ${path}`)).exit).toBe(0)
    expect((await terminal.svc(`flow plan ${path}`)).exit).toBe(0)
    const before = await sent()
    expect((await terminal.svc('flow run buyer --dry-run')).exit).toBe(0)
    expect(await sent()).toBe(before)
    expect((await terminal.svc('flow run buyer')).exit).toBe(0)
    expect(await sent()).toBe(before + 1)
    expect((await terminal.svc('flow executions buyer')).stdout).toMatch(/^\d+\tcompleted\tmanual\t1\t/)
    expect((await terminal.svc(`flow apply ${file(workflow(2))}`)).stdout).toBe(
      '~ update buyer (version 2)\n    ~ nodes.buy.with.quantity: 1 -> 2\n',
    )
    expect((await terminal.svc('flow delete buyer --yes')).exit).toBe(0)
    expect((await terminal.svc('flow show buyer')).exit).toBe(4)
  })
})
