import { readFile } from 'node:fs/promises'
import { hash } from '@node-rs/argon2'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ServiceError } from '../../../src/core/errors/index.js'
import { Hasher } from '../../../src/core/identity/credentials/hasher.js'
import { Identity } from '../../../src/core/identity/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import type { SecretBox } from '../../../src/core/secrets/index.js'
import { apiKeys } from '../../../src/core/storage/tables/svc/identity.js'
import { boxFor } from '../../support/desk/secret-boxes.js'
import { OWNER, ownedWorld, signIn, world } from './support.js'

const SIGNED_IN = { username: OWNER.username, totpRequired: false }
const LONG_UNICODE = 'Ä1!aaa-नमस्ते-😀'.padEnd(65, 'x').replace('Ä', 'ÄA')

describe('first-run setup', () => {
  it('creates the user and an API key of 64 hex characters', async () => {
    const { identity } = await world()
    expect(identity.users.needsSetup).toBe(true)
    const made = await identity.users.setup(OWNER)
    expect(made).toEqual({ username: 'asha', apiKey: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(identity.users.needsSetup).toBe(false)
    expect(await identity.apiKeys.verify(made.apiKey)).toMatchObject({
      username: 'asha',
      credential: 'api_key',
    })
  })

  it('creates one user when two setups run at the same time', async () => {
    const { identity, db } = await world()
    const results = await Promise.allSettled([
      identity.users.setup(OWNER),
      identity.users.setup({ ...OWNER, username: 'ravi', email: 'ravi@example.com' }),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = results.find((result) => result.status === 'rejected')
    expect(refused?.reason).toMatchObject({ code: 'conflict' })
    expect(await db.queryRaw('select count(*) as n from users')).toEqual([{ n: 1 }])
    expect(await db.queryRaw('select count(*) as n from api_keys')).toEqual([{ n: 1 }])
  })

  it('is refused once a user exists, also after a restart', async () => {
    const { identity, restart } = await ownedWorld()
    await expect(identity.users.setup(OWNER)).rejects.toMatchObject({ code: 'conflict' })
    const { identity: later } = await restart()
    expect(later.users.needsSetup).toBe(false)
    await expect(later.users.setup(OWNER)).rejects.toMatchObject({ code: 'conflict' })
  })

  it.each([
    ['', 'Password is required'],
    ['Aa1!', 'Password must be at least 8 characters long'],
    ['a1!😀😀😀A', 'Password must be at least 8 characters long'],
    ['short', 'Password must be at least 8 characters long'],
    ['lowercase1!', 'Password must contain at least 1 uppercase letter (A-Z)'],
    ['lowercase', 'Password must contain at least 1 uppercase letter (A-Z)'],
    ['UPPERCASE1!', 'Password must contain at least 1 lowercase letter (a-z)'],
    ['NoNumbers!', 'Password must contain at least 1 number (0-9)'],
    ['NoSpecial1', 'Password must contain at least 1 special character (such as !@#$%^&*-)'],
    ['No Special1', 'Password must contain at least 1 special character (such as !@#$%^&*-)'],
  ])('refuses the password %j: %s', async (password, text) => {
    const { identity } = await world()
    await expect(identity.users.setup({ ...OWNER, password })).rejects.toMatchObject({
      code: 'validation',
      message: `password: ${text}`,
      errors: { password: expect.arrayContaining([text]) },
    })
    expect(identity.users.needsSetup).toBe(true)
  })

  it.each([...'!@#$%^&*-_.,;:?+=~/|€'])('accepts %s as the special character', async (special) => {
    const { identity } = await world()
    const password = `Marigold7${special}`
    await identity.users.setup({ ...OWNER, password })
    expect(await identity.users.verifyPassword(OWNER.username, password)).toMatchObject(SIGNED_IN)
  })

  it.each([
    ['username', '', 'Username is required'],
    ['username', 'ab', 'Username must be 3 to 80 characters long'],
    ['username', 'a'.repeat(81), 'Username must be 3 to 80 characters long'],
    ['username', 'asha rao', 'Username must not contain spaces or control characters'],
    ['username', 'asha\u001b[2J', 'Username must not contain spaces or control characters'],
    ['email', '', 'Email is required'],
    ['email', 'asha', 'Email must look like name@domain.tld'],
    ['email', 'asha@example', 'Email must look like name@domain.tld'],
    ['email', 'asha@@example.com', 'Email must look like name@domain.tld'],
    ['email', 'asha@example.c', 'Email must look like name@domain.tld'],
    ['email', `${'a'.repeat(120)}@example.com`, 'Email must be at most 120 characters long'],
  ])('refuses the %s %j: %s', async (field, value, text) => {
    const { identity } = await world()
    await expect(identity.users.setup({ ...OWNER, [field]: value })).rejects.toMatchObject({
      code: 'validation',
      errors: { [field]: expect.arrayContaining([text]) },
    })
  })

  it('reports every broken rule of a field at once', async () => {
    const { identity } = await world()
    await expect(identity.users.setup({ ...OWNER, password: 'short' })).rejects.toMatchObject({
      errors: {
        password: [
          'Password must be at least 8 characters long',
          'Password must contain at least 1 uppercase letter (A-Z)',
          'Password must contain at least 1 number (0-9)',
          'Password must contain at least 1 special character (such as !@#$%^&*-)',
        ],
      },
    })
  })

  it('reports every wrong field at once', async () => {
    const { identity } = await world()
    const setup = identity.users.setup({ username: 'a', email: 'b', password: 'c' })
    const refusal = await setup.catch((error: unknown) => error)
    expect(Object.keys((refusal as ServiceError).errors ?? {})).toEqual(['username', 'email', 'password'])
  })

  it('leaves every TOTP flag off and keeps a sealed secret of 160 bits', async () => {
    const { db } = await ownedWorld()
    const [row] = await db.queryRaw('select * from users')
    expect(row).toMatchObject({
      totp_enabled: 0,
      totp_required_for_login: 0,
      totp_required_for_mcp: 0,
      totp_required_for_password_reset: 0,
    })
    expect((await boxFor()).open(String(row?.totp_secret))).toMatch(/^[A-Z2-7]{32}$/)
  })
})

describe('passwords', () => {
  it('are kept as argon2id with 64 MiB, three passes, one lane', async () => {
    const { db } = await ownedWorld()
    const [row] = await db.queryRaw('select password_hash from users')
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  })

  it('count in full: all 65 characters, unicode included, up to the last one', async () => {
    const { identity } = await world()
    await identity.users.setup({ ...OWNER, password: LONG_UNICODE })
    expect(await identity.users.verifyPassword('asha', LONG_UNICODE)).toMatchObject({
      username: 'asha',
      totpRequired: false,
    })
    expect(await identity.users.verifyPassword('asha', LONG_UNICODE.slice(0, -1))).toBeUndefined()
    expect(await identity.users.verifyPassword('asha', `${LONG_UNICODE.slice(0, -1)}y`)).toBeUndefined()
  })

  it('are hashed again at the next sign-in when the parameters are outdated', async () => {
    const { identity, db } = await ownedWorld()
    const old = await hash(OWNER.password + 'pepper'.repeat(6), {
      memoryCost: 8192,
      timeCost: 1,
      parallelism: 1,
    })
    await db.write((tx) => tx.exec('update users set password_hash = ?', [old]))
    expect(await identity.users.verifyPassword(OWNER.username, 'Wrong-Horse-1!')).toBeUndefined()
    expect(await db.queryRaw('select password_hash as hash from users')).toEqual([{ hash: old }])
    expect(await identity.users.verifyPassword(OWNER.username, OWNER.password)).toMatchObject(SIGNED_IN)
    const [row] = await db.queryRaw('select password_hash as hash from users')
    expect(row?.hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
    expect(await identity.users.verifyPassword(OWNER.username, OWNER.password)).toMatchObject(SIGNED_IN)
  })

  it('are checked once, at the same cost, for an unknown user as for a known one', async () => {
    const { identity } = await ownedWorld()
    const checks = vi.spyOn(Hasher.prototype, 'verify')
    onTestFinished(() => checks.mockRestore())
    for (const username of [OWNER.username, 'nobody', '', '__proto__', 'a'.repeat(10_000)]) {
      const attempt = identity.signIn({ ...OWNER, username, password: 'Wrong-Horse-1!' })
      await expect(attempt).rejects.toMatchObject({ code: 'unauthenticated', message: 'Invalid credentials' })
      expect(checks.mock.calls).toEqual([
        [
          'password',
          expect.stringMatching(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/),
          'Wrong-Horse-1!',
        ],
      ])
      // A hash that the library cannot read would be refused without any work.
      await expect(checks.mock.results[0]?.value).resolves.toBe(false)
      checks.mockClear()
    }
  })
})

describe('signing in', () => {
  it('is refused before setup', async () => {
    const { identity } = await world()
    await expect(identity.signIn(OWNER)).rejects.toMatchObject({
      code: 'refused',
      message: 'Please complete initial setup first.',
    })
  })

  it('gives the same answer to an unknown user and a wrong password, and records both', async () => {
    const { identity } = await ownedWorld()
    for (const wrong of [
      { ...OWNER, password: 'x' },
      { ...OWNER, username: 'nobody' },
    ]) {
      await expect(
        identity.signIn({ ...wrong, ipAddress: '10.0.0.9', deviceInfo: 'curl' }),
      ).rejects.toMatchObject({
        code: 'unauthenticated',
        message: 'Invalid credentials',
      })
    }
    await identity.flush()
    const failed = {
      ip_address: '10.0.0.9',
      device_info: 'curl',
      status: 'failed',
      login_type: 'password',
      broker: null,
      failure_reason: 'invalid_credentials',
      timestamp: '2026-01-05T10:00:00',
    }
    expect(await identity.attempts.list()).toEqual([
      { username: 'nobody', ...failed },
      { username: 'asha', ...failed },
    ])
  })

  it('grants a session and records it', async () => {
    const { identity } = await ownedWorld()
    const { token, session } = await signIn(identity)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(session).toMatchObject({
      username: 'asha',
      deviceInfo: 'test',
      ipAddress: '127.0.0.1',
      broker: null,
    })
    await identity.flush()
    expect(await identity.attempts.list({ status: 'success' })).toHaveLength(1)
    expect(await identity.attempts.list({ status: 'failed' })).toEqual([])
    await identity.attempts.clear()
    expect(await identity.attempts.list()).toEqual([])
  })

  it.each([
    [1, 1, true],
    [1, 0, false],
    [0, 1, false],
  ])('with TOTP enabled=%i and required=%i asks for a code: %s', async (enabled, required, asked) => {
    const { identity, db } = await ownedWorld()
    await db.write((tx) =>
      tx.exec('update users set totp_enabled = ?, totp_required_for_login = ?', [enabled, required]),
    )
    const result = await identity.signIn(OWNER)
    expect(result.totpRequired).toBe(asked)
    expect(identity.sessions.list('asha')).toHaveLength(asked ? 0 : 1)
  })
})

describe('secrets at rest', () => {
  it('refuses to start with another API_KEY_PEPPER, says so, and changes nothing', async () => {
    const { restart, apiKey } = await ownedWorld()
    await expect(restart({ config: { pepper: 'another pepper' } })).rejects.toThrow(
      /^API_KEY_PEPPER has changed/,
    )
    const { identity } = await restart()
    expect(await identity.apiKeys.verify(apiKey)).toMatchObject({ username: OWNER.username })
    expect(await identity.users.verifyPassword(OWNER.username, OWNER.password)).toMatchObject(SIGNED_IN)
  })

  it('accepts another API_KEY_PEPPER while no stored hash depends on it', async () => {
    const { restart } = await world()
    const { identity } = await restart({ config: { pepper: 'another pepper' } })
    expect(identity.users.needsSetup).toBe(true)
  })

  it('refuses to start with another APP_KEY, and says so', async () => {
    const { db, clock, identity } = await ownedWorld()
    await identity.close()
    const config = { pepper: 'p', sessionExpiryTime: '03:00', disableSessionExpiry: false, reauthMinutes: 15 }
    const secretBox = await boxFor('z'.repeat(64))
    await expect(Identity.open({ db, clock, config, secretBox, log: silentLogger })).rejects.toThrow(
      /APP_KEY or FERNET_SALT/,
    )
  })

  it('refuses another APP_KEY also without an API key, and accepts the former one', async () => {
    const { db, clock, identity } = await ownedWorld()
    await identity.close()
    await db.write((tx) => tx.delete(apiKeys))
    const config = { pepper: 'p', sessionExpiryTime: '03:00', disableSessionExpiry: false, reauthMinutes: 15 }
    const opened = (secretBox: SecretBox) =>
      Identity.open({ db, clock, config, secretBox, log: silentLogger })
    await expect(opened(await boxFor('z'.repeat(64)))).rejects.toThrow(/APP_KEY or FERNET_SALT/)
    const again = await opened(await boxFor())
    expect(again.users.owner).toBe(OWNER.username)
    await again.close()
  })

  it('leaves no password, key, token or TOTP secret in the files of the database', async () => {
    const { identity, db, file, apiKey, restart } = await ownedWorld()
    const { token, csrfToken } = await signIn(identity)
    const { apiKey: rotated } = await identity.apiKeys.rotate('asha')
    const { token: accessToken } = await identity.tokens.create('asha', { name: 'cron', scopes: ['read'] })
    await identity.signIn({ ...OWNER, password: 'Wrong-Horse-1!' }).catch(() => undefined)
    const [row] = await db.queryRaw('select totp_secret from users')
    const totpSecret = (await boxFor()).open(String(row?.totp_secret)) ?? 'missing'
    await identity.flush()
    const bytes = [await readFile(`${file}-wal`, 'latin1')]
    await restart()
    bytes.push(await readFile(file, 'latin1'))
    expect(bytes.join()).toContain('asha@example.com')
    const secrets = { token, csrfToken, apiKey, rotated, accessToken, totpSecret, password: OWNER.password }
    for (const [name, secret] of Object.entries({ ...secrets, wrong: 'Wrong-Horse-1!' })) {
      expect({ name, found: bytes.join().includes(secret) }).toEqual({ name, found: false })
      expect({ name, found: bytes.join().includes(secret.replace('svc_pat_', '')) }).toEqual({
        name,
        found: false,
      })
    }
  })
})
