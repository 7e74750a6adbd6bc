import { expect, test } from 'vitest'
import { BrokerError, type BrokerErrorKind } from '../../../../../src/core/brokers/broker.js'
import { orAbsent } from '../../../../../src/core/brokers/kit/http/absent.js'

const failing = (kind: BrokerErrorKind, sent: BrokerError['sent']) =>
  orAbsent(Promise.reject(new BrokerError(kind, 'why', { sent })))

test.each(['not_found', 'rejected', 'validation'] as const)(
  'a proven refusal of the kind %s says that there is no such thing',
  async (kind) => {
    expect(await failing(kind, 'yes')).toBeUndefined()
  },
)

test.each([
  ['rejected', 'maybe'],
  ['not_found', 'maybe'],
  ['validation', 'never'],
  ['auth', 'yes'],
  ['unavailable', 'yes'],
] as const)('the kind %s, sent %s, says nothing', async (kind, sent) => {
  await expect(failing(kind, sent)).rejects.toMatchObject({ kind, sent })
})

test('what is found is returned', async () => {
  expect(await orAbsent(Promise.resolve(1))).toBe(1)
})
