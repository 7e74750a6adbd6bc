import { expect, test } from 'vitest'
import { manifest as dhan } from '../../../../src/core/brokers/dhan/manifest.js'
import { LogInForm } from '../../../../src/core/brokers/sign-in/form.js'
import { TestDesk } from '../../../support/desk/desk.js'

test('credentials of another broker are refused by name, never taken as a sign-in', async () => {
  const { brokers } = (await TestDesk.open()).service
  await expect(brokers.login({ client_id: '1000000001', access_token: 'hidden-4711' })).rejects.toMatchObject(
    {
      code: 'validation',
      message: 'fields: Simulated exchange takes no client_id, access_token. Its fields: none.',
    },
  )
})

test('a field that is spelt wrongly is named beside those that the broker takes', () => {
  const form = new LogInForm(dhan, undefined)
  expect(() => form.values({ client_id: '1000000001', totp: 'hidden-4711' }, 'all')).toThrow(
    'fields: Dhan takes no totp. Its fields: client_id, access_token, pin, totp_secret.',
  )
})
