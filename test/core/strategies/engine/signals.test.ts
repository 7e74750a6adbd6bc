import { describe, expect, it } from 'vitest'
import type { Signal, SignalNote } from '../../../../src/core/strategies/config/vocabulary.js'
import type { RunEffect } from '../../../../src/core/strategies/engine/messages.js'
import { definition, events, kinds, leg, NO_RISK, placed, Rig, replies } from './rig.js'

type Holding = 'nothing' | 'long' | 'short'

/** A signal run of one leg of 10 units that holds something. */
function holding(what: Holding): Rig {
  const rig = new Rig(
    definition({
      kind: 'signal',
      legs: [leg({ position: null, symbol: 'SBIN', exchange: 'NSE', quantity: 10 })],
    }),
  )
  rig.start()
  if (what !== 'nothing') {
    signal(rig, `${what}_entry`)
    rig.fillAll(100)
  }
  return rig
}

function signal(rig: Rig, name: Signal): readonly RunEffect[] {
  return rig.send({ type: 'signal', legId: 1, signal: name, request: name })
}

const orders = (effects: readonly RunEffect[]) =>
  placed(effects).map(({ kind, action, quantity, exitOwner }) => ({ kind, action, quantity, exitOwner }))

const entry = (action: 'BUY' | 'SELL') => ({ kind: 'entry', action, quantity: 10, exitOwner: null })
const exit = (action: 'BUY' | 'SELL', exitOwner: 'live' | 'superseded' = 'live') => ({
  kind: 'exit_signal',
  action,
  quantity: 10,
  exitOwner,
})

