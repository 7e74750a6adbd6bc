import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { signedIn, strangerAt } from '../../support/desk/command-desk.js'
import { Authenticator } from '../../support/process/authenticator.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../../support/process/daemon-process.js'
import { type Ran, Terminal } from '../../support/terminal.js'

/* The second factor with the built program, from its set-up to its end. A code may need a wait of 30 seconds. */
let daemon: DaemonProcess
let terminal: Terminal
let app: Authenticator
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
  terminal = signedIn(daemon, daemon.url)
  app = await Authenticator.of(daemon)
})
afterAll(() => daemon.dispose())

const AS_USER = ['login', '--username', USERNAME, '--password-stdin'] as const
/** Signs in from a new home, with these lines on stdin. */
const login = (stdin: string, ...options: string[]): Promise<Ran> =>
  strangerAt(daemon, daemon.url).svc([...AS_USER, ...options], { stdin })
const configure = (state: 'on' | 'off', code: string, ...options: string[]) =>
  terminal.svc(['totp', 'configure', state, '--totp-stdin', ...options], { stdin: `${code}\n` })
const CLEAR = { NO_COLOR: '1' }

describe('before the second factor is on', () => {
  it('svc totp status says so, and setup shows the QR code, the secret and its address', async () => {
    expect(await terminal.json('totp status')).toEqual({
      totp_enabled: false,
      totp_required_for_login: false,
      totp_required_for_mcp: false,
      totp_required_for_password_reset: false,
      last_totp_verified_at: null,
    })
    const uri = new RegExp(`otpauth://totp/svc:\\S+\\?secret=${app.secret}&issuer=svc`)
    const shown = await terminal.svc('totp setup', { tty: 'stdout', env: CLEAR })
    expect(shown.stdout).toMatch(/^▄{30,50}\n(█.+█\n){15,25}▀*/)
    expect(shown.stdout).toMatch(new RegExp(`^SECRET {3}${app.secret}$`, 'm'))
    expect(shown.stdout).toMatch(uri)
    for (const line of shown.stdout.split('\n').filter((text) => !text.startsWith('ADDRESS'))) {
      expect(line.length).toBeLessThanOrEqual(80)
    }
    const piped = await terminal.svc('totp setup')
    expect(piped.stdout).toMatch(new RegExp(`^totp_secret\\t${app.secret}\\nprovisioning_uri\\t.+\\n$`))
  })

  it('a personal access token sees no secret', async () => {
    const { token } = await terminal.json<{ token: string }>('token create --name script --scope admin')
    const { exit, stdout, stderr } = await terminal.svc('totp setup', { env: { SVC_TOKEN: token } })
    expect([exit, stdout, stderr]).toEqual([3, '', expect.stringContaining('svc login')])
    expect(await terminal.json('totp status')).toMatchObject({ totp_enabled: false })
  })

  it('a code at svc login is not sent, and the command says so', async () => {
    const { exit, stderr } = await login(`${PASSWORD}\n123456\n`, '--totp-stdin')
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining('The account has no second factor: the code was not checked.'),
    ])
  })

  it.each([
    ['totp configure maybe', 'on, off'],
    ['totp configure on --require everything', 'login, mcp, password-reset'],
    ['totp configure off --require login', '--require has no effect with off.'],
    ['totp configure on --totp 1 --totp-stdin', 'not both'],
    ['totp configure on', '--totp-stdin'],
  ])('svc %s is wrong usage', async (line, says) => {
    const { exit, stderr } = await terminal.svc(line)
    expect([exit, stderr]).toEqual([2, expect.stringContaining(says)])
  })
})

