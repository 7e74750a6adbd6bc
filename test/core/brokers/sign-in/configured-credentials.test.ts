import { expect, it } from 'vitest'
import { withConfigured } from '../../../../src/core/brokers/sign-in/configured-credentials.js'

const field = (name: string) => ({ name, label: name, secret: true, required: false })
const zerodha = { id: 'zerodha', credentialFields: ['api_key', 'api_secret', 'request_token'].map(field) }
const fields = { api_key: 'ourkey', api_secret: 'oursecret', api_key_market: 'm', api_secret_market: 'n' }
const configured = { broker: 'zerodha', fields }

it('the configuration fills in the fields that a log-in leaves out', () => {
  expect(withConfigured({ request_token: 't' }, zerodha, configured)).toEqual({
    request_token: 't',
    api_key: 'ourkey',
    api_secret: 'oursecret',
  })
  expect(withConfigured({ api_key: 'ourkey' }, zerodha, configured)).toMatchObject({
    api_secret: 'oursecret',
  })
  expect(withConfigured({}, zerodha, { ...configured, broker: undefined })).toMatchObject({
    api_key: 'ourkey',
  })
})

it('a secret never goes with the key of another application', () => {
  const given = { api_key: 'another', request_token: 't' }
  expect(withConfigured(given, zerodha, configured)).toEqual(given)
})

it('a broker gets no key of another broker, and none that it does not ask for', () => {
  expect(withConfigured({}, { ...zerodha, id: 'other' }, configured)).toEqual({})
  expect(withConfigured({}, { id: 'zerodha', credentialFields: [] }, configured)).toEqual({})
})

it('a field that is given wins', () => {
  expect(withConfigured({ api_key: 'ourkey', api_secret: 'theirs' }, zerodha, configured)).toEqual({
    api_key: 'ourkey',
    api_secret: 'theirs',
  })
})
