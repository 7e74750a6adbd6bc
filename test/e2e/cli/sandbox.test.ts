import { describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
interface Setting {
  key: string
  value: string
  default: string
  range: string
}

describe('svc sandbox config', () => {
  it('lists every setting with its value, default, range and meaning', async () => {
    const rows = await desk.terminal.json<Setting[]>('sandbox config list')
    expect(rows).toHaveLength(22)
    expect(rows.find(({ key }) => key === 'equity_mis_leverage')).toEqual({
      key: 'equity_mis_leverage',
      value: '5',
      default: '5',
      range: '1 to 50',
      description: 'Leverage of intraday equity',
      group: 'leverage',
    })
    expect(rows.find(({ key }) => key === 'starting_capital')?.range).toContain('100000, 500000,')
  })

  it('completes the names of the settings in a shell', async () => {
    const { stdout } = await svc(['__complete', '--', 'sandbox', 'config', 'get', 'equity_m'])
    expect(stdout).toBe('equity_mis_leverage\t1 to 50\n')
  })

  it('sets one setting, or several, in both forms', async () => {
    expect((await svc('sandbox config set equity_mis_leverage 4')).exit).toBe(0)
    const { exit, stdout } = await svc('sandbox config set reset_day=Sunday reset_time=08:30 --json')
    expect(exit).toBe(0)
    expect(JSON.parse(stdout).map(({ key, value }: Setting) => [key, value])).toEqual([
      ['reset_day', 'Sunday'],
      ['reset_time', '08:30'],
    ])
    expect((await svc('sandbox config get equity_mis_leverage -q')).stdout).toBe('4\n')
  })

  it('refuses an unknown key with the nearest one, and a value with its range; nothing changes', async () => {
    const typo = await svc('sandbox config set equity_mis_levrage=3')
    expect([typo.exit, typo.stderr]).toEqual([
      2,
      expect.stringContaining('Did you mean equity_mis_leverage?'),
    ])
    const far = await svc('sandbox config set gtt_oco_margin_mode=sum equity_mis_leverage=90')
    expect([far.exit, far.stderr]).toEqual([
      2,
      expect.stringContaining('equity_mis_leverage accepts: 1 to 50'),
    ])
    expect(far.stderr).toContain('Already changed: gtt_oco_margin_mode')
    expect((await svc('sandbox config get equity_mis_leverage -q')).stdout).toBe('4\n')
  })
})

it('svc sandbox pnl shows the account, its days and its positions', async () => {
  await desk.daemon.place({ product: 'MIS' })
  const summary = await desk.terminal.json<{ total_capital: number; used_margin: number }>('sandbox pnl')
  expect(summary).toMatchObject({ total_capital: 10_000_000, reset_count: 0 })
  expect(summary.used_margin).toBeGreaterThan(0)
  expect((await svc('sandbox pnl positions -q')).stdout).toBe('SBIN\n')
  expect((await svc('sandbox pnl days --json')).stdout).toBe('[]\n')
  expect((await svc('sandbox pnl nonsense')).exit).toBe(2)
})

it('svc sandbox jobs lists when each job runs', async () => {
  const jobs = await desk.terminal.json<{ id: string }[]>('sandbox jobs')
  expect(jobs.map(({ id }) => id)).toEqual(expect.arrayContaining(['reset', 'square_off.MCX']))
})

describe('svc sandbox reset', () => {
  const isAsked = () => desk.gateway.received.some(({ path }) => path === '/sandbox/reset')

  it('needs the word RESET in a script', async () => {
    const { exit, stderr } = await svc('sandbox reset')
    expect([exit, stderr]).toEqual([2, expect.stringContaining('Pass --confirm RESET.')])
    expect((await svc('sandbox reset --confirm reset')).exit).toBe(2)
    expect(isAsked()).toBe(false)
  })

  it('shows the positions before the question; another word aborts with exit 1', async () => {
    const { exit, stdout } = await svc('sandbox reset', { typed: ['no'] })
    expect(exit).toBe(1)
    expect(stdout).toMatch(
      /ANALYZE \(simulated\).* broker simulated {2}simulated account: 1 open position, 0 holdings {2}value ₹/,
    )
    expect(stdout).toMatch(/SBIN +NSE +MIS +10 /)
    expect(stdout).toContain('Aborted: nothing was changed.')
    expect(isAsked()).toBe(false)
  })

  it('clears the account and its settings', async () => {
    expect((await svc('sandbox reset', { typed: ['RESET'] })).exit).toBe(0)
    expect((await svc('position list --json')).stdout).toBe('[]\n')
    expect((await svc('sandbox config get equity_mis_leverage -q')).stdout).toBe('5\n')
    expect(await desk.terminal.json('sandbox pnl')).toMatchObject({ used_margin: 0, reset_count: 1 })
  })
})
