import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandDesk, strangerAt } from '../../support/desk/command-desk.js'
import { reaches } from '../../support/desk/desk-state.js'
import { tempFile } from '../../support/files/temp.js'
import { PASSWORD, USERNAME } from '../../support/process/daemon-process.js'

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
const changes = () => desk.gateway.received.filter(({ method }) => method !== 'GET')
const done = async (line: string) => {
  const { exit, stderr } = await svc(line)
  expect({ line, exit, stderr }).toMatchObject({ line, exit: 0 })
}

describe('the session commands', () => {
  it('mode set and get', async () => {
    await done('mode set semi_auto')
    expect(desk.gateway.last('POST /apikey/mode').body).toEqual({ user_id: USERNAME, mode: 'semi_auto' })
    expect((await svc('mode get')).stdout).toBe('mode\tsemi_auto\n')
    await done('mode set auto')
    expect(await desk.terminal.json('mode get')).toEqual({ mode: 'auto' })
  })

  it('analyze on, off and status', async () => {
    await done('analyze off --confirm=LIVE')
    expect(await desk.terminal.json('analyze status')).toEqual({ analyze_mode: false, mode: 'live' })
    await done('analyze on')
    expect(await desk.terminal.json('analyze status')).toEqual({ analyze_mode: true, mode: 'analyze' })
  })

  it('token create, list and revoke', async () => {
    const made = await desk.terminal.json<{ token: string; id: number }>(
      'token create --name cron --scope approvals,orders --expires 90d',
    )
    expect(Object.keys(made)).toEqual([
      ...['token', 'id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'],
    ])
    expect(desk.gateway.last('POST /auth/tokens').body).toEqual({
      name: 'cron',
      scopes: ['approvals', 'orders'],
      expires: '90d',
    })
    type Listed = { id: number; revoked_at: string | null }
    const revokedAt = async () =>
      (await desk.terminal.json<Listed[]>('token list')).find(({ id }) => id === made.id)?.revoked_at
    expect(await revokedAt()).toBeNull()
    await done(`token revoke ${made.id} -y`)
    expect(await revokedAt()).toMatch(/^\d{4}-\d\d-\d\dT/)
  })

  it('session list and revoke', async () => {
    const other = await desk.daemon.request<{ token: string }>('POST', '/auth/login', {
      username: USERNAME,
      password: 'Passw0rd!',
    })
    const ids = async () => (await svc('session list -q')).stdout.trim().split('\n')
    const all = await ids()
    expect(all).toHaveLength(2)
    const whose = (token: string) => ({ authorization: `Bearer ${token}` })
    const { current_session_id: theirs } = (
      await desk.daemon.request<{ current_session_id: string }>(
        'GET',
        '/auth/active-sessions',
        undefined,
        whose(other.body.token),
      )
    ).body
    await done(`session revoke ${theirs} --yes`)
    expect(await ids()).toEqual(all.filter((id) => id !== theirs))
  })

  it('risk set rule=default restores the default of a rule', async () => {
    await done('risk set max_order_value=off')
    const { exit, stdout } = await desk.terminal.svc('risk set max_order_value=default --json')
    expect(exit).toBe(0)
    const { rules, defaults } = JSON.parse(stdout)
    expect(defaults.max_order_value).toBeGreaterThan(0)
    expect(rules.max_order_value).toBe(defaults.max_order_value)
    expect((await desk.terminal.svc('risk set nonsense=default')).exit).toBe(2)
  })

  it('risk set, show, kill and resume', async () => {
    await done('risk set max_order_value=500000 max_day_loss=off allowed_exchanges=NSE')
    expect(desk.gateway.last('PUT /risk').body).toEqual({
      max_order_value: 500_000,
      max_day_loss: null,
      allowed_exchanges: ['NSE'],
    })
    await done('risk set allowed_products=MIS,CNC')
    await done('risk kill --reason drill')
    type Risk = { rules: object; kill_switch: object }
    expect(await desk.terminal.json<Risk>('risk show')).toMatchObject({
      rules: { max_order_value: 500_000, allowed_exchanges: ['NSE'], allowed_products: ['MIS', 'CNC'] },
      kill_switch: { on: true, reason: 'drill' },
    })
    await done('risk resume --confirm RESUME')
    await done('risk set max_order_value=off allowed_exchanges=off allowed_products=off')
    expect((await desk.terminal.json<Risk>('risk show')).kill_switch).toMatchObject({ on: false })
    const refused = await svc('risk set nonsense=1')
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('nonsense')])
  })

  it('broker use, list, status, login and logout', async () => {
    await done('broker use simulated')
    expect((await svc('broker list -q')).stdout).toContain('simulated\n')
    expect(Object.keys(await desk.terminal.json('broker status'))).toEqual(
      expect.arrayContaining([
        'broker',
        'available',
        'connected',
        'session_expires_at',
        'instruments',
        'feed',
        'in_doubt',
      ]),
    )
    await svc('broker login --field user=a --field pin=1=2')
    expect(desk.gateway.last('POST /broker/login').body).toEqual({ fields: { user: 'a', pin: '1=2' } })
    await done('broker logout --yes')
    expect(await desk.terminal.json('broker status')).toMatchObject({ connected: false })
    await done('broker login')
    expect(await desk.terminal.json('broker status')).toMatchObject({ connected: true })
  })

  it('order settle', async () => {
    await desk.daemon.analyze(false)
    await desk.daemon.request('PUT', '/broker/simulated/faults', [
      { on: ['place'], kind: 'lose_request', times: 1 },
      { on: ['findByTag'], kind: 'fail', httpStatus: 503, message: 'away' },
    ])
    await desk.daemon.place()
    const { order_ref: ref } = await reaches(desk.daemon, 'unknown')
    expect((await svc('order journal -q')).stdout).toBe(`${ref}\n`)
    const refused = await svc(`order settle ${ref} --outcome rejected --reason seen`)
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('Pass --yes.')])
    // The broker's book could not be read, so the order may be in it.
    const unread = await svc(`order settle ${ref} --outcome rejected --reason seen --yes`)
    expect([unread.exit, unread.stderr]).toEqual([5, expect.stringContaining('--force')])
    await done(`order settle ${ref} --outcome rejected --reason seen --yes --force`)
    await reaches(desk.daemon, 'rejected')
    await desk.daemon.request('PUT', '/broker/simulated/faults', [])
    await desk.daemon.analyze(true)
  })

  it('apikey show and rotate: the new key is stored and the old one refused', async () => {
    const former = desk.daemon.apikey
    expect((await svc('apikey show -q')).exit).toBe(2)
    expect((await svc('apikey show --reveal -q')).stdout).toBe(`${former}\n`)
    await done('apikey rotate --yes')
    const { api_key: key } = (await desk.daemon.request<{ api_key: string }>('GET', '/apikey')).body
    expect(key).not.toBe(former)
    await done('fund list')
    expect(desk.gateway.last('POST /api/v1/funds').body).toEqual({ apikey: key })
    expect((await svc(['fund', 'list', '--apikey', former])).exit).toBe(3)
    desk.daemon.apikey = key
  })
})

