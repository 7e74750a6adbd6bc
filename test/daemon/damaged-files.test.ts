import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { silentLogger } from '../../src/core/logging/index.js'
import { isNewHome } from '../../src/daemon/service/lost-files.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'
import { execute, query } from '../support/files/files.js'
import { tempDir } from '../support/files/temp.js'

/** Overwrites the middle of a database file; its header stays unchanged. */
function damage(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0xa5, 4096, Math.max(8192, bytes.length - 4096))
  writeFileSync(file, bytes)
}

/** Returns a home after a graceful stop of its service. */
async function stoppedHome(): Promise<string> {
  const first = await HttpDesk.open()
  const home = join(tempDir(), 'home')
  await first.desk.settled(first.desk.close())
  mkdirSync(join(home, 'brokers/simulated'), { recursive: true })
  for (const name of readdirSync(first.desk.home).filter((one) => /\.(db|env)/.test(one))) {
    copyFileSync(join(first.desk.home, name), join(home, name))
  }
  return home
}

test.each(['svc.db', 'sandbox.db'])(
  'a damaged %s keeps the service from starting, in words',
  async (name) => {
    const home = await stoppedHome()
    damage(join(home, name))
    await expect(HttpDesk.open({ home })).rejects.toThrow(
      new RegExp(
        `${name} is damaged \\(.+\\), so the service does not start\\. Restore a backup: svc backup list, .+ svc restore --mark before the start`,
      ),
    )
  },
)

describe('a svc.db that is gone', () => {
  const lose: [string, (file: string) => void][] = [
    ['missing', (file) => rmSync(file)],
    ['empty', (file) => writeFileSync(file, '')],
  ]
  test.each(lose)('%s: an existing home does not start as a new one', async (state, takeAway) => {
    const home = await stoppedHome()
    const file = join(home, 'svc.db')
    takeAway(file)
    const before = readdirSync(home).sort()
    await expect(HttpDesk.open({ home })).rejects.toMatchObject({
      code: 'storage_full',
      message: expect.stringMatching(
        new RegExp(`^${file} is ${state}, but .+ shows that this home is not new`),
      ),
    })
    expect(readdirSync(home).sort(), 'the refused start creates and removes nothing').toEqual(before)
  })

  test('is no loss where only the configuration exists', async () => {
    const home = await stoppedHome()
    for (const name of readdirSync(home))
      if (name !== 'config.env') rmSync(join(home, name), { recursive: true })
    writeFileSync(join(home, 'svc.db'), '')
    const http = await HttpDesk.open({ home })
    expect((await http.request('GET', '/health/ready')).status).toBe(200)
  })

  test('a missing sandbox.db is told of, and the service starts', async () => {
    const home = await stoppedHome()
    writeFileSync(join(home, 'sandbox.db'), '')
    const warned: string[] = []
    expect(await isNewHome(home, { ...silentLogger, warn: (event) => warned.push(event) })).toBe(false)
    expect(warned).toEqual(['storage.sandbox_new'])
    const http = await HttpDesk.open({ home })
    expect((await http.request('GET', '/health/ready')).status).toBe(200)
  })
})

test('a damaged logs.db is set aside, and trading starts', async () => {
  const home = await stoppedHome()
  damage(join(home, 'logs.db'))
  const http = await HttpDesk.open({ home })
  expect(readdirSync(home).filter((name) => /^logs\.db\.damaged-\d{8}T\d{6}Z$/.test(name))).toHaveLength(1)
  expect(await query(join(home, 'logs.db'), 'pragma quick_check')).toEqual([{ quick_check: 'ok' }])
  const { body } = await http.request('GET', '/health/ready')
  expect(body).toMatchObject({ status: 'pass', checks: { storage: 'ok' } })
})

test('with a damaged exchange.db the simulated broker is not connected, and says why', async () => {
  const home = await stoppedHome()
  const file = join(home, 'brokers/simulated/exchange.db')
  await execute(
    file,
    `create table exchange_orders (a text); insert into exchange_orders values (hex(zeroblob(99999)))`,
  )
  damage(file)
  const http = await HttpDesk.open({ home })
  expect((await http.request('GET', '/health/ready')).body).toMatchObject({
    checks: { broker: 'disconnected' },
  })
  const headers = bearer(await http.tokenOf('read'))
  const { data } = (await http.request('GET', '/broker/status', { headers })).body
  const reason =
    /exchange\.db is damaged \(.+\)\. .+ The service does not reconnect automatically. Reconnect with: svc broker login$/
  expect(data).toMatchObject({ connected: false, reason: expect.stringMatching(reason) })
})

test('an unreadable exchange.db is reported, and svc broker login connects once it is readable', async () => {
  const home = await stoppedHome()
  const file = join(home, 'brokers/simulated/exchange.db')
  mkdirSync(file)
  const http = await HttpDesk.open({ home })
  const admin = bearer(await http.tokenOf('admin'))
  const state = async () => (await http.request('GET', '/broker/status', { headers: admin })).body.data
  const refused = {
    connected: false,
    reason: expect.stringMatching(
      /\. The service does not reconnect automatically. Reconnect with: svc broker login$/,
    ),
  }
  expect(await state()).toMatchObject(refused)
  const login = () => http.request('POST', '/broker/login', { headers: admin, body: { fields: {} } })
  expect((await login()).status).not.toBe(200)
  expect(await state(), 'a sign-in that fails keeps the reason').toMatchObject(refused)
  rmSync(file, { recursive: true })
  expect((await login()).status).toBe(200)
  expect(await state()).toMatchObject({ connected: true, reason: null })
})
