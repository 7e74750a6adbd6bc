import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { refreshedTarget, resolveTarget } from '../../../src/cli/contexts/target.js'
import { readSettings } from '../../../src/cli/framework/globals.js'
import { tempDir } from '../../support/files/temp.js'
import { ioOf } from '../support/terminal.js'

let home = ''
let config = ''
const daemonAt = (url: string, id?: string) =>
  writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid: 1, url, id }))

const ID = '0'.repeat(32)

beforeEach(() => {
  home = tempDir()
  config = tempDir()
  const contexts = {
    prod: { url: 'https://desk.example.com', id: ID, color: 'red' },
    lab: { url: 'http://127.0.0.1:7009', id: ID },
  }
  writeFileSync(join(config, 'contexts.json'), JSON.stringify({ version: 1, current: 'prod', contexts }), {
    mode: 0o600,
  })
})

/** Returns the daemon of a command line: with the options and the environment that it names. */
function targetOf(options: Record<string, string>, env: Record<string, string> = {}) {
  const io = { ...ioOf([], []), env: { SVC_CONFIG_DIR: config, ...env } }
  const settings = readSettings({ ...options }, io)
  return { target: resolveTarget(settings, io), settings, io }
}

describe('the address of a daemon that restarted', () => {
  const settingsOf = () => targetOf({ home })

  it("is the new one of the home's daemon", () => {
    daemonAt('http://127.0.0.1:7001', ID)
    const { target, settings, io } = settingsOf()
    expect(target).toMatchObject({ url: 'http://127.0.0.1:7001', source: 'home', trust: { id: ID } })
    daemonAt('http://127.0.0.1:7002')
    expect(refreshedTarget(target, settings, io)).toMatchObject({
      url: 'http://127.0.0.1:7002',
      source: 'home',
    })
  })

  it('stays while the home names no daemon', () => {
    daemonAt('http://127.0.0.1:7001')
    const { target, settings, io } = settingsOf()
    rmSync(join(home, 'daemon.json'))
    expect(refreshedTarget(target, settings, io)).toBe(target)
  })

  it('stays if it is named, that of a context, or the default', () => {
    const named: readonly Record<string, string>[] = [
      { url: 'https://svc.example.org' },
      { context: 'lab' },
      {},
    ]
    for (const one of named) {
      const options = { ...one, home }
      rmSync(join(home, 'daemon.json'), { force: true })
      const { target, settings, io } = targetOf(options)
      daemonAt('http://127.0.0.1:7001')
      expect(refreshedTarget(target, settings, io)).toBe(target)
    }
  })
})

describe('a home without a daemon', () => {
  it('is at its own port', () => {
    expect(targetOf({ home }).target).toMatchObject({ url: 'http://127.0.0.1:5000', source: 'default' })
    writeFileSync(join(home, 'config.env'), 'APP_KEY=x\nSVC_PORT=5017\n')
    expect(targetOf({ home }).target.url).toBe('http://127.0.0.1:5017')
    expect(targetOf({ home }, { SVC_PORT: '5018' }).target.url).toBe('http://127.0.0.1:5018')
  })

  it('with a port that is none is at the usual one', () => {
    mkdirSync(join(home, 'x'))
    for (const port of ['0', 'many', '70000', '-1']) {
      writeFileSync(join(home, 'config.env'), `SVC_PORT=${port}\n`)
      expect(targetOf({ home }).target.url).toBe('http://127.0.0.1:5000')
    }
  })
})

test.each<[string, Record<string, string>, Record<string, string>, string]>([
  ['nothing: the current context', {}, {}, 'prod'],
  ['SVC_HOME before the current context', {}, { SVC_HOME: '/h' }, 'default'],
  ['SVC_CONTEXT before SVC_HOME', {}, { SVC_HOME: '/h', SVC_CONTEXT: 'lab' }, 'lab'],
  ['SVC_URL before SVC_HOME', {}, { SVC_HOME: '/h', SVC_URL: 'http://u' }, 'named'],
  ['--home before SVC_CONTEXT', { home: '/h' }, { SVC_CONTEXT: 'lab' }, 'default'],
  ['SVC_URL before --home, as ever', { home: '/h' }, { SVC_URL: 'http://u' }, 'named'],
  ['--context before all of it', { context: 'lab', home: '/h' }, { SVC_URL: 'http://u' }, 'lab'],
  ['--url before all of it', { url: 'http://u', home: '/h' }, { SVC_CONTEXT: 'lab' }, 'named'],
  ['local is the home', { context: 'local', home: '/h' }, { SVC_CONTEXT: 'lab' }, 'default'],
])('%s', (_, options, env, expected) => {
  const { target } = targetOf(options, env)
  expect(target.context?.name ?? target.source).toBe(expected)
})

test('two names of one rank are refused', () => {
  expect(() => targetOf({ url: 'http://u', context: 'lab' })).toThrow('Choose one: --url or --context.')
  expect(() => targetOf({}, { SVC_URL: 'http://u', SVC_CONTEXT: 'lab' })).toThrow('are both set')
})

test.each<[string, Record<string, string>, Record<string, string>, boolean]>([
  ['the context that SVC_CONTEXT names', {}, { SVC_CONTEXT: 'prod' }, true],
  ['the current context', {}, {}, false],
  ['another context of --context', { context: 'lab' }, { SVC_CONTEXT: 'prod' }, false],
  ['a context of --context', { context: 'lab' }, {}, false],
  ['the same context', { context: 'lab' }, { SVC_CONTEXT: 'lab' }, true],
  ['the local home', { context: 'local' }, {}, true],
  [
    'the local home, while the variables are for a context',
    { context: 'local' },
    { SVC_CONTEXT: 'lab' },
    false,
  ],
  [
    'the local home, while the variables are for an address',
    { context: 'local' },
    { SVC_URL: 'http://u' },
    false,
  ],
  ['an address', { url: 'http://u' }, {}, true],
])('SVC_TOKEN and SVC_API_KEY are for %s: %#', (_, options, env, expected) => {
  expect(targetOf(options, env).target.ownsEnvironment).toBe(expected)
})

test('an unknown context names the nearest', () => {
  expect(() => targetOf({ context: 'prdo' })).toThrow(
    expect.objectContaining({ exit: 4, hint: expect.stringContaining('Did you mean prod?') }),
  )
})

test('the authorities of a flag come before those of the environment, and must be certificates', () => {
  const pem = join(config, 'ca.pem')
  writeFileSync(pem, '-----BEGIN CERTIFICATE-----\n')
  expect(targetOf({ context: 'prod', caFile: pem }, { SVC_CA_FILE: '/none' }).target.trust.ca).toContain(
    'BEGIN',
  )
  expect(() => targetOf({ context: 'prod' }, { SVC_CA_FILE: '/none' })).toThrow('SVC_CA_FILE cannot be read')
  writeFileSync(pem, 'no certificate')
  expect(() => targetOf({ url: 'https://u', caFile: pem })).toThrow('--ca-file has no certificate in PEM')
})