describe('svc broker sync', () => {
  const HEADING =
    'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange'
  const dump = (...lines: string[]) => {
    const file = tempFile('dump.csv')
    writeFileSync(file, `${[HEADING, ...lines].join('\n')}\n`)
    return file
  }
  const SBIN = '779521,3045,SBIN,STATE BANK OF INDIA,0,,0,0.05,1,EQ,NSE,NSE'

  it('replaces the instruments by a much smaller dump only with --force, and names the refused lines', async () => {
    const file = dump(SBIN, '1,1,,no symbol,0,,0,0.05,1,EQ,NSE,NSE')
    const small = await svc(`broker sync --from ${file}`)
    expect([small.exit, small.stderr]).toEqual([5, expect.stringContaining('--force')])
    const asked = desk.gateway.last('POST /broker/sync')
    expect([asked.path, asked.headers['content-type']]).toEqual(['/broker/sync', 'text/csv'])
    const forced = await svc(`broker sync --from ${file} --force`)
    expect(desk.gateway.last('POST /broker/sync').path).toBe('/broker/sync?force=true')
    expect([forced.exit, forced.stderr]).toEqual([0, expect.stringMatching(/^line 3: /m)])
    expect(forced.stdout).toMatch(/^count\t1$/m)
    await done('broker sync --force')
    expect(desk.gateway.last('POST /broker/sync').path).toBe('/broker/sync?force=true')
    expect(Object.keys(await desk.terminal.json('broker sync'))).toEqual(['count', 'skipped', 'rejected'])
  })
})

