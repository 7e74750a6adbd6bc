import { describe, expect, it } from 'vitest'
import { errorOfAnswer } from '../../../../src/core/brokers/kit/http/outcomes.js'
import { OUTCOMES } from '../../../../src/core/brokers/zerodha/errors.js'

/** status, error_type (undefined: a body that is not Kite's), kind, sent */
type Case = [number, string | undefined, string, string]

const CASES: Case[] = [
  [403, 'TokenException', 'auth', 'yes'],
  [403, 'PermissionException', 'permission', 'yes'],
  [403, 'UserException', 'permission', 'yes'],
  [400, 'InputException', 'validation', 'yes'],
  [400, 'OrderException', 'rejected', 'yes'],
  [400, 'MarginException', 'rejected', 'yes'],
  [400, 'HoldingException', 'rejected', 'yes'],
  [404, 'OrderException', 'not_found', 'yes'],
  [404, 'GeneralException', 'not_found', 'yes'],
  [405, 'GeneralException', 'unsupported', 'yes'],
  [410, 'GeneralException', 'unsupported', 'yes'],
  [429, 'NetworkException', 'rate_limit', 'yes'],
  [429, undefined, 'rate_limit', 'yes'],
  // Kite itself does not know the outcome.
  [400, 'NetworkException', 'unavailable', 'maybe'],
  [400, 'DataException', 'protocol', 'maybe'],
  [400, 'GeneralException', 'unavailable', 'maybe'],
  [400, 'BrandNewException', 'rejected', 'maybe'],
  [400, 'constructor', 'rejected', 'maybe'],
  // A 5xx proves nothing, whatever its body says.
  [500, 'OrderException', 'rejected', 'maybe'],
  [500, 'GeneralException', 'unavailable', 'maybe'],
  [502, 'DataException', 'protocol', 'maybe'],
  [503, 'NetworkException', 'unavailable', 'maybe'],
  [504, 'NetworkException', 'unavailable', 'maybe'],
  // A gateway's page.
  [400, undefined, 'rejected', 'maybe'],
  [401, undefined, 'auth', 'maybe'],
  [403, undefined, 'permission', 'maybe'],
  [404, undefined, 'not_found', 'maybe'],
  [408, undefined, 'protocol', 'maybe'],
  [500, undefined, 'unavailable', 'maybe'],
  [502, undefined, 'unavailable', 'maybe'],
  [503, undefined, 'unavailable', 'maybe'],
  [504, undefined, 'unavailable', 'maybe'],
  [307, undefined, 'protocol', 'maybe'],
  // A success status with an error body.
  [200, 'MarginException', 'rejected', 'yes'],
  [200, 'TokenException', 'auth', 'yes'],
]

describe('an unsuccessful answer, by the table of Kite', () => {
  it.each(CASES)('%i %s is %s, sent %s', (status, errorType, kind, sent) => {
    const refusal = errorType ? { message: 'why', code: errorType } : undefined
    const error = errorOfAnswer(OUTCOMES, { call: 'POST /x', status, refusal })
    expect(error).toMatchObject({ kind, sent, brokerCode: errorType })
    expect(error.message).toBe(errorType ? 'why' : `The broker answered with status ${status} and no reason.`)
    expect(error.brokerStatus).toBe(status >= 400 ? status : undefined)
  })

  it.each([
    [
      'PermissionException',
      'The IP 203.0.113.7 is not allowed to place orders for this app.',
      'ip_not_allowed',
    ],
    ['PermissionException', 'No IPs configured for this app. Add allowed IPs.', 'ip_not_allowed'],
    ['PermissionException', 'Insufficient permission for that call.', 'permission'],
    ['OrderException', 'No IP here', 'rejected'],
  ])('%s "%s" is a proven refusal of kind %s', (errorType, message, kind) => {
    const answer = { call: 'POST /x', status: 403, refusal: { message, code: errorType } }
    expect(errorOfAnswer(OUTCOMES, answer)).toMatchObject({ kind, sent: 'yes', message })
  })

  it.each([
    ['2', 2000],
    ['0', 0],
    [undefined, undefined],
    ['Fri, 31 Dec 1999 23:59:59 GMT', undefined],
  ])('Retry-After %s is %s ms', (header, ms) => {
    const answer = { call: 'GET /x', status: 429, refusal: undefined, retryAfter: header }
    expect(errorOfAnswer(OUTCOMES, answer).retryAfterMs).toBe(ms)
  })
})
