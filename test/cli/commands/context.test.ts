import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, test } from 'vitest'
import type { CommandSpec, OfHome } from '../../../src/cli/framework/command/command.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { SigningKey } from '../../../src/core/secrets/index.js'
import { LightDaemon, send } from '../../support/daemons/light-daemon.js'
import { CliDesk, type Running } from '../../support/desk/cli-desk.js'
import { USER } from '../../support/desk/desk.js'
import { PASSWORD } from '../../support/desk/http-desk.js'
import { tempDir } from '../../support/files/temp.js'

let desk: CliDesk
let config = ''

beforeEach(async () => {
  desk = await CliDesk.open()
  config = join(tempDir(), 'config')
})

/** Runs a command with the contexts of this test, and no daemon named by the environment. */
const svc = (line: string, { env = {}, ...rest }: Running = {}) =>
  desk.svc(line, { ...rest, env: { SVC_URL: '', SVC_HOME: '', SVC_CONFIG_DIR: config, ...env } })

const known = () => JSON.parse(readFileSync(join(config, 'contexts.json'), 'utf8'))
const secretFile = (name: string, file: string) => join(config, 'contexts', name, file)
const idOf = () => desk.service.settings.identity.id
/** Adds the daemon of the desk with a token of its user. */
async function addDesk(name = 'prod') {
  const stdin = `${await desk.http.tokenOf('admin')}\r\n`
  return svc(`context add ${name} --url ${desk.url}/ --token-stdin --color red`, { stdin })
}

describe('svc context add', () => {
  it('pins the id that the daemon proves, and stores a token without its line end', async () => {
    const { exit, stdout } = await addDesk()
    expect([exit, stdout]).toEqual([0, expect.stringContaining(idOf())])
    expect(known()).toEqual({
      version: 1,
      current: 'local',
      contexts: { prod: { url: desk.url, id: idOf(), color: 'red' } },
    })
    expect(statSync(secretFile('prod', 'token.json')).mode & 0o777).toBe(0o600)
    expect(statSync(join(config, 'contexts', 'prod')).mode & 0o777).toBe(0o700)
    const who = await svc('whoami --context prod --json')
    expect(JSON.parse(who.stdout)).toMatchObject({ username: USER })
  })

  it('refuses a stated id that the daemon cannot prove, a wrong token and a taken name, and stores nothing', async () => {
    const foreign = await svc(`context add prod --url ${desk.url} --id ${'0'.repeat(32)}`)
    expect([foreign.exit, foreign.stderr]).toEqual([3, expect.stringContaining('Another daemon answers')])
    const wrong = await svc(`context add prod --url ${desk.url} --token-stdin`, { stdin: 'svc_wrong\n' })
    expect([wrong.exit, wrong.stderr]).toEqual([3, expect.stringContaining('The daemon refused the token')])
    expect(wrong.stderr).not.toContain('svc_wrong')
    for (const stdin of ['', '\n', 'two words', 'a\u0000b']) {
      expect((await svc(`context add prod --url ${desk.url} --token-stdin`, { stdin })).exit).toBe(2)
    }
    expect(existsSync(join(config, 'contexts.json'))).toBe(false)
    await addDesk('prod')
    const taken = await svc(`context add PROD --url ${desk.url}`)
    expect([taken.exit, taken.stderr]).toEqual([
      2,
      expect.stringContaining('There is a context prod already'),
    ])
  })

  it('needs an address, and a name that is no path', async () => {
    expect(await svc('context add prod')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--url is missing'),
    })
    for (const name of ['../x', 'a/b', '.', 'local']) {
      expect((await svc(`context add ${name} --url ${desk.url}`)).exit).toBe(2)
    }
  })

  it('with a stated id it adds a daemon that is away, and has the id proved by the first command', async () => {
    const key = SigningKey.make()
    const away = await LightDaemon.open({ key })
    const port = Number(new URL(away.url).port)
    await away.close()
    const added = await svc(`context add lab --url ${away.url} --id ${key.id}`)
    expect([added.exit, added.stderr]).toEqual([0, expect.stringContaining('no daemon answered')])
    const other = await LightDaemon.open({ port })
    const asked = await svc('status --context lab')
    expect([asked.exit, asked.stderr]).toEqual([3, expect.stringContaining('Another daemon answers')])
    expect(other.withCredential).toEqual([])
  })

  it('a daemon that says no id is refused', async () => {
    const old = await LightDaemon.open({ answer: (_, response) => send(response, 404, { status: 'error' }) })
    expect(await svc(`context add old --url ${old.url}`)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('does not say its id (HTTP 404)'),
    })
  })
})