describe('a destructive command', () => {
  const lines = ['apikey rotate', 'broker logout', 'order settle ref1 --outcome rejected --reason seen']
  it.each(lines)(
    'svc %s needs --yes in a script, and does nothing after a no on a terminal',
    async (line) => {
      const scripted = await svc(line)
      expect([scripted.exit, scripted.stderr]).toEqual([2, expect.stringContaining('Pass --yes.')])
      const asked = await svc(line, { typed: ['n'] })
      expect([asked.exit, asked.stdout]).toEqual([
        1,
        expect.stringContaining('Aborted: nothing was changed.'),
      ])
      expect(changes()).toEqual([])
    },
  )

  it('continues after a yes at the prompt; --no-input never asks', async () => {
    const silent = await svc('apikey rotate --no-input', { typed: ['y'] })
    expect([silent.exit, changes()]).toEqual([2, []])
    const { id } = await desk.terminal.json('token create --name short --scope read --expires 1d')
    desk.gateway.reset()
    expect((await svc(`token revoke ${id}`, { typed: ['y'] })).exit).toBe(0)
    expect(changes()).toMatchObject([{ method: 'DELETE', path: `/auth/tokens/${id}` }])
  })

  it.each(['approval delete 42', 'token revoke 999'])(
    'svc %s names nothing that exists: a terminal is not asked, a script still needs --yes',
    async (line) => {
      const scripted = await svc(line)
      expect([scripted.exit, scripted.stderr]).toEqual([2, expect.stringContaining('Pass --yes.')])
      expect((await svc(line, { typed: ['y'] })).exit).toBe(4)
      expect(changes()).toEqual([])
    },
  )

  it('svc risk resume needs the word RESUME', async () => {
    await done('risk kill')
    desk.gateway.reset()
    const { exit, stderr } = await svc('risk resume')
    expect([exit, stderr]).toEqual([2, expect.stringContaining('Pass --confirm RESUME.')])
    expect((await svc('risk resume', { typed: ['n'] })).exit).toBe(1)
    expect(changes()).toEqual([])
    expect((await svc('risk resume', { tty: 'all', stdin: 'RESUME\n' })).exit).toBe(0)
  })
})

describe('a command that lets orders reach the broker', () => {
  beforeAll(() => desk.daemon.analyze(false))
  afterAll(() => desk.daemon.analyze(true))

  it.each([
    ['analyze off', 'POST /settings/analyze-mode/0'],
    ['mode set auto', 'POST /apikey/mode'],
    ['broker use simulated', 'POST /broker/use'],
  ])('svc %s needs the word LIVE', async (line, route) => {
    for (const [given, problem] of [
      ['', 'Pass --confirm LIVE.'],
      [' --no-input', 'Pass --confirm LIVE.'],
      [' --yes', '--yes does not answer this: pass --confirm LIVE.'],
      [' --confirm live', '--confirm must be LIVE.'],
      [' --yes --confirm no', '--confirm must be LIVE.'],
    ]) {
      const { exit, stderr } = await svc(`${line}${given}`)
      expect([given, exit, stderr]).toEqual([given, 2, expect.stringContaining(problem ?? '')])
    }
    expect((await svc(line, { typed: ['yes'] })).exit).toBe(1)
    expect(changes()).toEqual([])
    await done(`${line} --confirm=LIVE`)
    const typed = await svc(line, { typed: ['LIVE'] })
    expect([typed.exit, typed.stdout]).toEqual([0, expect.stringContaining('Type LIVE to continue: ')])
    expect(changes().map(({ method, path }) => `${method} ${path}`)).toEqual([route, route])
  })

  it('mode set semi_auto does not ask for a word', async () => {
    await done('mode set semi_auto')
    await done('mode set auto --confirm LIVE')
  })
})

