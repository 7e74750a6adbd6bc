import { chmodSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { tempFile } from '../support/temp.js'
import { signedIn } from './support/desk.js'
import type { TerminalOptions } from './support/terminal.js'

describe('session commands: command line to request', () => {
  const table: [string, string, unknown][] = [
    ['mode set semi_auto', 'POST /apikey/mode', { user_id: 'alice', mode: 'semi_auto' }],
    ['analyze on', 'POST /settings/analyze-mode/1', ''],
    ['analyze off --confirm=LIVE', 'POST /settings/analyze-mode/0', ''],
    ['analyze off --yes', 'POST /settings/analyze-mode/0', ''],
    ['mode set auto', 'POST /apikey/mode', { user_id: 'alice', mode: 'auto' }],
    ['approval approve 42', 'POST /action-center/approve/42', ''],
    ['pending approve 42', 'POST /action-center/approve/42', ''],
    ['approval reject 42', 'POST /action-center/reject/42', {}],
    ['approval delete 42 --yes', 'DELETE /action-center/delete/42', ''],
    ['approval approve-all --yes', 'POST /action-center/approve-all', ''],
    [
      'token create --name cron --scope approvals,orders --expires 90d',
      'POST /auth/tokens',
      { name: 'cron', scopes: ['approvals', 'orders'], expires: '90d' },
    ],
    ['token revoke 3 -y', 'DELETE /auth/tokens/3', ''],
    ['apikey rotate --yes', 'POST /apikey', { user_id: 'alice' }],
    ['session revoke s1 --yes', 'DELETE /auth/active-sessions/s1', ''],
    [
      'risk set max_order_value=500000 max_day_loss=off',
      'PUT /risk',
      { max_order_value: 500000, max_day_loss: null },
    ],
    ['risk set allowed_exchanges=NSE', 'PUT /risk', { allowed_exchanges: ['NSE'] }],
    ['risk set allowed_products=MIS,CNC', 'PUT /risk', { allowed_products: ['MIS', 'CNC'] }],
    ['risk kill', 'POST /risk/kill-switch', { on: true }],
    ['risk resume --confirm RESUME', 'POST /risk/kill-switch', { on: false, confirm: 'RESUME' }],
    ['broker use simulated', 'POST /broker/use', { broker: 'simulated' }],
    [
      'broker login --field user=a --field pin=1=2',
      'POST /broker/login',
      { fields: { user: 'a', pin: '1=2' } },
    ],
    ['broker logout --yes', 'POST /broker/logout', ''],
    ['broker sync', 'POST /broker/sync', ''],
    [
      'order settle ref1 --outcome rejected --reason seen --yes',
      'POST /orders/journal/ref1/settle',
      { outcome: 'rejected', reason: 'seen' },
    ],
  ]
  it.each(table)('svc %s', async (line, route, body) => {
    const { daemon, terminal } = await signedIn()
    expect((await terminal.svc(line)).exit).toBe(0)
    expect(daemon.last(route).body).toEqual(body)
  })

  it('keeps a reason of several words', async () => {
    const { daemon, terminal } = await signedIn()
    await terminal.svc(['approval', 'reject', '42', '--reason', 'too large'])
    expect(daemon.last('POST /action-center/reject/42').body).toEqual({ reason: 'too large' })
  })

  it('loads a dump of instruments as CSV and says which lines were refused', async () => {
    const { daemon, terminal } = await signedIn()
    const file = tempFile('dump.csv')
    writeFileSync(file, 'a,b\n1,2\n')
    const { stderr, stdout } = await terminal.svc(`broker sync --from ${file}`)
    const asked = daemon.last('POST /broker/sync')
    expect([asked.path, asked.headers['content-type'], asked.body]).toEqual([
      '/broker/sync?format=kite',
      'text/csv',
      'a,b\n1,2\n',
    ])
    expect(stdout).toBe('count\t2\nskipped\t1\n')
    expect(stderr).toBe('line 3: no symbol\n')
  })

  it('asks for a dump much smaller than what is loaded only where it is forced', async () => {
    const { daemon, terminal } = await signedIn()
    const file = tempFile('dump.csv')
    writeFileSync(file, 'a,b\n1,2\n')
    await terminal.svc(`broker sync --from ${file} --force`)
    expect(daemon.last('POST /broker/sync').path).toBe('/broker/sync?format=kite&force=true')
    await terminal.svc('broker sync --force')
    expect(daemon.last('POST /broker/sync').path).toBe('/broker/sync?force=true')
  })

  it('an id cannot leave its place in the path', async () => {
    const { daemon, terminal } = await signedIn()
    await terminal.svc(['approval', 'approve', '../../risk?x=1'])
    expect(daemon.received[0]?.path).toBe('/action-center/approve/..%2F..%2Frisk%3Fx%3D1')
  })

  it('keeps the new key after rotation', async () => {
    const { daemon, terminal } = await signedIn()
    await terminal.svc('apikey rotate --yes')
    await terminal.svc('position list')
    expect(daemon.last('POST /api/v1/positionbook').body).toEqual({ apikey: 'b'.repeat(64) })
  })
})

describe('destructive acts', () => {
  const lines = [
    'approval delete 42',
    'approval approve-all',
    'token revoke 3',
    'session revoke s1',
    'apikey rotate',
    'broker logout',
    'risk resume',
    'order settle ref1 --outcome rejected --reason seen',
  ]
  it.each(lines)('svc %s needs --yes or --confirm in a script', async (line) => {
    const { daemon, terminal } = await signedIn()
    const { exit, stderr } = await terminal.svc(line)
    expect(exit).toBe(2)
    expect(stderr).toMatch(/Pass --(yes|confirm RESUME)\./)
    expect(daemon.received.every((one) => one.method === 'GET')).toBe(true)
  })

  it.each(lines)('svc %s asks on a terminal, and no is no', async (line) => {
    const { daemon, terminal } = await signedIn({ tty: true, stdin: 'n\n' })
    const { exit, stderr } = await terminal.svc(line)
    expect(exit).toBe(1)
    expect(stderr).toContain('Nothing was done.')
    expect(daemon.received.every((one) => one.method === 'GET')).toBe(true)
  })

  it('yes at the prompt goes on', async () => {
    const { daemon, terminal } = await signedIn({ tty: true, stdin: 'y\n' })
    expect((await terminal.svc('approval delete 42')).exit).toBe(0)
    expect(daemon.last('DELETE /action-center/delete/42')).toBeDefined()
  })

  it('--no-input never asks, even on a terminal', async () => {
    const { terminal } = await signedIn({ tty: true, stdin: 'y\n' })
    expect((await terminal.svc('approval delete 42 --no-input')).exit).toBe(2)
  })

  it('going live on a terminal has to be typed', async () => {
    const { daemon, terminal } = await signedIn({ tty: true, stdin: 'yes\n' })
    expect((await terminal.svc('analyze off')).exit).toBe(1)
    expect(daemon.received).toEqual([])
    expect((await terminal.svc('analyze off', { stdin: 'LIVE\n' })).exit).toBe(0)
  })

  describe('what lets orders reach the broker', () => {
    const acts: [string, string][] = [
      ['analyze off', 'POST /settings/analyze-mode/0'],
      ['mode set auto', 'POST /apikey/mode'],
      ['broker use simulated', 'POST /broker/use'],
    ]
    const live = async (options: TerminalOptions = {}) => {
      const { daemon, terminal } = await signedIn(options)
      const data = { username: 'alice', analyze_mode: false }
      daemon.on('GET /auth/whoami', { body: { status: 'success', data } })
      return { daemon, terminal }
    }

    it.each(acts)('svc %s needs the word LIVE where nobody can be asked', async (line) => {
      const { daemon, terminal } = await live()
      for (const given of ['', ' --no-input', ' --confirm live', ' --yes --confirm no']) {
        const { exit, stderr } = await terminal.svc(`${line}${given}`)
        expect([given, exit]).toEqual([given, 2])
        expect(stderr).toMatch(/Pass --confirm LIVE\.|--confirm must be LIVE\./)
      }
      expect(daemon.received.every((one) => one.method === 'GET')).toBe(true)
    })

    it.each(acts)('svc %s --confirm=LIVE goes on', async (line, route) => {
      const { daemon, terminal } = await live()
      expect((await terminal.svc(`${line} --confirm=LIVE`)).exit).toBe(0)
      expect(daemon.last(route)).toBeDefined()
    })

    it.each(acts)('svc %s asks on a terminal', async (line, route) => {
      const { daemon, terminal } = await live({ tty: true, stdin: 'LIVE\n' })
      const { exit, stderr } = await terminal.svc(line)
      expect({ exit, asked: stderr.includes('Type LIVE to go on: ') }).toEqual({ exit: 0, asked: true })
      expect(daemon.last(route)).toBeDefined()
    })

    it('queueing orders is never going live', async () => {
      expect((await (await live()).terminal.svc('mode set semi_auto')).exit).toBe(0)
    })
  })
})

describe('svc approval', () => {
  it('lists every page of a long history, or the one that --limit asks for', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('GET /action-center/api/data', ({ path }) => {
      const before = Number(new URL(path, daemon.url).searchParams.get('before') ?? 7)
      const ids = [before - 1, before - 2].filter((id) => id > 0)
      const next = before > 3 && { next_before: before - 2 }
      return { body: { status: 'success', data: { orders: ids.map((id) => ({ id })), total: 6, ...next } } }
    })
    const ids = async (line: string) => (await terminal.svc(line)).stdout.trim().split(/\s+/)
    expect(await ids('approval list --status all -q')).toEqual(['6', '5', '4', '3', '2', '1'])
    expect(await ids('approval list --status all --limit 2 -q')).toEqual(['6', '5'])
  })

  it('several ids: all are tried, each failure is told with its next step', async () => {
    const { daemon, terminal } = await signedIn()
    const body = { status: 'error', message: 'Failed to approve order' }
    daemon.on('POST /action-center/approve/41', { status: 400, code: 'not_pending', body })
    const { exit, stdout, stderr } = await terminal.svc('approval approve 41 42')
    expect(exit).toBe(5)
    expect(stdout).toContain('25112100000002')
    const hint = 'See its state: svc approval list --status all'
    expect(stderr).toContain(`approval 41: Failed to approve order. ${hint}\nerror: 1 of 2 failed.`)
  })

  it.each([
    ['approve 42', 'json', undefined],
    ['approve 41 42', 'json', [42]],
    ['approve 42 43', 'json', [42, 43]],
    ['reject 42 43', 'json', [42, 43]],
    ['delete 42 43 --yes', 'json', [42, 43]],
    ['approve 41 44', 'json', []],
    ['approve 42 43 --fields id', 'json', [42, 43]],
    ['approve 41 42 43', 'yaml', [42, 43]],
  ])('%s as %s is one document: of several ids a list of those that were done', async (line, format, ids) => {
    const { daemon, terminal } = await signedIn()
    const body = { status: 'error', message: 'No.' }
    for (const id of [41, 44]) {
      daemon.on(`POST /action-center/approve/${id}`, { status: 400, code: 'not_pending', body })
    }
    for (const [method, verb] of [
      ['POST', 'approve'],
      ['POST', 'reject'],
      ['DELETE', 'delete'],
    ]) {
      for (const id of [42, 43]) {
        daemon.on(`${method} /action-center/${verb}/${id}`, { body: { status: 'success', message: 'Done' } })
      }
    }
    const { exit, stdout } = await terminal.svc(`approval ${line} -o ${format}`)
    const document = format === 'json' ? JSON.parse(stdout) : parse(stdout)
    if (ids === undefined) expect(document).toMatchObject({ id: 42 })
    else expect(document.map((row: { id: number }) => row.id)).toEqual(ids)
    expect(exit).toBe(/4[14]/.test(line) ? 5 : 0)
  })

  it('several ids as CSV have one heading, as lines one object each', async () => {
    const { daemon, terminal } = await signedIn()
    for (const id of [42, 43]) {
      daemon.on(`POST /action-center/approve/${id}`, { body: { status: 'success', message: 'Done' } })
    }
    const said = async (format: string) =>
      (await terminal.svc(`approval approve 42 43 -o ${format}`)).stdout.trimEnd().split(/\r?\n/)
    expect(await said('csv')).toEqual(['id,status,message', '42,success,Done', '43,success,Done'])
    expect((await said('jsonl')).map((text) => JSON.parse(text).id)).toEqual([42, 43])
  })

  it('an outcome that is unknown stays exit 8 when what was done cannot be shown', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('POST /action-center/approve/41', 'drop')
    const { exit, stderr } = await terminal.svc('approval approve 41 42 --json --fields nope')
    expect(exit).toBe(8)
    expect(stderr).toContain('svc approval show 41')
  })

  it.each([
    ['40 41 42 43', 8],
    ['43 42 41 40', 8],
    ['43 40 42', 5],
    ['40 43', 5],
    ['40 42', 4],
  ])('several ids, %s: the gravest failure gives the exit status, %d', async (ids, status) => {
    const { daemon, terminal } = await signedIn()
    const at = (id: number) => `POST /action-center/approve/${id}`
    const body = { status: 'error', message: 'No.' }
    daemon.on(at(40), { status: 404, code: 'not_found', body })
    daemon.on(at(41), 'drop')
    daemon.on(at(43), { status: 400, code: 'not_pending', body })
    const { exit, stderr } = await terminal.svc(`approval approve ${ids}`)
    expect(exit).toBe(status)
    expect(stderr.includes('svc approval show 41')).toBe(status === 8)
    expect(daemon.received).toHaveLength(ids.split(' ').length)
  })

  it('approved but refused at execution is exit 5 with the reason', async () => {
    const { daemon, terminal } = await signedIn()
    const body = {
      status: 'warning',
      message: 'Order approved but execution failed',
      error: 'Insufficient funds',
    }
    daemon.on('POST /action-center/approve/42', { status: 400, code: 'refused', body })
    const { exit, stderr } = await terminal.svc('approval approve 42')
    expect(exit).toBe(5)
    expect(stderr).toContain('execution failed: Insufficient funds')
  })

  it('approved with an unknown outcome is exit 8 with the reference', async () => {
    const { daemon, terminal } = await signedIn()
    const body = { status: 'warning', message: 'not known yet', order_ref: 'ref7' }
    daemon.on('POST /action-center/approve/42', { status: 504, code: 'outcome_unknown', body })
    const { exit, stderr } = await terminal.svc('approval approve 42')
    expect(exit).toBe(8)
    expect(stderr).toContain('svc order status ref7')
  })

  it('approve-all with failures is exit 5 and lists them', async () => {
    const { daemon, terminal } = await signedIn()
    const body = {
      status: 'warning',
      message: 'Approved 2 orders.',
      failed_executions: [{ order_id: 42, error: 'no margin' }],
    }
    daemon.on('POST /action-center/approve-all', { body })
    const { exit, stderr } = await terminal.svc('approval approve-all --yes')
    expect(exit).toBe(5)
    expect(stderr).toContain('approval 42: no margin')
  })

  it('approved and executed only in part is exit 5, with the order and what failed', async () => {
    const { daemon, terminal } = await signedIn()
    const body = {
      status: 'success',
      message: 'Order approved and executed successfully',
      broker_order_id: '25112100000002',
      execution_error: '1 of 2 orders failed: NOPE: Symbol not found',
    }
    daemon.on('POST /action-center/approve/42', { body })
    const { exit, stdout, stderr } = await terminal.svc('approval approve 42')
    expect(exit).toBe(5)
    expect(stdout).toContain('25112100000002')
    expect(stderr).toContain('Executed only in part: 1 of 2 orders failed: NOPE: Symbol not found')
  })

  it('a failed execution is told with all that is known of it', async () => {
    const { daemon, terminal } = await signedIn()
    const body = {
      status: 'warning',
      message: 'Order approved but execution failed',
      error: 'Authentication failed',
      execution_error: 'Authentication failed: Sign in with: svc broker login',
    }
    daemon.on('POST /action-center/approve/42', { status: 403, code: 'forbidden', body })
    const { exit, stderr } = await terminal.svc('approval approve 42')
    expect(exit).toBe(3)
    expect(stderr).toContain('execution failed: Authentication failed: Sign in with: svc broker login')
  })

  it.each([
    [
      { in_doubt: [{ order_id: 43, error: 'timed out', order_ref: 'ref7' }] },
      8,
      'approval 43: timed out. In doubt',
    ],
    [
      { partly_executed: [{ order_id: 44, error: '1 of 2 orders failed' }] },
      5,
      'approval 44: 1 of 2 orders failed',
    ],
  ])('approve-all with %o is exit %d and names it', async (members, status, text) => {
    const { daemon, terminal } = await signedIn()
    const body = { status: 'warning', message: 'Approved 2 orders.', failed_executions: [], ...members }
    daemon.on('POST /action-center/approve-all', { code: 'outcome_unknown', body })
    const { exit, stderr } = await terminal.svc('approval approve-all --yes')
    expect(exit).toBe(status)
    expect(stderr).toContain(text)
    expect(stderr.includes('do not send it again. Follow it: svc approval show 43')).toBe(status === 8)
  })

  it('approve-all with nothing waiting asks nothing and does nothing', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('GET /action-center/count', { body: { count: 0 } })
    expect((await terminal.svc('approval approve-all')).exit).toBe(0)
    expect(daemon.received).toHaveLength(1)
  })

  it('show of one that does not exist is exit 4', async () => {
    const { daemon, terminal } = await signedIn()
    expect((await terminal.svc('approval show 41')).exit).toBe(4)
    expect((await terminal.svc('approval show x')).exit).toBe(4)
    expect(daemon.received.map((one) => one.path)).toEqual([
      '/action-center/api/data?status=all&limit=1&before=42',
    ])
  })
})