describe('the credential of a context', () => {
  it('is never sent to a daemon that took its place, nor to an address changed by hand', async () => {
    await addDesk()
    const other = await LightDaemon.open()
    const contexts = known()
    contexts.contexts.prod.url = other.url
    writeFileSync(join(config, 'contexts.json'), JSON.stringify(contexts))
    const { exit, stderr } = await svc('risk show --context prod')
    expect([exit, stderr]).toEqual([3, expect.stringContaining('Another daemon answers')])
    expect(other.withCredential).toEqual([])
    // The same with the id of the other one: the stored token belongs to the first address and id.
    contexts.contexts.prod.id = other.id
    writeFileSync(join(config, 'contexts.json'), JSON.stringify(contexts))
    const again = await svc('risk show --context prod')
    expect([again.exit, again.stderr]).toEqual([
      3,
      expect.stringContaining(`The stored one is for ${desk.url}`),
    ])
    expect(other.withCredential).toEqual([])
  })

  it('of the environment is not sent to a context that another word chose', async () => {
    const daemon = await LightDaemon.open()
    await svc(`context add lab --url ${daemon.url}`)
    await svc('context use lab')
    const env = { SVC_TOKEN: 'secret-of-another', SVC_API_KEY: 'key-of-another' }
    for (const line of ['risk show --context lab', 'order list --context lab', 'context status']) {
      expect((await svc(line, { env })).exit).toBe(3)
    }
    expect(daemon.withCredential).toEqual([])
    await svc('risk show', { env: { ...env, SVC_CONTEXT: 'lab' } })
    expect(daemon.withCredential).toHaveLength(1)
  })

  it('of the environment is for no context that only happens to be the current one, whose own sign-in is not used instead', async () => {
    await addDesk()
    await svc('context use prod')
    for (const [name, line] of [
      ['SVC_TOKEN', 'whoami'],
      ['SVC_TOKEN', 'mode set semi_auto'],
      ['SVC_API_KEY', 'order place SBIN NSE BUY 1'],
    ] as const) {
      const refused = await svc(line, { env: { [name]: 'secret-of-another' } })
      expect([refused.exit, refused.stderr]).toEqual([
        2,
        expect.stringContaining(`${name} is set, and the daemon is that of the current context, prod`),
      ])
      expect(refused.stderr).toContain(`--context local with ${name}, --context prod with its own sign-in`)
    }
    expect((await svc('whoami')).exit).toBe(0)
  })

  it('that others can read is refused', async () => {
    await addDesk()
    chmodSync(secretFile('prod', 'token.json'), 0o644)
    expect(await svc('whoami --context prod')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('Other users can read'),
    })
  })

  it('comes from svc login, and goes with svc logout', async () => {
    await svc(`context add prod --url ${desk.url}`)
    const out = await svc('whoami --context prod')
    expect([out.exit, out.stderr]).toEqual([3, expect.stringContaining('svc login --context prod')])
    const signedIn = await svc(`login --context prod --username ${USER} --password-stdin`, {
      stdin: `${PASSWORD}\n`,
    })
    expect([signedIn.exit, signedIn.stderr]).toEqual([0, expect.stringContaining('the context prod')])
    expect((await svc('apikey show --save --context prod')).exit).toBe(0)
    expect((await svc('position list --context prod')).exit).toBe(0)
    expect((await svc('logout --context prod')).exit).toBe(0)
    expect(existsSync(secretFile('prod', 'session.json'))).toBe(false)
    expect((await svc('whoami --context prod')).exit).toBe(3)
  })
})

