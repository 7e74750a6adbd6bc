import { expect, test } from 'vitest'
import { USER } from '../support/desk/desk.js'
import { bearer, HttpDesk, PASSWORD } from '../support/desk/http-desk.js'

const NEW = 'New-Horse-2!'
/** Requests to change how the owner signs in, without the proof that each needs besides the session. */
const CHANGES: readonly (readonly [path: string, body: object])[] = [
  ['/auth/change-password', { new_password: NEW, confirm_password: NEW }],
  ['/auth/change-password', { old_password: '', new_password: NEW, confirm_password: NEW }],
  ['/auth/change-password', { old_password: 'Wrong-Horse-1!', new_password: NEW, confirm_password: NEW }],
  ['/auth/change', { new_password: NEW }],
  ['/auth/change', { current_password: 'Wrong-Horse-1!', new_password: NEW }],
  ['/auth/2fa/configure', { totp_enabled: true, totp_required_for_login: true }],
  ['/auth/2fa/configure', { totp_code: '', totp_enabled: true, totp_required_for_login: true }],
  ['/auth/2fa/configure', { totp_code: '000000', totp_enabled: true, totp_required_for_login: true }],
]

test('a session alone changes neither the password nor the second factor', async () => {
  const http = await HttpDesk.open()
  const { users, secondFactor } = http.desk.service.identity
  const before = await secondFactor.settings(USER)
  const session = await http.signIn()
  for (const credential of [session, await http.tokenOf('admin')]) {
    for (const [path, body] of CHANGES) {
      const { status } = await http.request('POST', path, { body, headers: bearer(credential) })
      expect([path, body, status >= 400 && status < 500]).toEqual([path, body, true])
    }
  }
  expect(await users.verifyPassword(USER, PASSWORD)).toMatchObject({ username: USER })
  expect(await users.verifyPassword(USER, NEW)).toBeUndefined()
  expect(await secondFactor.settings(USER)).toEqual(before)
  expect((await http.request('GET', '/status', { headers: bearer(session) })).status).toBe(200)
})
