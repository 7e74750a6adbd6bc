import { describe, expect, it } from 'vitest'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import {
  beforeChange,
  errorOfAnswer,
  type PlainOutcome,
  plainOutcome,
} from '../../../../../src/core/brokers/kit/http/outcomes.js'

const PLAIN: readonly PlainOutcome[] = [
  {
    status: 403,
    words: /exceeding access rate/i,
    kind: 'rate_limit',
    proves: true,
    message: 'Too many calls: the broker has refused this one.',
  },
]

const errorOf = (status: number, text: string) =>
  errorOfAnswer(
    {},
    { call: 'POST /order', status, refusal: undefined, plain: plainOutcome(PLAIN, { status, text }) },
  )

describe("a body without the broker's envelope", () => {
  it('means what its words say, with the status that belongs to them', () => {
    expect(errorOf(403, 'Access denied because of exceeding access rate')).toMatchObject({
      kind: 'rate_limit',
      sent: 'yes',
      message: 'Too many calls: the broker has refused this one.',
      brokerStatus: 403,
      brokerCode: undefined,
    })
  })

  it('proves nothing with other words or another status', () => {
    expect(errorOf(403, '<html>Forbidden</html>')).toMatchObject({ kind: 'permission', sent: 'maybe' })
    expect(errorOf(502, 'exceeding access rate')).toMatchObject({ kind: 'unavailable', sent: 'maybe' })
  })

  it("does not count beside the broker's own words", () => {
    const [plain] = PLAIN
    const refusal = { code: 'X1', message: 'No.' }
    expect(errorOfAnswer({}, { call: 'POST /order', status: 403, refusal, plain })).toMatchObject({
      kind: 'permission',
      sent: 'maybe',
      message: 'No.',
    })
  })
})

describe('a refusal for the rate', () => {
  const waitOf = (retryAfter: string | undefined) => {
    const { kind, retryAfterMs, sent } = errorOfAnswer(
      {},
      { call: 'POST /order', status: 429, refusal: undefined, retryAfter },
    )
    return { kind, retryAfterMs, sent }
  }

  it.each([
    ['3', 3000],
    ['1.5', 1500],
    ['0', 0],
    ['86400', 86_400_000],
  ])('says how long to wait: %s', (header, retryAfterMs) => {
    expect(waitOf(header)).toEqual({ kind: 'rate_limit', retryAfterMs, sent: 'yes' })
  })

  it.each([
    undefined,
    '',
    ' ',
    '-5',
    'soon',
    'NaN',
    'Infinity',
    '1e9',
    '0x10',
    '315360000',
    'Wed, 21 Oct 2099 07:28:00 GMT',
  ])('proves one without a wait that can be meant: %s', (header) => {
    expect(waitOf(header)).toEqual({ kind: 'rate_limit', retryAfterMs: undefined, sent: 'yes' })
  })
})

describe('a broker whose codes prove a refusal', () => {
  const sentOf = (status: number, code: string, codesProve?: boolean) =>
    errorOfAnswer(
      {},
      { call: 'POST /order', status, refusal: { code, message: 'no' }, ...(codesProve && { codesProve }) },
    ).sent

  it('has refused for certain with any code and a 4xx, and with nothing less', () => {
    expect(sentOf(400, 'NEW', true)).toBe('yes')
    expect([
      sentOf(400, 'NEW'),
      sentOf(400, '', true),
      sentOf(200, 'NEW', true),
      sentOf(503, 'NEW', true),
    ]).toEqual([...['maybe', 'maybe', 'maybe', 'maybe']])
  })
})

describe('the error of a read that a change needs first', () => {
  const readError = (sent: BrokerError['sent']) =>
    beforeChange(
      Promise.reject(new BrokerError('unavailable', 'Gone.', { sent, brokerStatus: 503, brokerCode: 'X2' })),
    )

  it('says that nothing was sent, where the read itself is in doubt', async () => {
    await expect(readError('maybe')).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Gone.',
      sent: 'never',
      brokerStatus: 503,
      brokerCode: 'X2',
    })
  })

  it('stays as it is otherwise', async () => {
    await expect(readError('yes')).rejects.toMatchObject({ sent: 'yes' })
    await expect(readError('never')).rejects.toMatchObject({ sent: 'never' })
    await expect(beforeChange(Promise.reject('other'))).rejects.toBe('other')
    expect(await beforeChange(Promise.resolve(1))).toBe(1)
  })
})
