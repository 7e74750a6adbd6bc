import { beforeEach, describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
const CHANGES =
  /cancelallorder|closeposition|approve-all|analyze-mode|kill-switch|workflows\/\d+$|broker\/use/
const changes = () =>
  desk.gateway.received.filter(({ method, path }) => method !== 'GET' && CHANGES.test(path)).length
const refuse = async (line: string) => {
  const { exit, stdout } = await svc(line, { tty: 'all', stdin: 'n\n', env: { NO_COLOR: '1' } })
  expect({ line, exit, changes: changes() }).toEqual({ line, exit: 1, changes: 0 })
  expect(stdout).toContain('Aborted: nothing was changed.')
  return stdout
}

/** Places an order that waits. @returns its value as the screen shows it */
const waiting = async () => {
  const price = await desk.daemon.priceAt(0.95, 'INFY')
  await desk.daemon.place({ pricetype: 'LIMIT', price, quantity: 7, symbol: 'INFY', product: 'CNC' })
  return `₹${(price * 7).toLocaleString('en-IN', { minimumFractionDigits: 2 })}`
}

beforeEach(async () => {
  await desk.daemon.analyze(true)
  await desk.daemon.request('POST', '/sandbox/reset')
  desk.gateway.reset()
})

describe('before a dangerous act, a person sees mode, broker, count, value and the list', () => {
  it('order cancel-all', async () => {
    const value = await waiting()
    const stdout = await refuse('order cancel-all')
    expect(stdout).toContain(`ANALYZE (simulated)  broker simulated  1 waiting order  value ${value}\n`)
    expect(stdout).toMatch(/INFY +NSE +BUY .* 7 .*open/)
    expect(stdout).toContain('Cancel every waiting order? [y/N]')
  })

  it('position close-all', async () => {
    await desk.daemon.place()
    const stdout = await refuse('position close-all')
    expect(stdout).toMatch(
      /ANALYZE \(simulated\) {2}broker simulated {2}1 open position {2}value ₹[\d,]+\.\d\d\n/,
    )
    expect(stdout).toMatch(/SBIN +NSE +CNC +10 /)
  })

  it('approval approve-all', async () => {
    await desk.daemon.orderMode('semi_auto')
    await desk.daemon.place({ pricetype: 'LIMIT', price: '850' })
    const stdout = await refuse('approval approve-all')
    expect(stdout).toMatch(/1 waiting order {2}1 order to send {2}.*value ₹8,500\.00\n/)
    expect(stdout).toMatch(/BUY +10 +SBIN +NSE +CNC +LIMIT/)
    await desk.daemon.orderMode('auto')
    const [{ id } = { id: 0 }] = await desk.terminal.json<{ id: number }[]>('approval list')
    await svc(`approval reject ${id}`)
  })

  it('analyze off names the broker and the workflows that would trade', async () => {
    const stdout = await refuse('analyze off')
    expect(stdout).toContain('broker simulated  order mode auto  0 active workflows\n')
    expect(stdout).toContain('Orders will reach simulated. Type LIVE to continue: ')
    const live = await svc('analyze off --confirm LIVE')
    expect(live.stderr).toContain('LIVE: orders reach the broker simulated from now on')
  })

  it('mode set auto and broker use name the broker while orders are live', async () => {
    await desk.daemon.analyze(false)
    const auto = await refuse('mode set auto')
    expect(auto).toContain('LIVE  broker simulated  account SIMULATED\n')
    expect(auto).toContain('Orders will reach simulated without approval. Type LIVE')
    expect(await refuse('broker use zerodha')).toContain(
      'Live orders will go to zerodha instead of simulated.',
    )
  })

  it('flow delete shows the workflows and how many are active', async () => {
    const nodes = [
      { id: '1', type: 'start', position: { x: 0, y: 0 }, data: { scheduleType: 'daily', time: '09:20' } },
    ]
    const { body } = await desk.daemon.request<{ id: number }>('POST', '/flow/api/workflows', {
      name: 'opening',
      nodes,
      edges: [],
    })
    const stdout = await refuse(`flow delete opening`)
    expect(stdout).toContain('1 workflow  0 active\n')
    expect(stdout).toMatch(new RegExp(`${body.id} .*opening`))
  })
})

it('risk kill acts at once, and shows a person what it does not touch', async () => {
  await waiting()
  await desk.daemon.place()
  desk.gateway.reset()
  const { exit, stdout } = await svc('risk kill', { tty: 'all', env: { NO_COLOR: '1' } })
  expect(exit).toBe(0)
  const [first] = desk.gateway.received
  expect(`${first?.method} ${first?.path}`).toBe('POST /risk/kill-switch')
  expect(stdout).toMatch(/1 waiting order[\s\S]*INFY[\s\S]*Cancel them: svc order cancel-all/)
  expect(stdout).toMatch(/1 open position[\s\S]*SBIN[\s\S]*Close them: svc position close-all/)
  await svc('risk resume --confirm RESUME')
})

it('--yes in a script reads nothing before the act, and where it went after it', async () => {
  await svc('order cancel-all --yes')
  expect(desk.gateway.received.map(({ path }) => path)).toEqual(['/api/v1/cancelallorder', '/api/v1/desk'])
})
