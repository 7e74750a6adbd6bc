import { describe, expect, it, onTestFinished } from 'vitest'
import { BrokerError } from '../../../../src/core/brokers/broker.js'
import { orderOf, startRig } from './rig.js'

/** Places an order that the broker refuses. */
async function refusalOf(...actions: string[]): Promise<BrokerError> {
  const { client, close, fake } = await startRig()
  onTestFinished(close)
  fake.script.set({ route: 'place', actions })
  const error: unknown = await client.orders.place(orderOf(), 'tag1').catch((thrown: unknown) => thrown)
  if (!(error instanceof BrokerError)) throw new Error(`no refusal: ${String(error)}`)
  return error
}

describe('an order that Upstox answers with', () => {
  it.each([
    ['reject:UDAPI100050:Invalid token', 'auth', 'yes'],
    ['429', 'rate_limit', 'yes'],
    ['reject:UDAPI100011:wrong', 'validation', 'yes'],
    ['reject:UDAPI1004:order type', 'validation', 'yes'],
    ['reject:UDAPI1158:no market order', 'rejected', 'yes'],
    ['reject:UDAPI100500:no eDIS', 'rejected', 'yes'],
    // A 4xx with a code proves a refusal, also with a new code.
    ['reject:UDAPI9999:something', 'rejected', 'yes'],
    ['reject:UDAPI1154:Your IP 1.2.3.4 is not allowed', 'ip_not_allowed', 'yes'],
    ['reject:UDAPI1154:Use a static ip', 'ip_not_allowed', 'yes'],
    // An error inside a success proves what its code does; a new code proves nothing there.
    ['reject_200:UDAPI100011:wrong', 'validation', 'yes'],
    // A general failure is a refusal with a 4xx only.
    ['reject_200:UDAPI100500:something failed', 'rejected', 'maybe'],
    ['reject_200:UDAPI9999:something', 'protocol', 'maybe'],
    ['reject:UDAPI100000:internal', 'unavailable', 'maybe'],
    ['5xx_before', 'unavailable', 'maybe'],
    ['5xx_after', 'unavailable', 'maybe'],
    ['no_id', 'protocol', 'maybe'],
    ['sliced', 'protocol', 'maybe'],
    ['garbage', 'protocol', 'maybe'],
    ['cut_body', 'network', 'maybe'],
    ['drop_after', 'network', 'maybe'],
  ])('%s is %s, sent: %s', async (action, kind, sent) => {
    expect(await refusalOf(action)).toMatchObject({ kind, sent })
  })

  it('its own words and code tells them, with the status', async () => {
    expect(await refusalOf('reject:UDAPI1104:The quantity is wrong.')).toMatchObject({
      message: 'The quantity is wrong.',
      brokerCode: 'UDAPI1104',
      brokerStatus: 400,
    })
  })
})

it('a read that mentions an address is refused as everything else', async () => {
  const { client, close, fake } = await startRig()
  onTestFinished(close)
  fake.script.set({ route: 'orders', actions: ['reject:UDAPI1154:Your IP is unknown'] })
  await expect(client.orders.list()).rejects.toMatchObject({ kind: 'permission' })
})
