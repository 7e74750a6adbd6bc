import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OUTCOMES } from '../../../../src/core/brokers/angel/outcomes.js'
import { envelope } from '../../../../src/core/brokers/angel/wire.js'
import { orderOf, startRig } from './rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

const place = () => rig.client.orders.place(orderOf(), 'TAG1')
const answer = (action: string) => rig.fake.script.set({ route: 'place', actions: [action] })

describe('a refusal with the status 200', () => {
  it.each(Object.entries(OUTCOMES))(
    '%s has its kind, and proves only what Angel says',
    async (code, outcome) => {
      answer(`reject:${code}:Angel says why`)
      await expect(place()).rejects.toMatchObject({
        kind: outcome.kind,
        sent: outcome.proves ? 'yes' : 'maybe',
        brokerCode: code,
        message: 'Angel says why',
      })
    },
  )

  it('with a code that is not known proves nothing', async () => {
    answer('reject:AB9999:New rule')
    await expect(place()).rejects.toMatchObject({ sent: 'maybe', message: 'New rule', brokerCode: 'AB9999' })
  })

  it('after something went wrong, the order may be there, and is found', async () => {
    answer('drop_after')
    await expect(place()).rejects.toMatchObject({ sent: 'maybe' })
    expect((await rig.client.orders.findByTags(['TAG1'])).get('TAG1')).toMatchObject({ status: 'complete' })
  })
})

describe('a body without an envelope', () => {
  it('is a rate limit where it says so, and proves that nothing was executed', async () => {
    answer('429')
    await expect(place()).rejects.toMatchObject({ kind: 'rate_limit', sent: 'yes', brokerStatus: 403 })
  })

  it('of another 403 proves nothing', async () => {
    answer('reject:ADDRESS:<html>Forbidden</html>')
    await expect(place()).rejects.toMatchObject({ kind: 'permission', sent: 'maybe' })
  })

  it("names the address where it is refused, and does not repeat the gateway's words", async () => {
    answer('reject:ADDRESS:Request from IP 203.0.113.9 rejected')
    await expect(place()).rejects.toMatchObject({
      kind: 'ip_not_allowed',
      sent: 'yes',
      message: expect.stringContaining('static address'),
    })
  })
})

describe('the envelope', () => {
  it('may have its flag as text, another name of it, and another spelling of the code', () => {
    const read = (body: object) => envelope.safeParse(body).data
    expect(read({ status: 'true', data: 1 })).toMatchObject({ isSuccess: true, data: 1 })
    expect(read({ status: 'false', errorCode: 'AG8001' })).toMatchObject({ isSuccess: false, code: 'AG8001' })
    expect(read({ success: true, message: null })).toMatchObject({ isSuccess: true, message: '' })
    expect(read({ success: false, errorcode: 'AB1010' })).toMatchObject({ isSuccess: false, code: 'AB1010' })
    expect(read({ message: 'no flag' })).toBeUndefined()
  })
})
