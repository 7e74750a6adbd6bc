import { expect, test } from 'vitest'
import { USER } from '../../../support/desk/desk.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

const NO_USER = 'User ID is required'
const NO_MODE = 'Invalid mode. Must be "auto" or "semi_auto"'

const REFUSED = [
  [{ user_id: USER }, NO_MODE],
  [{ user_id: USER, mode: null }, NO_MODE],
  [{ user_id: USER, mode: 'AUTO' }, NO_MODE],
  [{ user_id: USER, mode: ['auto'] }, NO_MODE],
  [{ mode: 'auto' }, NO_USER],
  [{ user_id: '', mode: 'auto' }, NO_USER],
  [{ user_id: 5, mode: 'auto' }, NO_USER],
  [{}, NO_USER],
] as const

test('POST /apikey/mode answers a wrong body in the words of the contract', async () => {
  const http = await HttpDesk.open()
  const headers = bearer(await http.signIn())
  for (const [body, error] of REFUSED) {
    const reply = await http.request('POST', '/apikey/mode', { headers, body })
    expect(reply, JSON.stringify(body)).toMatchObject({
      status: 400,
      code: 'validation',
      body: { status: 'error', message: error, error },
    })
  }
})

test('POST /apikey/mode sets the mode of the signed-in user, and of nobody else', async () => {
  const http = await HttpDesk.open()
  const headers = bearer(await http.signIn())
  const set = (body: object) => http.request('POST', '/apikey/mode', { headers, body })
  expect(await set({ user_id: USER, mode: 'semi_auto' })).toMatchObject({
    status: 200,
    body: { message: 'Order mode updated to semi_auto', mode: 'semi_auto' },
  })
  expect((await set({ user_id: 'ben', mode: 'auto' })).status).toBe(403)
  expect(http.desk.service.identity.apiKeys.orderMode(USER)).toBe('semi_auto')
})