test('setup, sign-in in two steps, replay, and the end of the second factor', async () => {
  const first = await app.next()
  const on = await configure('on', first, '--require', 'login,mcp')
  expect([on.exit, on.stderr]).toEqual([0, expect.stringContaining('svc session revoke --others')])
  const settings = { totp_enabled: true, totp_required_for_login: true, totp_required_for_mcp: true }
  expect(await terminal.json('totp status')).toMatchObject(settings)

  const without = await login(`${PASSWORD}\n`)
  expect([without.exit, without.stderr]).toEqual([2, expect.stringContaining('--totp-stdin')])
  const replayed = await login(`${PASSWORD}\n`, '--totp', first)
  expect([replayed.exit, replayed.stderr]).toEqual([3, expect.stringContaining('Each code works once')])

  const typed = strangerAt(daemon, daemon.url)
  const running = typed.start(`login --username ${USERNAME}`, { tty: 'all', env: CLEAR })
  await running.says('Password: ')
  await running.type(`${PASSWORD}\n`, 'Authenticator code: ')
  await running.type('000000\n', 'The code is wrong, or it was used before.')
  await running.type(`${await app.next()}\n`, 'Signed in at')
  expect((await running.ended).exit).toBe(0)
  expect((await typed.svc('whoami')).exit).toBe(0)

  const piped = await login(`${PASSWORD}\r\n${await app.next()}\n`, '--totp-stdin')
  expect([piped.exit, piped.stdout]).toEqual([0, expect.stringMatching(/^username\t/)])

  const refused = await configure('off', '000000')
  expect([refused.exit, refused.stderr]).toEqual([3, expect.stringContaining('Invalid TOTP code.')])
  expect(await terminal.json('totp status')).toMatchObject(settings)
  expect((await configure('off', await app.next())).exit).toBe(0)
  expect(await terminal.json('totp status')).toMatchObject({
    totp_enabled: false,
    totp_required_for_login: false,
    totp_required_for_mcp: false,
  })
  expect((await login(`${PASSWORD}\n`)).exit).toBe(0)

  const activity =
    await terminal.json<{ status: string; login_type: string; failure_reason: string }[]>(
      'login-activity --limit 7',
    )
  expect(
    activity.map(({ status, login_type, failure_reason }) => [status, login_type, failure_reason]),
  ).toEqual([
    ['success', 'password', null],
    ['failed', 'totp', 'invalid_totp'],
    ['success', 'totp', null],
    ['success', 'totp', null],
    ['failed', 'totp', 'invalid_totp'],
    ['failed', 'totp', 'reused_totp'],
    ['success', 'password', null],
  ])
}, 180_000)

describe('svc login-activity', () => {
  it('filters, limits and clears', async () => {
    await login('Wr0ng!pass\n')
    const failed = await terminal.svc('login-activity --status failed --limit 1')
    expect(failed.stdout).toMatch(
      new RegExp(
        `^\\d{4}-\\S+\\tfailed\\tpassword\\t${USERNAME}\\t127\\.0\\.0\\.1\\tinvalid_credentials\\t\\tsvc/\\S+\\n$`,
      ),
    )
    expect((await terminal.svc('login-activity --limit 0')).exit).toBe(2)
    expect((await terminal.svc('login-activity --clear')).exit).toBe(2)
    expect((await terminal.svc('login-activity --clear --yes')).exit).toBe(0)
    expect(await terminal.json('login-activity')).toEqual([])
  })
})