describe('--watch', () => {
  it('in a pipe prints one JSON line per changed row until Ctrl-C', async () => {
    const controller = new AbortController()
    const { daemon, terminal } = await signedIn({ interrupts: controller.signal })
    const prices = [815, 815, 816]
    daemon.on('POST /api/v1/positionbook', () => {
      const ltp = prices.shift()
      if (ltp === undefined) controller.abort()
      return { body: { status: 'success', data: [{ symbol: 'SBIN', ltp: ltp ?? 816 }] } }
    })
    const { exit, stdout } = await terminal.svc('position list --watch --interval 1s')
    expect(exit).toBe(130)
    expect(stdout).toBe('{"symbol":"SBIN","ltp":815}\n{"symbol":"SBIN","ltp":816}\n')
  })
})

describe('svc doctor', () => {
  it('has a line for each check, and a fix for each that is not ok', async () => {
    const { terminal } = await signedIn()
    const { exit, stdout } = await terminal.svc('doctor --json')
    const rows: { check: string; status: string; fix: string }[] = JSON.parse(stdout)
    expect(exit).toBe(0)
    expect(rows.map((row) => row.check)).toEqual([
      'node',
      'home',
      'config.env',
      'apikey.json',
      'session.json',
      'disk',
      'wal',
      'daemon',
      'port',
      'version',
      'clock',
      'session',
      'apikey',
      'broker',
    ])
    for (const row of rows)
      expect([row.check, row.status === 'ok' || row.fix !== '']).toEqual([row.check, true])
  })

  it('fails on a broker without a plugin, which svc status points out, too', async () => {
    const { daemon, terminal } = await signedIn()
    const data = { state: 'ready', broker: 'elsewhere', available: false, broker_available: false }
    for (const route of ['GET /broker/status', 'GET /status']) {
      daemon.on(route, { body: { status: 'success', data } })
    }
    const { exit, stdout } = await terminal.svc('doctor')
    expect(exit).toBe(1)
    expect(stdout).toContain('fail\tbroker\tno plugin for elsewhere\tsvc broker list, then svc broker use')
    expect((await terminal.svc('status')).stderr).toContain('There is no plugin for elsewhere')
  })

  it('fails on a secret that others can read', async () => {
    const { terminal } = await signedIn()
    const file = `${terminal.home}/config.env`
    writeFileSync(file, 'APP_KEY=x')
    chmodSync(file, 0o644)
    const { exit, stdout } = await terminal.svc('doctor')
    expect(exit).toBe(1)
    expect(stdout).toMatch(/fail\tconfig\.env\t.*is open to others\tchmod 600/)
  })
})
