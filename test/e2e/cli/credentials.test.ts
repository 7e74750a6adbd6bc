import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandDesk, signedIn, strangerAt } from '../../support/desk/command-desk.js'
import { tempFile } from '../../support/files/temp.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../../support/process/daemon-process.js'
import { freeUrl, Gateway } from '../../support/traffic/gateway.js'

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
const keySent = () => desk.gateway.last('POST /api/v1/positionbook').body
const stranger = () => strangerAt(desk.daemon, desk.gateway.url)

describe('the API key: --apikey > SVC_API_KEY > the key stored in the home', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['position list', {}, undefined],
    ['position list', { SVC_API_KEY: 'env' }, 'env'],
    ['position list --apikey flag', { SVC_API_KEY: 'env' }, 'flag'],
    ['position list', { SVC_API_KEY: '' }, undefined],
  ])('svc %s with %o', async (line, env, given) => {
    const { exit } = await svc(line, { env })
    expect(exit).toBe(given === undefined ? 0 : 3)
    expect(keySent()).toEqual({ apikey: given ?? desk.daemon.apikey })
  })

  it('no key is exit 3, with the way to get one', async () => {
    const { exit, stderr } = await stranger().svc('position list')
    expect([exit, stderr]).toEqual([3, expect.stringContaining('svc setup')])
  })
})

describe('the API key from a file', () => {
  const fileOf = (content: string) => {
    const file = tempFile('apikey')
    writeFileSync(file, content)
    return file
  }

  it('overrides SVC_API_KEY and the stored key; a line break at its end is ignored', async () => {
    await svc(`position list --apikey-file ${fileOf('from-file\n')}`, { env: { SVC_API_KEY: 'env' } })
    expect(keySent()).toEqual({ apikey: 'from-file' })
  })

  it('is refused when it is unreadable, empty, more than a key, or given together with --apikey', async () => {
    for (const options of [
      '/nonexistent/key',
      fileOf(' \n'),
      fileOf('one two'),
      `${fileOf('key')} --apikey key`,
    ]) {
      expect([options, (await svc(`position list --apikey-file ${options}`)).exit]).toEqual([options, 2])
    }
    expect(desk.gateway.received).toEqual([])
  })
})

it.runIf(existsSync('/proc/self/cmdline'))(
  'a secret among the arguments is not in the list of processes while a command runs',
  async () => {
    desk.gateway.on('POST /api/v1/positionbook', 'withheld')
    const listing = desk.terminal.start('position list --apikey k3y-of-the-owner')
    await expect.poll(() => desk.gateway.received.length).toBe(1)
    expect(keySent()).toEqual({ apikey: 'k3y-of-the-owner' })
    const line = readFileSync(`/proc/${listing.pid}/cmdline`, 'utf8')
    listing.interrupt()
    expect((await listing.ended).exit).toBe(130)
    expect(line).toContain('--apikey')
    expect(line).not.toContain('k3y')
  },
)

describe('the session: SVC_TOKEN > the session stored by svc login', () => {
  it.each([
    [{}, undefined],
    [{ SVC_TOKEN: 'svc_pat_x' }, 'svc_pat_x'],
  ])('with %o', async (env, given) => {
    expect((await svc('risk show', { env })).exit).toBe(given === undefined ? 0 : 3)
    const { authorization } = desk.gateway.last('GET /risk').headers
    expect(authorization).toBe(`Bearer ${given ?? desk.daemon.token}`)
  })

  it('no session is exit 3, with the way to sign in', async () => {
    const { exit, stderr } = await stranger().svc('risk show')
    expect([exit, stderr]).toEqual([3, expect.stringContaining('svc login')])
  })
})

describe('the daemon: --url > SVC_URL > daemon.json of the home', () => {
  it('is the first one that is set', async () => {
    const [a, b, c] = await Promise.all([1, 2, 3].map(() => Gateway.before(() => desk.daemon.url)))
    if (!a || !b || !c) throw new Error('three gateways')
    const facts = { pid: process.pid, url: c.url }
    writeFileSync(join(desk.terminal.home, 'daemon.json'), JSON.stringify(facts))
    const env = { SVC_API_KEY: desk.daemon.apikey }
    await svc(`position list --url ${a.url}`, { env: { ...env, SVC_URL: b.url } })
    await svc('position list', { env: { ...env, SVC_URL: b.url } })
    await svc('position list', { env: { ...env, SVC_URL: '' } })
    expect([a, b, c].map(({ received }) => received.length)).toEqual([1, 1, 1])
    await Promise.all([a, b, c].map((gateway) => gateway.close()))
  })

  it('the home comes from --home, SVC_HOME or XDG_DATA_HOME', async () => {
    const { apikey, token } = desk.daemon
    const { home } = signedIn({ apikey, token, home: join(desk.daemon.home, 'svc') }, desk.gateway.url)
    writeFileSync(join(home, '..', 'apikey.json'), readFileSync(join(home, 'apikey.json')))
    const [base, named] = [join(home, '..', '..'), join(home, '..')]
    for (const [line, env] of [
      [`position list --home ${named}`, { SVC_HOME: '/nowhere' }],
      ['position list', { SVC_HOME: named }],
      ['position list', { SVC_HOME: '', XDG_DATA_HOME: base }],
    ] as const) {
      expect([line, (await svc(line, { env })).exit]).toEqual([line, 0])
    }
  })
})

