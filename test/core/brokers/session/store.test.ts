import { expect, test } from 'vitest'
import { BrokerStore } from '../../../../src/core/brokers/session/store.js'
import { SecretBox } from '../../../../src/core/secrets/index.js'
import { TestDesk } from '../../../support/desk/desk.js'

const secrets = await SecretBox.derive({ appKey: 'k'.repeat(64), salt: 's'.repeat(32) })
const SESSION = {
  accessToken: 'a',
  feedToken: 'f',
  userId: 'AB1234',
  issuedAt: 1,
  expiresAt: 2,
  extra: { api_secret: 's' },
}

test('a session is read back unchanged', async () => {
  const { service } = await TestDesk.open()
  const store = new BrokerStore(service.databases.svc, secrets)
  await store.saveSession('zerodha', SESSION, 1)
  expect(await store.session('zerodha')).toEqual(SESSION)
  await store.saveSession('zerodha', { accessToken: 'a', issuedAt: 1 }, 1)
  expect(await store.session('zerodha')).toEqual({ accessToken: 'a', issuedAt: 1 })
})

test.each([{ token: 'a' }, { ...SESSION, issuedAt: 'yesterday' }, null, []])(
  'an unreadable session requires a new login: %j',
  async (stored) => {
    const { service } = await TestDesk.open()
    const store = new BrokerStore(service.databases.svc, secrets)
    await store.saveSession('zerodha', SESSION, 1)
    await service.databases.svc.write((tx) =>
      tx.exec("update broker_accounts set session = ? where broker = 'zerodha'", [
        secrets.seal(JSON.stringify(stored)),
      ]),
    )
    expect(await store.session('zerodha')).toBeUndefined()
  },
)
