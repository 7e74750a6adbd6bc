import { describe, expect, it } from 'vitest'
import {
  type Decision,
  executedTwice,
  inconsistentAnswers,
  lostOrPhantom,
  wrongRegister,
} from '../support/traffic/checker.js'
import type { Operation, Outcome } from '../support/traffic/history.js'

const operation = (id: string, outcome: Outcome, orderId?: string, key?: string): Operation => ({
  id,
  client: 0,
  invokedAt: 0,
  outcome,
  ...(orderId !== undefined && { orderId }),
  ...(key !== undefined && { key }),
})
const existing = (orderId: string, asker: string) => ({ orderId, operation: asker })

describe('the checker of crash histories', () => {
  it('accepts an unknown operation whether it happened or not', () => {
    const history = [operation('a', 'ok', '1'), operation('b', 'info')]
    expect(lostOrPhantom(history, [existing('1', 'a')])).toEqual([])
    expect(lostOrPhantom(history, [existing('1', 'a'), existing('2', 'b')])).toEqual([])
  })

  it('finds a lost, a phantom and a refused but executed order', () => {
    const history = [operation('a', 'ok', '1'), operation('b', 'fail')]
    expect(lostOrPhantom(history, [existing('2', 'b'), existing('3', 'x')])).toEqual([
      'lost: a was acknowledged as 1',
      'executed although refused: 2 (b)',
      'phantom: 3 (x) was never asked for',
    ])
  })

  it('allows an order of a key when only some attempts were refused', () => {
    const history = [operation('a', 'fail', undefined, 'k'), operation('b', 'ok', '1', 'k')]
    expect(lostOrPhantom(history, [existing('1', 'b')])).toEqual([])
  })

  it('finds two orders of one key or one request, even if no client got an answer', () => {
    const history = [
      operation('a', 'info', undefined, 'k'),
      operation('b', 'ok', '2', 'k'),
      operation('c', 'info'),
    ]
    const orders = [existing('1', 'a'), existing('2', 'b'), existing('3', 'c'), existing('4', 'c')]
    expect(executedTwice(history, orders)).toEqual(['twice: key k is 1,2', 'twice: request c is 3,4'])
    expect(executedTwice(history, orders.slice(1, 3))).toEqual([])
  })

  it('finds a key whose answers name two orders', () => {
    const history = [operation('a', 'ok', '1', 'k'), operation('b', 'ok', '2', 'k')]
    expect(inconsistentAnswers(history)).toEqual(['key k was told 1,2'])
  })

  const REGISTERS: readonly [string, readonly Decision[], string, number, readonly string[]][] = [
    ['nobody decided', [], 'pending', 0, []],
    ['one approval', [{ kind: 'approve', won: true }], 'approved', 1, []],
    ['an approval nobody heard of', [{ kind: 'approve', won: 'unknown' }], 'approved', 1, []],
    ['an approval that a crash undid', [{ kind: 'approve', won: 'unknown' }], 'pending', 0, []],
    [
      'a change by nobody',
      [{ kind: 'approve', won: false }],
      'rejected',
      0,
      ['rejected, although nobody can have decided so'],
    ],
    [
      'the loser stands',
      [
        { kind: 'approve', won: true },
        { kind: 'reject', won: false },
      ],
      'rejected',
      0,
      ['approve won, but the row is rejected', 'rejected, although nobody can have decided so'],
    ],
    [
      'two winners',
      [
        { kind: 'approve', won: true },
        { kind: 'approve', won: true },
      ],
      'approved',
      2,
      ['2 winners: approve,approve', 'executed 2 times'],
    ],
    ['executed and rejected', [{ kind: 'reject', won: true }], 'rejected', 1, ['executed although rejected']],
  ]
  for (const [name, decisions, final, executions, faults] of REGISTERS) {
    it(`judges an approval: ${name}`, () => {
      expect(wrongRegister(decisions, final, executions)).toEqual(faults)
    })
  }
})