describe('stored secrets', () => {
  it('setup stores the key and login the session, readable by the owner only', async () => {
    const daemon = new DaemonProcess()
    await daemon.start()
    try {
      const terminal = strangerAt(daemon, daemon.url)
      const early = await terminal.svc('login', { tty: 'all', env: { NO_COLOR: '1' } })
      expect([early.exit, early.stdout]).toEqual([
        5,
        'error: There is no user yet. Create the first one: svc setup\n',
      ])
      const stdin = `${PASSWORD}\n`
      const made = await terminal.svc(`setup --username ${USERNAME} --email a@b.co --password-stdin --json`, {
        stdin,
      })
      const { apikey, username } = JSON.parse(made.stdout)
      expect([made.exit, username, Object.keys(JSON.parse(made.stdout))]).toEqual([
        0,
        USERNAME,
        ['username', 'apikey'],
      ])
      const login = await terminal.svc(`login --username ${USERNAME} --password-stdin --json`, { stdin })
      expect([login.exit, Object.keys(JSON.parse(login.stdout))]).toEqual([0, ['username', 'expires_at']])
      expect(statSync(terminal.home).mode & 0o777).toBe(0o700)
      for (const name of ['apikey.json', 'session.json']) {
        const file = join(terminal.home, name)
        expect(statSync(file).mode & 0o777).toBe(0o600)
        const kept = JSON.parse(readFileSync(file, 'utf8'))
        expect(kept).toMatchObject({ url: daemon.url, username: USERNAME })
        if (name === 'apikey.json') expect(kept.value).toBe(apikey)
      }
      expect(await terminal.json('whoami')).toMatchObject({ username: USERNAME, kind: 'session' })

      await daemon.kill()
      expect((await terminal.svc('logout')).exit).toBe(7)
      expect(await terminal.svc('logout')).toMatchObject({
        exit: 0,
        stderr: 'Not signed in: nothing to do.\n',
      })
    } finally {
      await daemon.dispose()
    }
  })

  it('are sent only to the host they came from', async () => {
    const { exit, stderr } = await svc('position list --url http://desk.example.com:5000')
    expect([exit, stderr]).toEqual([
      3,
      expect.stringContaining('No API key for http://desk.example.com:5000'),
    ])
    expect((await svc('risk show --url https://desk.example.com')).exit).toBe(3)
  })
})

describe('secrets are not shown', () => {
  it.each([
    'status --verbose',
    'whoami --json',
    'apikey show',
    'apikey show --json',
    'apikey show --save',
    'doctor --json',
    'token list --json',
    'session list --json',
    `login --username ${USERNAME} --password-stdin --json`,
    'order place SBIN NSE BUY 10 --verbose',
    'position list --verbose --apikey flag-secret',
    'approval approve 42 --verbose',
    'risk set nonsense=1 --verbose',
  ])('svc %s', async (line) => {
    const { stdout, stderr } = await svc(line, { stdin: PASSWORD })
    const kept = JSON.parse(readFileSync(join(desk.terminal.home, 'session.json'), 'utf8')).value
    expect(`${stdout}${stderr}`).not.toBe('')
    for (const secret of [desk.daemon.apikey, desk.daemon.token, kept, PASSWORD, 'flag-secret']) {
      expect(stdout + stderr).not.toContain(secret)
    }
  })
})

it('every noun is exit 7 without a daemon', async () => {
  const url = await freeUrl()
  const env = { SVC_URL: url, SVC_API_KEY: 'k', SVC_TOKEN: 't' }
  for (const line of [
    'order list',
    'approval list',
    'mode get',
    'whoami',
    'status',
    'event follow',
    'setup',
  ]) {
    expect([line, (await svc(line, { env })).exit]).toEqual([line, 7])
  }
})