test('the next step after a refusal names the context', async () => {
  await addDesk()
  const { body } = await desk.http.request('GET', '/auth/tokens', {
    headers: { authorization: `Bearer ${await desk.http.signIn()}` },
  })
  const [token] = JSON.parse(JSON.stringify(body)).data
  await desk.service.identity.tokens.revoke(USER, token.id)
  const { exit, stderr } = await svc('risk show --context prod')
  expect([exit, stderr]).toEqual([
    3,
    expect.stringMatching(/token\.json is unknown.* svc login --context prod/),
  ])
})

test('svc context use, current, list, rename and remove', async () => {
  await addDesk()
  expect((await svc('context use prdo')).stderr).toContain('Did you mean prod?')
  expect((await svc('context use prod')).exit).toBe(0)
  expect((await svc('context current -q')).stdout).toBe('prod\n')
  expect((await svc('context current -q', { env: { SVC_HOME: desk.home } })).stdout).toBe('local\n')
  expect((await svc('context rename prod desk')).exit).toBe(0)
  expect(JSON.parse((await svc('whoami --json')).stdout)).toMatchObject({ username: USER })
  const rows = JSON.parse((await svc('context list --json')).stdout)
  expect(rows).toMatchObject([
    { name: 'local', current: false },
    { name: 'desk', current: true, signed_in: true, api_key: false, color: 'red', id: idOf() },
  ])
  const inHome = JSON.parse((await svc('context list --json', { env: { SVC_HOME: desk.home } })).stdout)
  expect(inHome).toMatchObject([
    { name: 'local', current: true },
    { name: 'desk', current: false },
  ])
  expect((await svc('context remove desk')).exit).toBe(2)
  expect((await svc('context remove desk --yes')).stderr).toContain('Commands use the context local now.')
  expect(existsSync(join(config, 'contexts', 'desk'))).toBe(false)
  expect((await svc('context remove local --yes')).exit).toBe(2)
  expect((await svc('context remove gone --yes')).exit).toBe(4)
})

test('svc context remove asks about the context that it removes, and names no other', async () => {
  await addDesk('lab')
  await addDesk('prod')
  await svc('context use lab')
  const terminal = await svc('context remove prod', { answers: ['n'] })
  expect([terminal.exit, terminal.stderr]).toEqual([
    1,
    expect.stringContaining('Remove the context prod with its credentials? [y/N] '),
  ])
  const script = await svc('context remove prod')
  expect([script.exit, script.stderr]).toEqual([2, expect.stringContaining('Pass --yes.')])
  expect(terminal.stderr + script.stderr).not.toContain('lab')
})

test('two svc context use at once leave one of them, and a whole file', async () => {
  await addDesk('a')
  await addDesk('b')
  await Promise.all([svc('context use a'), svc('context use b')])
  expect(['a', 'b']).toContain(known().current)
  expect(Object.keys(known().contexts)).toEqual(['a', 'b'])
})

test('the question before a destructive act names the context', async () => {
  await addDesk()
  const asked = await svc('login-activity --clear --context prod', { answers: ['n'] })
  expect(asked.stderr).toContain('(context prod)? [y/N]')
  const script = await svc('login-activity --clear --context prod')
  expect(script.stderr).toContain('(context prod): this needs a confirmation')
})

test('the announcement of a live change names the context', async () => {
  await addDesk()
  await desk.service.settings.setAnalyzeMode(false)
  const { stderr } = await svc('risk set max_order_value=5000 --context prod')
  expect(stderr).toMatch(/^context prod {2}LIVE/m)
})

