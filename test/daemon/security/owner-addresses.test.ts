import { expect, test } from 'vitest'
import { USER } from '../../support/desk/desk.js'
import { HttpDesk, PASSWORD } from '../../support/desk/http-desk.js'

const OFFICE = '198.51.100.7'
const STRANGER = '203.0.113.9'
const ENV = { TRUST_PROXY_HEADERS: 'true', OWNER_ADDRESSES: `${OFFICE}, 2001:db8::/48` }

function signIn(http: HttpDesk, headers: Record<string, string>, password = 'wrong'): Promise<number> {
  const body = { username: USER, password }
  return http.request('POST', '/auth/login', { body, headers }).then(({ status }) => status)
}

test('a named address never waits to sign in, whoever guessed before, and nobody can pass for it', async () => {
  const http = await HttpDesk.open({ env: ENV })
  const from = (address: string) => ({ 'x-real-ip': address })
  for (let guess = 0; guess < 6; guess++) await signIn(http, from(`203.0.113.${guess}`))
  expect(await signIn(http, from(STRANGER), PASSWORD)).toBe(429)
  // More wrong passwords than LOGIN_RATE_LIMIT_MIN and the delays of the account allow.
  for (let typo = 0; typo < 12; typo++) expect(await signIn(http, from(OFFICE))).toBe(401)
  const forged = { ...from(STRANGER), 'x-forwarded-for': OFFICE }
  expect(await signIn(http, forged, PASSWORD)).toBe(429)
  expect(await signIn(http, from(STRANGER), PASSWORD)).toBe(429)
  expect(await signIn(http, from(OFFICE), PASSWORD)).toBe(200)
})

test('without a trusted proxy, a header does not make a named address', async () => {
  const http = await HttpDesk.open({ env: { ...ENV, TRUST_PROXY_HEADERS: 'false' } })
  const statuses: number[] = []
  for (let guess = 0; guess < 8; guess++) statuses.push(await signIn(http, { 'x-real-ip': OFFICE }))
  expect(statuses.at(-1)).toBe(429)
})