describe('a signal', () => {
  it.each<[Signal, Holding, unknown[]]>([
    ['long_entry', 'nothing', [entry('BUY')]],
    ['long_entry', 'short', [exit('BUY', 'superseded'), entry('BUY')]],
    ['long_exit', 'long', [exit('SELL')]],
    ['short_entry', 'nothing', [entry('SELL')]],
    ['short_entry', 'long', [exit('SELL', 'superseded'), entry('SELL')]],
    ['short_exit', 'short', [exit('BUY')]],
  ])('%s while holding %s', (name, held, expected) => {
    expect(orders(signal(holding(held), name))).toEqual(expected)
  })

  it.each<[Signal, Holding, SignalNote]>([
    ['long_entry', 'long', 'already_long'],
    ['long_exit', 'nothing', 'no_matching_position'],
    ['long_exit', 'short', 'no_matching_position'],
    ['short_entry', 'short', 'already_short'],
    ['short_exit', 'nothing', 'no_matching_position'],
    ['short_exit', 'long', 'no_matching_position'],
  ])('%s while holding %s has no effect: %s', (name, held, note) => {
    const effects = signal(holding(held), name)
    expect(effects).toHaveLength(1)
    expect(replies(effects)).toMatchObject([{ ok: true, note, error: null }])
  })

  it('is refused while its entry is not filled', () => {
    const rig = holding('nothing')
    rig.ack(placed(signal(rig, 'long_entry'))[0]?.id ?? '')
    for (const name of ['long_exit', 'short_entry'] as const) {
      const effects = signal(rig, name)
      expect(placed(effects)).toEqual([])
      expect(replies(effects)[0]?.error).toMatch(/accepted but not filled/)
    }
  })

  it('opens nothing twice while the first entry is in doubt', () => {
    const rig = holding('nothing')
    rig.ack(placed(signal(rig, 'long_entry'))[0]?.id ?? '', { outcome: 'unknown' })
    expect(replies(signal(rig, 'long_entry'))).toMatchObject([{ ok: true, note: 'already_long' }])
  })

  it('exits the filled part of an entry and cancels the rest', () => {
    const rig = holding('nothing')
    signal(rig, 'long_entry')
    rig.ack('o1')
    rig.fill('o1', 100, 4)
    const effects = signal(rig, 'long_exit')
    expect(effects.filter(({ type }) => type === 'cancel')).toEqual([{ type: 'cancel', orderId: 'o1' }])
    expect(placed(effects)).toMatchObject([{ action: 'SELL', quantity: 4 }])
  })

  it('is refused once a stop is requested', () => {
    const rig = holding('long')
    rig.send({ type: 'stop', reason: 'manual' })
    expect(replies(signal(rig, 'short_entry'))).toMatchObject([
      { ok: false, error: 'The signal was refused' },
    ])
  })

  it('tells of the order, and warns when it is refused', () => {
    const rig = holding('nothing')
    signal(rig, 'long_entry')
    expect(events(rig.ack('o1'))).toMatchObject([
      { kind: 'leg_entry_placed', severity: 'info', message: 'Signal BUY 10 SBIN' },
    ])
    const other = holding('nothing')
    signal(other, 'short_entry')
    const effects = other.refuse('o1', 'no margin')
    expect(events(effects)).toMatchObject([
      { kind: 'leg_entry_placed', severity: 'warn', message: 'Signal SELL 10 SBIN rejected: no margin' },
      { kind: 'leg_entry_rejected', severity: 'warn', message: 'Entry rejected on leg 1: no margin' },
    ])
    expect(replies(effects)).toMatchObject([{ ok: false, error: 'no margin' }])
  })

  it('opens a closed leg again and keeps its realised profit', () => {
    const rig = holding('long')
    signal(rig, 'long_exit')
    rig.fillAll(103)
    expect(rig.run.state).toBe('running')
    expect(orders(signal(rig, 'short_entry'))).toEqual([entry('SELL')])
    rig.fillAll(100)
    signal(rig, 'short_exit')
    rig.fillAll(98)
    expect(rig.run.snapshot().realized).toBe(30 + 20)
  })

  it('is tried again if the broker accepted its exit and rejected it later, until a signal wants the side again', () => {
    const rig = holding('long')
    signal(rig, 'long_exit')
    rig.ack('o2')
    rig.update('o2', 'rejected', 0, null, 'RMS: margin')
    expect(placed(rig.retry())).toMatchObject([{ id: 'o3', kind: 'exit_signal' }])
    rig.ack('o3')
    rig.update('o3', 'rejected', 0, null, 'RMS: margin')
    expect(replies(signal(rig, 'long_entry'))).toMatchObject([{ ok: true, note: 'already_long' }])
    expect(placed(rig.retry(600_000))).toEqual([])
    rig.crash()
    expect(placed(rig.retry(600_000))).toEqual([])
    signal(rig, 'long_exit')
    rig.fillAll(101)
    expect(rig.run.snapshot().legs[0]).toMatchObject({ status: 'closed', quantity: 0 })
  })

  it('doubles no side whose exit was refused', () => {
    const rig = holding('long')
    signal(rig, 'long_exit')
    rig.refuse('o2', 'margin')
    expect(replies(signal(rig, 'long_entry'))).toMatchObject([{ ok: true, note: 'already_long' }])
    const stopped = new Rig(
      definition({
        kind: 'signal',
        legs: [leg({ position: null, risk: { unit: 'points', stop: 5, target: null, trail: null } })],
      }),
    )
    stopped.start()
    signal(stopped, 'short_entry')
    stopped.fillAll(100)
    // The stop loss is hit, and the broker refuses its exit: it is tried again later.
    stopped.refuse(placed(stopped.tick(105))[0]?.id ?? '', 'margin')
    const effects = signal(stopped, 'short_entry')
    expect(placed(effects)).toEqual([])
    expect(replies(effects)).toMatchObject([{ ok: true, note: 'already_short' }])
  })

  it.each<[string, (rig: Rig) => void]>([
    ['waits to be sent', () => undefined],
    ['is open at the broker', (rig) => rig.ack('o2')],
    ['is filled in part', (rig) => rig.fill('o2', 100, 4)],
    ['is in doubt', (rig) => rig.ack('o2', { outcome: 'unknown' })],
    ['has lapsed', (rig) => rig.doubt('o2')],
    [
      'is in doubt after a restart',
      (rig) => {
        rig.ack('o2', { outcome: 'unknown' })
        rig.crash()
      },
    ],
  ])('opens nothing on the side of an exit that %s', (_, end) => {
    const rig = holding('long')
    signal(rig, 'long_exit')
    end(rig)
    const effects = signal(rig, 'long_entry')
    expect(placed(effects)).toEqual([])
    expect(replies(effects)).toMatchObject([{ ok: false, error: expect.stringMatching(/not known yet/) }])
    rig.fill('o2', 100)
    expect(orders(signal(rig, 'long_entry'))).toEqual([entry('BUY')])
  })

  it('opens nothing on the side of an entry whose cancel has not ended', () => {
    const rig = holding('nothing')
    signal(rig, 'long_entry')
    rig.ack('o1')
    rig.fill('o1', 100, 4)
    signal(rig, 'long_exit')
    rig.fill('o2', 100)
    expect(placed(signal(rig, 'long_entry'))).toEqual([])
    rig.update('o1', 'cancelled', 4, 100)
    expect(orders(signal(rig, 'long_entry'))).toEqual([entry('BUY')])
  })

  it('opens nothing on the side of a flip whose exit is in doubt, when the new side has gone', () => {
    const rig = holding('long')
    signal(rig, 'short_entry')
    rig.ack('o2', { outcome: 'unknown' })
    rig.fill('o3', 100)
    signal(rig, 'short_exit')
    rig.fill('o4', 100)
    expect(placed(signal(rig, 'long_entry'))).toEqual([])
    rig.update('o2', 'complete', 10, 100)
    expect(orders(signal(rig, 'long_entry'))).toEqual([entry('BUY')])
  })

  it('opens the other side while the exit of this one works, with one exit only', () => {
    const rig = holding('long')
    signal(rig, 'long_exit')
    expect(orders(signal(rig, 'short_entry'))).toEqual([entry('SELL')])
  })
})

