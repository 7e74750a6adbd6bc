import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SETUP_TOKEN_FILE, SetupToken } from '../../../../src/daemon/process/setup-token.js'
import { world } from '../../../core/identity/support.js'
import { mounted } from '../../../support/desk/mounted.js'
import { tempDir } from '../../../support/files/temp.js'

const ACCOUNT = { username: 'asha', email: 'asha@example.org', password: 'Passw0rd!' }

/** A service without a user, as callers from another machine see it. */
async function openSetup() {
  const { identity } = await world()
  const home = tempDir()
  const setupToken = SetupToken.write(home)
  const app = mounted(identity, undefined, { daemon: Object({ setupToken }) })
  const file = join(home, SETUP_TOKEN_FILE)
  const call = async (from: string | undefined, headers: Record<string, string> = {}) => {
    const env = from === undefined ? {} : { incoming: { socket: { remoteAddress: from } } }
    const init = {
      method: 'POST',
      body: JSON.stringify(ACCOUNT),
      headers: { 'content-type': 'application/json', ...headers },
    }
    return (await app.request('/setup', init, env)).status
  }
  return { call, file, token: () => readFileSync(file, 'utf8').trim() }
}

describe('setting up', () => {
  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.8.9.1'])(
    'from this machine (%s) needs no token',
    async (from) => {
      const { call, file } = await openSetup()
      expect(await call(from)).toBe(201)
      expect(existsSync(file)).toBe(false)
    },
  )

  test.each(['192.168.1.7', '::ffff:10.0.0.1', 'fe80::1', '128.0.0.1'])(
    'from another (%s) needs the token of the home, once',
    async (from) => {
      const { call, file, token } = await openSetup()
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(await call(from)).toBe(403)
      expect(await call(from, { 'x-setup-token': 'x' })).toBe(403)
      const headers = { 'x-setup-token': token() }
      expect(await call(from, headers)).toBe(201)
      expect(existsSync(file)).toBe(false)
      expect(await call(from, headers)).toBe(403)
      expect(await call('127.0.0.1')).toBe(409)
    },
  )

  test.each(['x-forwarded-for', 'x-real-ip', 'cf-connecting-ip'])(
    'through a proxy is from another machine, whatever address %s names',
    async (header) => {
      const { call } = await openSetup()
      for (const address of ['203.0.113.9', '127.0.0.1']) {
        expect(await call('127.0.0.1', { [header]: address })).toBe(403)
      }
    },
  )

  test('by a page whose name was pointed at this machine is refused', async () => {
    const { call } = await openSetup()
    expect(await call('127.0.0.1', { host: 'evil.example', 'sec-fetch-site': 'same-origin' })).toBe(403)
  })
})
