import { join } from 'node:path'
import stringWidth from 'string-width'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
const CNC = { product: 'CNC', strategy: 'swing' }

describe('a live order', () => {
  let id = ''
  beforeAll(async () => {
    await desk.daemon.analyze(false)
    await desk.daemon.place(CNC)
    id = (await svc('order list -q')).stdout.split('\n')[0] ?? ''
  })
  afterAll(() => desk.daemon.analyze(true))

  it('asked for by its id, has what the journal knows of it', async () => {
    expect(await desk.terminal.json(`order status ${id}`)).toMatchObject({
      orderid: id,
      strategy: 'swing',
      state: 'filled',
      order_status: 'complete',
      order_ref: expect.stringMatching(/^\w{18}$/),
    })
  })

  it('asked for in Analyzer mode, is reported as one of Live mode, and the reverse', async () => {
    await desk.daemon.analyze(true)
    const live = await svc(`order status ${id}`)
    await desk.daemon.place(CNC)
    const simulated = (await svc('order list -q')).stdout.split('\n')[0] ?? ''
    await desk.daemon.analyze(false)
    const other = await svc(`order status ${simulated}`)
    expect([live.exit, live.stderr]).toEqual([
      4,
      expect.stringContaining(`Order ${id} not found in Analyzer mode: it is an order of Live mode`),
    ])
    expect([other.exit, other.stderr]).toEqual([
      4,
      expect.stringContaining('not found in Live mode: it is an order of Analyzer mode'),
    ])
  })
})

describe('orders', () => {
  it('the number of cancelled orders is in words', async () => {
    const resting = { ...CNC, price: await desk.daemon.priceAt(0.95), pricetype: 'LIMIT' }
    await desk.daemon.place(resting)
    expect((await svc('order cancel-all --yes')).stderr).toMatch(/^Cancelled 1 order\.$/m)
    for (const _ of [1, 2]) await desk.daemon.place(resting)
    expect((await svc('order cancel-all --yes')).stderr).toMatch(/^Cancelled 2 orders\.$/m)
  })

  it('an order without its exchange is told so', async () => {
    const { exit, stderr } = await svc('order place SBIN BUY 10')
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining('The exchange of SBIN is missing. Example: NSE:SBIN'),
    ])
  })

  it('on 80 columns the price of the fills has priority over the limit price', async () => {
    await desk.daemon.place(CNC)
    const { stdout } = await svc('order list -o table', { env: { COLUMNS: '80' } })
    expect(stdout.split('\n')[0]).toMatch(/ AVG /)
  })

  it('columns are named by their field or their heading, in any case', async () => {
    const [named, titled] = [
      await svc('order list --columns orderid,average_price --sort -timestamp'),
      await svc('order list --columns ORDER,avg --sort -TIME'),
    ]
    expect(titled).toEqual(named)
    expect(named.stdout).not.toBe('')
    expect((await svc('order list --columns ORDRE')).exit).toBe(2)
  })
})

describe('tables', () => {
  it('svc sandbox config list groups amounts, for people only', async () => {
    expect((await svc('sandbox config list -o table')).stdout).toMatch(/starting_capital +1,00,00,000\.00/)
    expect((await svc('sandbox config list')).stdout).toMatch(/starting_capital\t10000000\.00\t/)
  })

  it('svc search lists contracts by their expiry', async () => {
    const { stdout } = await svc('search NIFTY 26000 --exchange NFO --columns expiry')
    const days = stdout
      .trim()
      .split('\n')
      .map((text) => Date.parse(text))
    expect(new Set(days).size).toBeGreaterThan(3)
    expect(days).toEqual(days.toSorted((a, b) => a - b))
  })

  it('svc broker status describes the feed in words', async () => {
    expect((await svc('broker status')).stdout).toMatch(/^feed\t(live|lost|connected|not connected)[^{}]*$/m)
  })

  it.each([80, 100, 200])('help wraps on %i columns', async (columns) => {
    for (const line of ['order --help', 'flow --help', 'help config', '--help']) {
      const { stdout } = await svc(line, { env: { COLUMNS: String(columns) } })
      const wide = stdout.split('\n').filter((text) => stringWidth(text) > Math.min(100, columns))
      expect([line, wide.filter((text) => !text.startsWith('  svc '))]).toEqual([line, []])
    }
  })
})

