import { expect, test } from 'vitest'
import { HttpDesk } from '../../support/http-desk.js'

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