describe('a flip', () => {
  it('does not begin while the one before is going out', () => {
    const rig = holding('long')
    signal(rig, 'short_entry')
    rig.fillAll(100)
    // The old side goes out, then the new one is flipped back: three positions, never two going out.
    signal(rig, 'long_entry')
    rig.ack('o4')
    rig.ack('o5')
    rig.fill('o5', 100)
    expect(replies(signal(rig, 'short_entry'))).toMatchObject([{ ok: true, note: 'flip_pending' }])
    rig.fill('o4', 100)
    expect(orders(signal(rig, 'short_entry'))).toEqual([exit('SELL', 'superseded'), entry('SELL')])
  })

  it('keeps the old side managed when the broker refuses its exit', () => {
    const rig = holding('long')
    signal(rig, 'short_entry')
    const refused = rig.refuse('o2', 'margin')
    expect(events(refused)).toMatchObject([
      {
        kind: 'flip_outgoing_exit_rejected',
        severity: 'critical',
        message:
          'Outgoing exit for leg 1 was refused. The old side is still held, remains managed, and is retryable.',
      },
    ])
    rig.fillAll(100)
    expect(rig.run.snapshot().legs[0]).toMatchObject({ position: 'S', quantity: 10, outgoingQuantity: 10 })
    expect(orders(rig.retry())).toEqual([exit('SELL', 'superseded')])
    rig.fillAll(100)
    expect(rig.run.snapshot().legs[0]).toMatchObject({ quantity: 10, outgoingQuantity: 0 })
  })

  it('names the order that the broker cancelled later', () => {
    const rig = holding('long')
    signal(rig, 'short_entry')
    rig.ack('o2')
    const [event] = events(rig.update('o2', 'cancelled', 0, null, 'no liquidity'))
    expect(event?.message).toBe(
      'Outgoing exit order b-o2 for leg 1 was cancelled. The old side is still held, remains managed, and is retryable.',
    )
  })

  it('is stopped with one exit for each owner', () => {
    const rig = holding('long')
    signal(rig, 'short_entry')
    rig.refuse('o2')
    rig.ack('o3')
    rig.fill('o3', 100)
    const effects = rig.send({ type: 'stop', reason: 'manual', request: 'stop' })
    expect(orders(effects)).toEqual([
      { ...exit('SELL', 'superseded'), kind: 'exit_close_all' },
      { ...exit('BUY'), kind: 'exit_close_all' },
    ])
    rig.ack('o4')
    expect(replies(rig.ack('o5'))).toMatchObject([
      {
        ok: true,
        stopPending: true,
        exits: [
          { positionRef: 'p1', exitOwner: 'superseded' },
          { positionRef: 'p2', exitOwner: 'live' },
        ],
      },
    ])
  })

  it('loses no fill that comes late for the old side', () => {
    const rig = holding('nothing')
    signal(rig, 'long_entry')
    rig.ack('o1')
    rig.fill('o1', 100, 6)
    signal(rig, 'short_entry')
    rig.fill('o2', 101)
    // The cancel came too late: the old entry completes.
    expect(orders(rig.fill('o1', 100))).toEqual([
      { kind: 'exit_signal', action: 'SELL', quantity: 4, exitOwner: 'superseded' },
    ])
  })
})

it('a signal run ends only by a stop', () => {
  const rig = holding('long')
  signal(rig, 'long_exit')
  rig.fillAll(100)
  expect(rig.run.state).toBe('running')
  expect(kinds(rig.send({ type: 'stop', reason: 'eod' }))).toEqual(['run_stop_requested', 'run_stopped'])
})

it('judges no limit at the price from before the last exit', () => {
  const rig = new Rig(
    definition({
      kind: 'signal',
      legs: [leg({ position: null, symbol: 'SBIN', exchange: 'NSE', quantity: 10 })],
      risk: { ...NO_RISK, overallStop: 100 },
    }),
  )
  rig.start()
  signal(rig, 'long_entry')
  rig.fillAll(90)
  rig.tick(90, 'SBIN', 'NSE')
  signal(rig, 'long_exit')
  rig.fillAll(90)
  signal(rig, 'long_entry')
  rig.fillAll(110)
  expect(rig.run.snapshot()).toMatchObject({ total: 0, state: 'running' })
  expect(placed(rig.tick(109, 'SBIN', 'NSE'))).toEqual([])
  expect(placed(rig.tick(100, 'SBIN', 'NSE'))).toHaveLength(1)
})

it('retries a refused exit after a clock that ran ahead was set back', () => {
  const rig = holding('long')
  rig.step(2 * 3_600_000)
  signal(rig, 'long_exit')
  rig.refuse('o2')
  rig.step(-2 * 3_600_000)
  rig.send({ type: 'stop', reason: 'manual' })
  rig.refuse('o3')
  expect(placed(rig.retry(5_000))).toHaveLength(1)
})