describe('svc session', () => {
  type Listed = { session_id: string; current: boolean }
  const listed = () => terminal.json<Listed[]>('session list')
  const columns = async (options = '') =>
    (await terminal.svc(`session list ${options}`, { tty: 'stdout', env: { ...CLEAR, COLUMNS: '80' } }))
      .stdout

  it('shows the beginning of the ids on a terminal, and the whole ids everywhere else', async () => {
    const sessions = await listed()
    const table = await columns()
    expect(table).toMatch(/^SESSION {3}CURRENT {2}ADDRESS {4}DEVICE +SINCE IST +LAST SEEN IST *$/m)
    for (const { session_id: id } of sessions) {
      expect(id).toMatch(/^[0-9a-f]{64}$/)
      expect(table).toMatch(new RegExp(`^${id.slice(0, 8)} `, 'm'))
      expect(table).not.toContain(id)
      for (const options of ['-o wide', '-q']) expect(await columns(options)).toContain(id)
      expect((await terminal.svc('session list')).stdout).toContain(id)
    }
  })

  it('revokes by the beginning of an id, and refuses an unknown or ambiguous one', async () => {
    const [other] = (await listed()).filter(({ current }) => !current)
    const start = other?.session_id.slice(0, 8) ?? ''
    const asked = await terminal.svc(`session revoke ${start}`)
    expect([asked.exit, asked.stderr]).toEqual([
      2,
      expect.stringMatching(
        new RegExp(`^error: Sign out session ${start} \\(127\\.0\\.0\\.1, .+\\): .+ Pass --yes\\.`),
      ),
    ])
    expect((await terminal.svc(`session revoke ${start} --yes`)).exit).toBe(0)
    expect((await listed()).map(({ session_id: id }) => id)).not.toContain(other?.session_id)
    expect((await terminal.svc(`session revoke ${start} --yes`)).exit).toBe(4)
    expect((await terminal.svc('session revoke --yes')).exit).toBe(2)
    const all = await terminal.svc(['session', 'revoke', '', '--yes'])
    expect([all.exit, all.stderr]).toEqual([2, expect.stringContaining('is the beginning of')])
  })

  it('revokes all others at once, and keeps its own', async () => {
    expect((await listed()).length).toBeGreaterThan(1)
    expect((await terminal.svc('session revoke --others')).exit).toBe(2)
    expect((await terminal.svc('session revoke --others --yes')).exit).toBe(0)
    expect(await listed()).toEqual([expect.objectContaining({ current: true })])
    const again = await terminal.svc('session revoke --others --yes')
    expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('No other device')])
  })
})

describe('a new secret', () => {
  const shownIn = ({ stdout }: Ran) => /^(?:SECRET {3}|totp_secret\t)([A-Z2-7]{32})$/m.exec(stdout)?.[1] ?? ''

  it('counts after a code of it, which svc totp rotate asks for, and needs a terminal', async () => {
    const piped = await terminal.svc('totp rotate')
    expect([piped.exit, piped.stderr]).toEqual([2, expect.stringContaining('needs a terminal')])
    const running = terminal.start('totp rotate', { tty: 'all', env: CLEAR })
    await running.says('Password: ')
    await running.type(`${PASSWORD}\n`, 'enter a code of the new entry.')
    await running.says('Authenticator code: ')
    const drawn = /^SECRET {3}([A-Z2-7]{32})\r?$/m.exec(running.stdout())?.[1] ?? ''
    await running.type('000000\n', 'The code is wrong')
    app = Authenticator.with(drawn)
    await running.type(`${await app.next()}\n`, 'Delete the former entry')
    expect((await running.ended).exit).toBe(0)
    const { data } = (await daemon.request<{ data: { totp_secret: string } }>('GET', '/auth/profile-data'))
      .body
    expect(data.totp_secret).toBe(drawn)
  }, 120_000)

  it('of svc totp recover needs a stopped daemon, and no code', async () => {
    expect((await configure('on', await app.next())).exit).toBe(0)
    const machine = new Terminal({ home: daemon.home })
    const busy = await machine.svc('totp recover --yes')
    expect([busy.exit, busy.stderr]).toEqual([1, expect.stringContaining('svc down')])
    await daemon.signal('SIGTERM')
    const asked = await machine.svc('totp recover')
    expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('--yes')])
    const recovered = await machine.svc('totp recover --yes')
    expect(recovered.exit).toBe(0)
    const lost = app
    app = Authenticator.with(shownIn(recovered))
    await daemon.start()
    const former = await login(`${PASSWORD}\n${await lost.next()}\n`, '--totp-stdin')
    expect([former.exit, former.stderr]).toEqual([3, expect.stringContaining('Invalid TOTP code.')])
    expect((await login(`${PASSWORD}\n${await app.next()}\n`, '--totp-stdin')).exit).toBe(0)
    expect((await signedIn(daemon, daemon.url).svc('whoami')).exit, 'the session of before').toBe(3)
    const auditor = strangerAt(daemon, daemon.url)
    await auditor.svc([...AS_USER, '--totp-stdin'], { stdin: `${PASSWORD}\n${await app.next()}\n` })
    expect(await auditor.json('audit list --act totp.recover')).toMatchObject([
      { act: 'totp.recover', actor: 'svc', target: USERNAME, outcome: 'done' },
    ])
    expect((await auditor.svc('audit verify')).exit).toBe(0)
  }, 180_000)
})
