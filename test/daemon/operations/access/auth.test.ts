import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'
import { lockedElsewhere } from '../../../support/process/lock.js'

const body = { username: 'asha', password: 'Passw0rd!' }

test.each<{ name: string; env: Record<string, string>; headers: Record<string, string>; secure: boolean }>([
  { name: 'plain HTTP', env: {}, headers: {}, secure: false },
  {
    name: 'HTTPS in front of us, by a proxy that is trusted',
    env: { TRUST_PROXY_HEADERS: 'true' },
    headers: { 'x-forwarded-proto': 'https' },
    secure: true,
  },
  {
    name: 'a claim of HTTPS by nobody we trust',
    env: {},
    headers: { 'x-forwarded-proto': 'https' },
    secure: false,
  },
])('the session cookie keeps to encrypted connections where there are any: $name', async (given) => {
  const http = await HttpDesk.open({ env: given.env })
  const reply = await http.request('POST', '/auth/login', { body, headers: given.headers })
  expect(reply.status).toBe(200)
  expect(/; Secure/.test(reply.headers.get('set-cookie') ?? '')).toBe(given.secure)
})

test('a credential that was ended while the database was locked is dead, and asking again stores it', async () => {
  const http = await HttpDesk.open()
  const { service, home } = http.desk
  const [admin, leaving] = [await http.signIn(), await http.signIn()]
  const script = await http.tokenOf('read')
  const [{ id } = { id: 0 }] = service.identity.tokens.list('asha')
  const file = join(home, 'svc.db')
  const release = await lockedElsewhere(service.databases.svc, file)
  const revoke = () => http.request('DELETE', `/auth/tokens/${id}`, { headers: bearer(admin) })
  const leave = () => http.request('POST', '/auth/logout', { headers: bearer(leaving) })
  for (const ask of [revoke, leave, revoke, leave]) {
    expect(await ask()).toMatchObject({ status: 503, code: 'unavailable' })
  }
  for (const token of [script, leaving]) {
    expect((await http.request('GET', '/auth/whoami', { headers: bearer(token) })).status).toBe(401)
  }
  await release()
  expect([(await revoke()).status, (await leave()).status]).toEqual([200, 200])
  expect((await leave()).status).toBe(401)
  expect((await http.request('DELETE', '/auth/tokens/999', { headers: bearer(admin) })).status).toBe(404)
})

test('a revoked token is listed as such', async () => {
  const http = await HttpDesk.open()
  const headers = bearer(await http.signIn())
  const made = await http.request('POST', '/auth/tokens', {
    body: { name: 'cron', scopes: ['read'] },
    headers,
  })
  expect(made.body.data).toMatchObject({ name: 'cron', revoked_at: null })
  const listed = async () => (await http.request('GET', '/auth/tokens', { headers })).body.data
  const [{ id } = { id: 0 }] = http.desk.service.identity.tokens.list('asha')
  await http.request('DELETE', `/auth/tokens/${id}`, { headers })
  const revokedAt = new Date(http.desk.clock.now()).toISOString()
  expect(await listed()).toMatchObject([{ id, revoked_at: revokedAt }])
})
