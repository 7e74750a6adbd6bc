import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { Context } from '../../../src/cli/framework/context.js'
import { readSettings } from '../../../src/cli/framework/globals.js'
import { readSecret, storeSecret } from '../../../src/cli/io/home.js'
import { ScreenAccess } from '../../../src/cli/output/screen-access.js'
import { SigningKey } from '../../../src/core/secrets/index.js'
import { LightDaemon } from '../../support/daemons/light-daemon.js'
import { USER } from '../../support/desk/desk.js'
import { bearer, HttpDesk, PASSWORD } from '../../support/desk/http-desk.js'
import { ioOf } from '../support/terminal.js'

const LIMIT_MS = 10_000
let http: HttpDesk
let url = ''

beforeEach(async () => {
  http = await HttpDesk.open()
  const { port } = await http.listen()
  url = `http://127.0.0.1:${port}`
})

/** Returns the access of a command in a new home. */
function accessOf(env: Record<string, string> = {}) {
  const base = ioOf([], [])
  const io = { ...base, env: { ...base.env, SVC_URL: url, ...env } }
  const context = new Context(io, readSettings({}, io), { version: '0.1.0', nouns: [], run: async () => 0 })
  const { home } = context.settings
  const store = (value: string) =>
    storeSecret(home, 'session.json', { value, url, username: USER, expiresAt: undefined })
  return { access: new ScreenAccess(context), home, store }
}

const ping = (access: ScreenAccess) => access.client(LIMIT_MS).call('ping', {})
const cancelAll = (access: ScreenAccess) => access.client(LIMIT_MS).call('cancelallorder', { strategy: 't' })

test('without a stored key it reads the key of the session, once', async () => {
  const { access, store } = accessOf()
  store(await http.signIn())
  await expect(ping(access)).resolves.toMatchObject({ status: 'success' })
  await expect(cancelAll(access)).rejects.toMatchObject({ code: 'validation' })
  expect(await access.readKey()).toBeUndefined()
  await expect(cancelAll(access)).resolves.toMatchObject({ status: 'success' })
  await http.desk.clock.advance(3_600_000)
  expect(await access.readKey()).toBeUndefined()
})

test('a stored key and that of the environment stay what they are', async () => {
  const { access, store, home } = accessOf()
  store(await http.signIn())
  storeSecret(home, 'apikey.json', { value: 'stored', url, username: USER, expiresAt: undefined })
  expect(await access.readKey()).toBeUndefined()
  await expect(ping(access)).rejects.toMatchObject({ code: 'invalid_key' })
  const other = accessOf({ SVC_API_KEY: http.apikey })
  other.store(await http.signIn())
  await expect(ping(other.access)).resolves.toMatchObject({ status: 'success' })
})

test('a sign-in stores the session for the commands, and reads the key again', async () => {
  const { access, home, store } = accessOf()
  const old = await http.signIn()
  store(old)
  await access.readKey()
  await http.request('POST', '/apikey', { headers: bearer(old), body: { user_id: USER } })
  await expect(ping(access)).rejects.toMatchObject({ code: 'invalid_key' })
  const { signIn } = access
  expect(signIn?.lastUsername()).toBe(USER)
  const body = { username: USER, password: PASSWORD }
  const client = await signIn?.client(LIMIT_MS)
  const session = await client?.request('POST /auth/login', { body })
  if (session?.status !== 'success') throw new Error('not signed in')
  signIn?.keep(session)
  expect(readSecret(home, 'session.json')).toMatchObject({ value: session.token, username: USER, url })
  expect(statSync(join(home, 'session.json')).mode & 0o777).toBe(0o600)
  await access.readKey()
  await expect(ping(access)).resolves.toMatchObject({ status: 'success' })
})

test('a sign-in binds the session to the daemon that answered, and the key of an earlier one is not sent along', async () => {
  const { access, home } = accessOf()
  const { signIn } = access
  const earlier = { url, username: USER, expiresAt: undefined, id: 'a'.repeat(32) }
  storeSecret(home, 'apikey.json', { value: 'of-an-earlier-daemon', ...earlier })
  const client = await signIn?.client(LIMIT_MS)
  const body = { username: USER, password: PASSWORD }
  const session = await client?.request('POST /auth/login', { body })
  if (session?.status !== 'success') throw new Error('not signed in')
  signIn?.keep(session)
  const { id } = (await http.request('GET', '/health')).body
  expect(readSecret(home, 'session.json')).toMatchObject({ value: session.token, id })
  // With the key of the session, not with the stored one.
  expect(await access.readKey()).toBeUndefined()
  await expect(ping(access)).resolves.toMatchObject({ status: 'success' })
})

test('a sign-in sends no password to a daemon that does not prove the id of the home', async () => {
  const { id } = SigningKey.make()
  const stranger = await LightDaemon.open()
  const { access, home } = accessOf({ SVC_URL: '' })
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'daemon.json'), JSON.stringify({ pid: 1, url: stranger.url, id }))
  const client = await access.signIn?.client(LIMIT_MS)
  const body = { username: USER, password: PASSWORD }
  await expect(client?.request('POST /auth/login', { body })).rejects.toThrow()
  expect(stranger.seen.map(({ path }) => path)).not.toContain('/auth/login')
})

test('a refused key is named with the way out, and without any secret', async () => {
  const { access, store } = accessOf()
  const token = await http.signIn()
  store(token)
  await http.desk.clock.advance(3_600_000)
  const problem = await access.readKey()
  expect(problem).toBe(
    'No API key, so no live prices: the last sign-in is too long ago. Store one: svc apikey show --save',
  )
  expect(problem).not.toContain(token)
})

test('a daemon that is away is asked again', async () => {
  const { access, store } = accessOf({ SVC_URL: 'http://127.0.0.1:9' })
  store('session')
  expect(await access.readKey()).toBeUndefined()
  await expect(ping(access)).rejects.toMatchObject({ name: 'NoAnswerError' })
})

test('a token of the environment is no session to renew', () => {
  expect(accessOf({ SVC_TOKEN: 'pat' }).access.signIn).toBeUndefined()
})
