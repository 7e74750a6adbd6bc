import { describe, expect, it } from 'vitest'
import { FAKE_ACCOUNT, FakeKite } from '../../fixtures/fake-kite/server.js'
import { CliDesk, type Running } from '../../support/desk/cli-desk.js'

const { accessToken, apiKey } = FAKE_ACCOUNT
const LIMITS = ['max_order_value', 'max_day_loss', 'price_band_percent'] as const

async function open({ isSignedIn = true } = {}) {
  const fake = await FakeKite.start({ limits: 'none' })
  const { api, ticker } = fake.endpoints
  const cli = await CliDesk.open({ env: { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}` } })
  await cli.service.brokers.use('zerodha')
  if (isSignedIn) {
    const stdin = JSON.stringify({ api_key: apiKey, access_token: accessToken })
    expect((await cli.svc('broker login --from -', { stdin })).exit).toBe(0)
  }
  const check = async (running: Running = {}) => {
    const ran = await cli.svc('live check', running)
    return {
      ...ran,
      line: (name: string) => ran.stdout.split('\n').find((line) => line.split('\t')[1] === name),
    }
  }
  return { fake, cli, check, rules: () => cli.service.risk.rules }
}

describe('svc live check without a terminal', () => {
  it('asks nothing, changes nothing, and names the commands that set what is missing', async () => {
    const { check, rules, fake } = await open()
    const before = rules()
    const ran = await check()
    expect(ran.exit).toBe(1)
    for (const limit of LIMITS)
      expect(ran.line(limit)).toMatch(new RegExp(`^fail.*svc risk set ${limit}=\\d+$`))
    // The clock of this test runs ahead of the broker's, so nothing is said of the clock and the heartbeats.
    for (const good of ['broker', 'session', 'address', 'funds', 'quotes', 'instruments', 'kill switch'])
      expect(ran.line(good)).toMatch(/^ok/)
    expect(ran.stderr).toContain('Not ready for Live mode')
    expect(rules()).toEqual(before)
    expect(fake.ledger.placed).toEqual([])
  })

  it('says that a symbol is not listed, and how to find it, in any spelling', async () => {
    const { cli } = await open()
    for (const words of ['FOO', 'foo NSE', 'NSE:FOO']) {
      const { exit, stdout } = await cli.svc(`live check ${words}`)
      const line = stdout.split('\n').find((one) => one.includes('\tquotes\t'))
      expect([exit, line]).toEqual([
        1,
        expect.stringMatching(/^fail.*Symbol FOO not found on NSE\.\tsvc search FOO/),
      ])
      expect(line).not.toContain('data plan')
    }
  })

  it('fails at a broker that trades nothing', async () => {
    const { cli, check } = await open()
    await cli.service.brokers.use('simulated')
    expect((await check()).line('broker')).toMatch(/^fail.*its orders reach no market.*svc broker use/)
  })

  it('says that nobody is signed in', async () => {
    const { check } = await open({ isSignedIn: false })
    const { exit, line } = await check()
    expect([exit, line('session')]).toEqual([1, expect.stringMatching(/^fail.*svc broker login/)])
    expect(line('quotes')).toMatch(/^fail/)
  })

  it('says that the app has no data plan', async () => {
    const { fake, check } = await open()
    fake.script.set({
      route: 'quote',
      actions: ['reject:PermissionException:Insufficient permission for that call.'],
    })
    expect((await check()).line('quotes')).toMatch(/^fail.*Insufficient permission.*data plan/)
  })

  it('shows the words of the broker about a refused address', async () => {
    const { fake, cli, check } = await open()
    const words = 'The IP 203.0.113.7 is not allowed to place orders for this app.'
    fake.script.set({ route: 'place', actions: [`reject:PermissionException:${words}`] })
    await cli.svc('order place INFY NSE BUY 1 --product MIS --yes')
    expect((await check()).line('address')).toMatch(/^fail.*The IP 203\.0\.113\.7 is not allowed/)
  })

  it('fails while the kill switch is on', async () => {
    const { cli, check } = await open()
    await cli.svc('risk kill --reason lunch')
    expect((await check()).line('kill switch')).toMatch(/^fail.*lunch.*svc risk resume/)
  })
})

describe('svc live check on a terminal', () => {
  it('stores what the person accepts or types, and asks again for what is no number', async () => {
    const { check, rules } = await open()
    const ran = await check({ answers: ['', 'much', '0', '2,500', ''] })
    expect(ran.stderr).toContain('a tenth of the funds')
    expect(ran.stderr).toContain('max_day_loss must be a number above 0')
    expect(rules()).toMatchObject({ max_day_loss: 2500, price_band_percent: 2 })
    expect(rules().max_order_value).toBeLessThan(200_000_000)
    for (const limit of LIMITS) expect(ran.line(limit)).toMatch(/^ok/)
  })

  it('does not ask for what is set', async () => {
    const { cli, check, rules } = await open()
    await cli.svc('risk set max_order_value=5000 max_day_loss=500 price_band_percent=3')
    await check({ answers: [] })
    expect(rules()).toMatchObject({ max_order_value: 5000, max_day_loss: 500, price_band_percent: 3 })
  })

  it('asks nothing with --json, or while nothing can be proposed', async () => {
    const { cli } = await open()
    const { exit, stdout } = await cli.svc('live check --json', { answers: [] })
    expect([exit, JSON.parse(stdout)]).toEqual([
      1,
      expect.arrayContaining([expect.objectContaining({ check: 'max_day_loss', status: 'fail' })]),
    ])
    const { check } = await open({ isSignedIn: false })
    expect((await check({ answers: [] })).exit).toBe(1)
  })
})