test('a command of the home is refused in a context', async () => {
  await addDesk()
  expect(await svc('down --context prod')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('svc down works on the home of this machine, not in the context prod.'),
  })
  expect((await svc('config get SVC_PORT --context prod')).exit).toBe(2)
  // The files of this machine say nothing about the daemon elsewhere.
  expect((await svc('log app --errors --context prod')).exit).toBe(2)
  expect((await svc('backup list --context prod')).exit).toBe(2)
  // An address elsewhere is a daemon elsewhere, too.
  expect(await svc('down --url https://desk.example.com')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('not at https://desk.example.com.'),
  })
})

test('beside another current context, a command of the home names the home, and one that ends something wants it named', async () => {
  await addDesk()
  await svc('context use prod')
  const listed = await svc('config list')
  expect([listed.exit, listed.stderr]).toEqual([
    0,
    expect.stringMatching(
      /^svc config list works on the home of this machine, \/.+; the current context is prod\.$/m,
    ),
  ])
  for (const line of ['down', 'restore newest', 'config rotate-key --yes']) {
    const { exit, stderr } = await svc(line)
    expect([line, exit, stderr]).toEqual([line, 2, expect.stringContaining('the current context is prod.')])
    expect(stderr).toContain('If you mean the home of this machine: --context local')
  }
  expect((await svc('down --context local')).stderr).not.toContain('current context')
})

test('every command of the home is in one table', async () => {
  const walk = (spec: CommandSpec, above: string, inherited: OfHome | undefined): [string, OfHome][] => {
    const [name, own] = [`${above} ${spec.name}`.trim(), spec.isOfHome ?? inherited]
    const verbs = (spec.verbs ?? []).flatMap((verb) => walk(verb, name, spec.isOfHome))
    return spec.run && own ? [[name, own], ...verbs] : verbs
  }
  const specs = await Promise.all(NOUNS.map(({ load }) => load()))
  expect(Object.fromEntries(specs.flatMap((spec) => walk(spec, '', undefined)))).toEqual({
    up: 'said',
    down: 'named',
    restore: 'named',
    'backup list': 'said',
    'backup verify': 'said',
    'config list': 'said',
    'config get': 'said',
    'config set': 'said',
    'config rotate-key': 'named',
    'log app': 'said',
    'totp recover': 'named',
    upgrade: 'named',
    // One version of the program runs another one's migrations with it.
    __migrate: 'said',
  })
})

test('a key of the request goes to a context that the key of the environment does not go to', async () => {
  await addDesk()
  const order = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' }
  const stdin = JSON.stringify({ ...order, apikey: desk.http.apikey })
  const env = { SVC_API_KEY: 'that-of-another-daemon' }
  const line = 'order place - --dry-run --context prod'
  expect((await svc(line, { stdin, env })).exit).toBe(0)
  expect((await svc(line, { stdin: JSON.stringify(order), env })).exit).toBe(3)
})

test('doctor marks what it found on this machine, and not what it asked of the daemon of a context', async () => {
  await addDesk()
  const names = async (line: string) => {
    const { stdout } = await svc(line)
    return JSON.parse(stdout).map(({ check }: { check: string }) => check)
  }
  const there = await names('doctor --context prod -o json')
  expect(there).toEqual(
    expect.arrayContaining(['home (here)', 'disk (here)', 'port (here)', 'daemon', 'clock']),
  )
  expect(await names('doctor -o json')).toEqual(expect.arrayContaining(['home', 'disk', 'port', 'daemon']))
})

test('without a key and without a daemon the status is 7', async () => {
  const env = { SVC_HOME: tempDir(), SVC_PORT: '9' }
  for (const line of ['order list', 'risk show']) {
    const { exit, stderr } = await svc(line, { env })
    expect([line, exit, stderr]).toEqual([
      line,
      7,
      'error: No daemon answers at http://127.0.0.1:9 (ECONNREFUSED). Start it: svc up --detach\n',
    ])
  }
})

test('completion names the contexts', async () => {
  await addDesk()
  for (const line of ['context use p', 'order list --context p', 'context rename p', '--context p']) {
    expect([line, (await svc(`__complete -- ${line}`)).stdout]).toEqual([
      line,
      expect.stringContaining('prod'),
    ])
  }
})
