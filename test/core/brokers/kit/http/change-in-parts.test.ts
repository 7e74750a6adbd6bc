import { describe, expect, test } from 'vitest'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { changeInParts } from '../../../../../src/core/brokers/kit/http/change-in-parts.js'

type Sent = BrokerError['sent']

/** Changes two legs, of which one fails; returns the error and the legs whose calls were sent. */
async function changed(failing: 'stop leg' | 'target leg', error: Error) {
  const sent: string[] = []
  const part = (name: string) => ({
    name,
    async send() {
      sent.push(name)
      if (name === failing) throw error
    },
  })
  const parts = [part('stop leg'), part('target leg')]
  const thrown: unknown = await changeInParts('The GTT 12', parts).catch((caught: unknown) => caught)
  if (!(thrown instanceof Error)) throw new Error('the change did not fail')
  return { thrown, sent }
}

const refusal = (sent: Sent, kind: BrokerError['kind'] = 'rejected') =>
  new BrokerError(kind, 'No such price', { sent, brokerCode: 'DH-906', brokerStatus: 400 })

describe('a change in parts', () => {
  test('sends them one after the other', async () => {
    const sent: string[] = []
    const part = (name: string) => ({ name, send: async () => sent.push(name) })
    await changeInParts('The GTT 12', [part('stop leg'), part('target leg')])
    expect(sent).toEqual(['stop leg', 'target leg'])
  })

  test.each(['never', 'yes', 'maybe'] as const)(
    'whose first part fails (sent: %s) is that failure, and nothing more is sent',
    async (way) => {
      const error = refusal(way)
      const { sent, thrown } = await changed('stop leg', error)
      expect(thrown).toBe(error)
      expect(sent).toEqual(['stop leg'])
    },
  )

  test.each([
    ['yes', 'the target leg has not'],
    ['never', 'the target leg has not'],
    ['maybe', 'the target leg may have them'],
  ] as const)('whose second part fails (sent: %s) is half done, and in doubt', async (way, words) => {
    const { thrown } = await changed('target leg', refusal(way))
    expect(thrown).toMatchObject({
      isHalfDone: true,
      sent: 'maybe',
      kind: 'rejected',
      brokerCode: 'DH-906',
      message: `The GTT 12 is changed in part: the stop leg has the new values, ${words}: No such price. Look at it, then change it again or cancel it.`,
    })
  })
})