describe('small commands', () => {
  it('svc broker use of an unknown broker lists the brokers', async () => {
    const { exit, stderr } = await svc('broker use nope --confirm LIVE')
    expect([exit, stderr]).toEqual([4, expect.stringMatching(/Broker nope not found\. Brokers: .*simulated/)])
  })

  it('svc config get prints the value alone in a pipe', async () => {
    expect((await svc('config get LOG_LEVEL')).stdout).toBe('INFO\n')
    expect((await svc('config get LOG_LEVEL --show-origin')).stdout).toBe('INFO\tdefault\n')
    expect(await desk.terminal.json('config get LOG_LEVEL')).toMatchObject({ key: 'LOG_LEVEL' })
  })

  it('svc api takes the method as an option', async () => {
    expect((await svc('api -X GET /version --jq .name')).stdout).toBe('svc\n')
    expect((await svc('api -X HEAD /version')).stderr).toContain('"HEAD" is not a method')
    expect((await svc('api -X GET POST /version')).exit).toBe(2)
  })

  it('svc api refuses a header that cannot be sent', async () => {
    const { exit, stderr } = await desk.terminal.svc(['api', '/version', '-H', 'x: é€'])
    expect([exit, stderr]).toEqual([2, expect.stringContaining('the value of x has the character "€"')])
    expect((await desk.terminal.svc(['api', '/version', '-H', 'x: é'])).exit).toBe(0)
  })

  it('svc open without a page is the documentation', async () => {
    expect((await svc('open -q')).stdout).toMatch(/\/docs\n$/)
  })

  it('svc flow runs lists runs', async () => {
    const { exit, stderr } = await svc('flow runs nothing')
    expect([exit, stderr]).toEqual([4, expect.stringContaining('There is no workflow "nothing"')])
  })

  it('svc flow graph draws each workflow of a folder, and refuses scenarios', async () => {
    const folder = join(import.meta.dirname, '../../../flows')
    const { exit, stdout } = await svc(`flow graph ${folder}`)
    expect([exit, stdout]).toEqual([0, expect.stringContaining('opening-range-breakout.yaml\n')])
    expect(stdout).not.toContain('.test.yaml')
    const scenario = await svc(`flow graph ${folder}/opening-range-breakout.test.yaml`)
    expect([scenario.exit, scenario.stderr]).toEqual([
      2,
      expect.stringContaining('has scenarios, not a workflow'),
    ])
  })

  it('svc event follow --since 0 misses nothing', async () => {
    const env = { SVC_URL: desk.daemon.url }
    const { stdout, stderr } = await svc('event follow --since 0 --count 1', { env })
    expect(stdout.trim().split('\n').length).toBe(1)
    expect(stderr).not.toContain('missed')
  })
})

describe('svc status of a daemon that is not ready', () => {
  it.each([
    ['starting', 'pending', 'ok', 0],
    ['stopping', 'done', 'ok', 0],
    ['not_ready', 'done', 'svc.db was removed or replaced', 1],
  ])('is %s when recovery is %s and storage is %s', async (state, recovery, storage, exit) => {
    const requests = 'refused'
    const checks = { recovery, requests, storage, broker: 'connected', instruments: 1 }
    desk.gateway.on('GET /health/ready', { status: 503, text: JSON.stringify({ status: 'fail', checks }) })
    const done = await svc('status')
    expect([done.exit, done.stdout]).toEqual([exit, expect.stringContaining(`state\t${state}\n`)])
    if (exit === 1) expect(done.stderr).toContain(`Nothing can be stored: ${storage}`)
  })
})

describe('completion', () => {
  const completed = async (...words: string[]) =>
    (await desk.terminal.svc(['__complete', '--', ...words])).stdout
  it.each([
    [['order', 'list', '--strategy', 's'], 'swing'],
    [['order', 'list', '--columns', 'orderid,ave'], 'orderid,average_price'],
    [['position', 'list', '--sort', '-p'], '-pnl'],
    [['event', 'follow', '--event', 'pending'], 'pending_order_created'],
  ])('%j suggests %s', async (words, expected) => {
    await desk.daemon.place(CNC)
    expect(await completed(...words)).toContain(expected)
  })
})