describe('svc login --totp', () => {
  const login = (code: string, password = PASSWORD) =>
    strangerAt(desk.daemon, desk.daemon.url).svc(
      ['login', '--username', USERNAME, '--password-stdin', '--totp', code],
      { stdin: `${password}\n` },
    )

  it('signs in, and says that an account without a second factor needs no code', async () => {
    const { exit, stderr } = await login('123456')
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining('The account has no second factor: the code was not checked.'),
    ])
  })

  it('does not replace the password', async () => {
    expect((await login('123456', 'Wr0ngpass!')).exit).toBe(3)
  })
})

describe('svc doctor', () => {
  it('prints a line per check, with a fix for each failed one', async () => {
    const rows = await desk.terminal.json<{ check: string; status: string; fix: string }[]>('doctor')
    expect(rows.map(({ check }) => check)).toEqual([
      ...['node', 'home', 'config.env', 'apikey.json', 'session.json', 'writable', 'disk', 'wal', 'proxy'],
      ...['daemon', 'port', 'version', 'upgrade', 'clock', 'session', 'apikey', 'broker', 'calendar'],
      ...['backup', 'database', 'http', 'stream', 'broker host'],
    ])
    expect(rows.filter(({ status, fix }) => status !== 'ok' && fix === '')).toEqual([])
  })

  it('warns when every header of a proxy is trusted, until a setting says which', async () => {
    const proxy = async () =>
      (await desk.terminal.json<{ check: string; status: string; fix: string }[]>('doctor')).find(
        ({ check }) => check === 'proxy',
      )
    expect(await proxy()).toMatchObject({ status: 'ok' })
    await svc('config set TRUST_PROXY_HEADERS yes')
    expect(await proxy()).toMatchObject({ status: 'warn', fix: expect.stringContaining('CLIENT_IP_HEADER') })
    await svc('config set CLIENT_IP_HEADER X-Real-IP')
    expect(await proxy()).toMatchObject({ status: 'ok' })
    await svc('config set TRUST_PROXY_HEADERS=')
    expect(await proxy()).toMatchObject({ status: 'warn' })
    await svc('config set CLIENT_IP_HEADER=')
  })

  it('fails for a secret that other users can read', async () => {
    const file = join(desk.terminal.home, 'config.env')
    writeFileSync(file, 'APP_KEY=x')
    chmodSync(file, 0o644)
    const { exit, stdout } = await svc('doctor')
    expect(exit).toBe(1)
    expect(stdout).toMatch(/fail\tconfig\.env\tother users can access .*\tchmod 600/)
  })
})

it('svc position list --watch in a pipe prints a line for each changed row, until Ctrl-C', async () => {
  await desk.daemon.place({ product: 'MIS' })
  const watching = desk.terminal.follow('position list --watch --interval 200ms')
  const lines = () => watching.stdout().trim().split('\n')
  await expect.poll(() => lines().length).toBeGreaterThan(2)
  watching.interrupt()
  expect((await watching.ended).exit).toBe(130)
  const rows = lines().map((line) => JSON.parse(line))
  for (const row of rows) expect(row).toMatchObject({ symbol: 'SBIN', product: 'MIS', quantity: 10 })
  // A price may return to an earlier value; only a line equal to the previous one is a row without a
  // change.
  expect(lines().filter((line, index) => line === lines()[index - 1])).toEqual([])
})
