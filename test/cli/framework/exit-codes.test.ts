import { describe, expect, it } from 'vitest'
import { EXIT, EXIT_MEANINGS, worstFailure } from '../../../src/cli/framework/exit-codes.js'
import { failureOf } from '../../../src/cli/http/client.js'
import { responseOf } from '../../../src/client/transport/exchange.js'
import { ERROR_CODES } from '../../../src/core/errors/index.js'
import { Terminal } from '../support/terminal.js'

/** Returns the exit status of an answer with this HTTP status and, optionally, a code. */
function exitOf(http: number, code?: string): number {
  const answer = responseOf(http, '{"message":"No."}', (name) => (name === 'x-svc-code' ? code : undefined))
  return failureOf(answer, { changes: false }).exit
}

describe('exit status', () => {
  it.each(Object.entries(ERROR_CODES))('of %s is the one of the table', (code, { exit }) => {
    expect(exitOf(500, code)).toBe(exit)
  })

  it.each([
    [400, 2],
    [401, 3],
    [403, 3],
    [404, 4],
    [409, 5],
    [429, 6],
    [500, 1],
    [502, 1],
    [503, 1],
  ])('of HTTP %i without a code is %i', (http, exit) => {
    expect(exitOf(http)).toBe(exit)
  })

  it('is that of the code when the broker chose the HTTP status', () => {
    expect(exitOf(400, 'broker_rejected')).toBe(EXIT.refused)
  })

  it('has a meaning for each status, and svc help exit-codes prints them', async () => {
    const { stdout } = await new Terminal().svc('help exit-codes')
    expect(EXIT_MEANINGS.map((row) => row.status)).toEqual(Object.values(EXIT))
    for (const { status, meaning } of EXIT_MEANINGS)
      expect(stdout).toMatch(new RegExp(`^ +${status} +${meaning.slice(0, 9)}`, 'm'))
    expect(stdout).toContain(
      'the most severe failure decides the exit status, in this order: 8, 7, 1, 5, 3, 6, 2, 4.',
    )
  })

  it.each([
    ['any order of them', [4, 5, 8], 8],
    ['a daemon that went away', [5, 7, 3], 7],
    ['a refusal', [4, 2, 5], 5],
    ['not being allowed', [4, 3, 6], 3],
    ['what was asked wrongly', [4, 2], 2],
    ['one alone', [9], 9],
  ] as const)('is the gravest of several: %s', (_, exits, expected) => {
    for (const order of [exits, [...exits].reverse()])
      expect(worstFailure(order.map((exit) => ({ exit })))).toEqual({ exit: expected })
  })
})
