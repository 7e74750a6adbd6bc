import { describe, expect, it } from 'vitest'
import { definition, events, finished, kinds, leg, placed, Rig, replies } from './rig.js'

/** A batch run with a long call and a short put. */
function straddle(): Rig {
  return new Rig(
    definition({
      legs: [leg({ id: 1, symbol: 'PUT', position: 'S' }), leg({ id: 2, symbol: 'CALL', position: 'B' })],
    }),
  )
}

function held(): Rig {
  const rig = straddle()
  rig.start()
  rig.fillAll(100)
  return rig
}

describe('a start', () => {
  it('places the long legs first and watches both contracts', () => {
    const effects = straddle().start()
    expect(placed(effects).map(({ symbol, action }) => [symbol, action])).toEqual([
      ['CALL', 'BUY'],
      ['PUT', 'SELL'],
    ])
    expect(effects.filter(({ type }) => type === 'watch')).toHaveLength(2)
    expect(events(effects)).toMatchObject([
      { kind: 'run_started', message: 'Run started in sandbox mode (manual)' },
    ])
  })

  it('ends with reason error when every entry is refused', () => {
    const rig = straddle()
    rig.start('start')
    rig.refuse('o1', 'no margin')
    const effects = rig.refuse('o2', 'no margin')
    expect(replies(effects)).toMatchObject([
      { ok: false, error: 'Every entry order was rejected: no margin' },
    ])
    expect(finished(effects)).toMatchObject([{ reason: 'error' }])
    expect(events(effects).at(-1)?.message).toBe('No entry order was accepted')
  })

  it('names the reason of each leg when they differ', () => {
    const rig = straddle()
    rig.start('start')
    rig.refuse('o1', 'a')
    expect(replies(rig.refuse('o2', 'b'))[0]?.error).toBe(
      'Every entry order was rejected. leg 2: a; leg 1: b',
    )
  })

  it('is critical when a row could not be written', () => {
    const rig = straddle()
    rig.start()
    const effects = rig.ack('o1', { outcome: 'refused', reason: 'disk full', stored: false })
    expect(events(effects)).toMatchObject([{ kind: 'leg_entry_rejected', severity: 'critical' }])
  })

  it('is answered while an entry waits for approval', () => {
    const rig = straddle()
    rig.start('start')
    rig.ack('o1', { outcome: 'queued' })
    expect(replies(rig.ack('o2'))).toMatchObject([
      { ok: true, entries: [{ ok: true, acknowledged: false, error: null }, { acknowledged: true }] },
    ])
    expect(events(rig.update('o1', 'rejected', 0, null, 'Rejected by admin'))).toMatchObject([
      { kind: 'leg_entry_rejected', message: 'Entry rejected on leg 2: Rejected by admin' },
    ])
  })
})

describe('a stop', () => {
  it('notes its intent before it sends anything', () => {
    const effects = held().send({ type: 'stop', reason: 'manual', closeAll: true })
    expect(effects.map(({ type }) => type)).toEqual(['event', 'stop_requested', 'event', 'place', 'place'])
    expect(events(effects).map(({ message }) => message)).toEqual([
      'Operator requested closure of all held legs',
      'Stop requested (manual); exit orders are being attempted',
    ])
  })

  it('stays pending through a partial fill, and ends with the last one', () => {
    const rig = held()
    rig.send({ type: 'stop', reason: 'scheduler', request: 'stop' })
    rig.ack('o3')
    expect(replies(rig.ack('o4'))).toMatchObject([
      { ok: true, stopPending: true, exits: [{ ok: true }, { ok: true }] },
    ])
    rig.fill('o3', 101)
    rig.fill('o4', 101, 50)
    expect(rig.run.state).toBe('stop_pending')
    const effects = rig.fill('o4', 101)
    expect(finished(effects)).toMatchObject([{ reason: 'scheduler', isAgain: false }])
    expect(kinds(rig.effects).slice(-1)).toEqual(['run_stopped'])
    expect(events(effects).at(-1)?.message).toBe('Run stopped (scheduler)')
  })

  it('keeps its first reason', () => {
    const rig = held()
    rig.send({ type: 'stop', reason: 'overall_sl' })
    expect(kinds(rig.send({ type: 'stop', reason: 'manual' }))).toEqual([])
    expect(placed(rig.effects).slice(2)).toMatchObject([
      { kind: 'exit_overall_sl' },
      { kind: 'exit_overall_sl' },
    ])
    rig.fillAll(100)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'overall_sl' }])
  })

  it('exits the filled part, cancels the rest, and exits the part that fills anyway', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1')
    rig.fill('o1', 100, 25)
    const effects = rig.send({ type: 'stop', reason: 'manual' })
    expect(effects).toContainEqual({ type: 'cancel', orderId: 'o1' })
    expect(placed(effects)).toMatchObject([{ action: 'SELL', quantity: 25 }])
    rig.fill('o2', 100)
    expect(rig.run.state).toBe('stop_pending')
    expect(placed(rig.fill('o1', 100, 60))).toMatchObject([{ action: 'SELL', quantity: 35 }])
    rig.update('o1', 'cancelled', 60, 100)
    rig.fillAll(100)
    expect(rig.run.state).toBe('finished')
  })

  it('has no exit for an entry without a fill, and says so', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1')
    const effects = rig.send({ type: 'stop', reason: 'manual', request: 'stop' })
    expect(placed(effects)).toEqual([])
    expect(replies(effects)).toMatchObject([{ ok: true, stopPending: true, exits: [{ ok: false }] }])
    expect(replies(effects)[0]?.exits[0]?.error).toMatch(/accepted but not filled/)
    // The cancel is asked for again until the broker tells the end.
    expect(rig.retry()).toEqual([{ type: 'cancel', orderId: 'o1' }])
    expect(finished(rig.update('o1', 'cancelled'))).toMatchObject([{ reason: 'manual' }])
  })

  it('waits for an order in doubt', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1', { outcome: 'unknown' })
    rig.send({ type: 'stop', reason: 'manual' })
    rig.retry()
    expect(rig.run.state).toBe('stop_pending')
    expect(placed(rig.fill('o1', 100))).toMatchObject([{ action: 'SELL', quantity: 75 }])
  })

  it('never has two exits for one position, however often it is asked', () => {
    const rig = held()
    rig.send({ type: 'stop', reason: 'manual' })
    rig.ack('o3', { outcome: 'unknown' })
    for (let i = 0; i < 5; i++) {
      expect(placed(rig.retry())).toEqual([])
      expect(placed(rig.send({ type: 'stop', reason: 'manual' }))).toEqual([])
    }
  })

  it('reports refused exits, stays managed and tries again', () => {
    const rig = held()
    rig.send({ type: 'stop', reason: 'manual', request: 'stop' })
    rig.ack('o3')
    const effects = rig.refuse('o4', 'no session')
    expect(events(effects)).toMatchObject([
      { kind: 'leg_exit_rejected', severity: 'critical' },
      {
        kind: 'run_stop_failed',
        severity: 'critical',
        message: 'Stop refused for 1 position(s); the run remains open, managed, and retryable',
      },
    ])
    expect(replies(effects)).toMatchObject([
      {
        ok: false,
        stopPending: true,
        error: '1 of 2 exit order(s) were refused. The run is still open and still managed; retry the stop.',
      },
    ])
    expect(placed(rig.retry())).toMatchObject([{ quantity: 75 }])
    // The same refusal again is not told again, and the pauses grow.
    expect(kinds(rig.refuse('o5', 'no session'))).toEqual([])
    expect(placed(rig.retry())).toEqual([])
    expect(placed(rig.retry())).toMatchObject([{ quantity: 75 }])
    // A person need not wait.
    rig.refuse('o6', 'no session')
    expect(placed(rig.send({ type: 'stop', reason: 'manual' }))).toHaveLength(1)
  })

  it('goes on at once when an exit is cancelled after a part', () => {
    const rig = held()
    rig.send({ type: 'stop', reason: 'manual' })
    rig.ack('o3')
    expect(placed(rig.update('o3', 'cancelled', 30, 100))).toMatchObject([{ quantity: 45 }])
  })

  it('is quiet after the end', () => {
    const rig = held()
    rig.send({ type: 'stop', reason: 'manual' })
    rig.fillAll(100)
    expect(rig.send({ type: 'stop', reason: 'manual' })).toEqual([])
    expect(rig.tick(1, 'CALL')).toEqual([])
    expect(rig.retry()).toEqual([])
  })

  it('squares off a fill that comes after the end', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1')
    rig.send({ type: 'stop', reason: 'manual' })
    rig.update('o1', 'cancelled')
    expect(rig.run.state).toBe('finished')
    const effects = rig.fill('o1', 100)
    expect(events(effects)[0]).toMatchObject({ kind: 'leg_entry_filled' })
    expect(events(effects)[1]).toMatchObject({ kind: 'run_stop_failed', severity: 'critical' })
    expect(placed(effects)).toMatchObject([{ action: 'SELL', quantity: 75 }])
    rig.ack('o2')
    expect(finished(rig.fill('o2', 101))).toMatchObject([{ isAgain: true, realized: 750_000n }])
  })
})

describe('a fill', () => {
  it('of an order of another run changes nothing', () => {
    const rig = held()
    expect(rig.update('foreign', 'complete', 75, 100)).toEqual([])
  })

  it('that is repeated changes nothing', () => {
    const rig = held()
    expect(rig.update('o1', 'complete', 75, 100)).toEqual([])
    expect(rig.update('o1', 'open', 10, 100)).toEqual([])
    expect(rig.run.snapshot().legs[1]?.quantity).toBe(75)
  })

  it('without a quantity fills a complete order in full', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.update('o1', 'complete', null, 100)
    expect(rig.run.snapshot().legs[0]?.quantity).toBe(75)
  })

  it('before a cancel is held', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1')
    rig.update('o1', 'cancelled', 25, 100)
    expect(rig.run.snapshot().legs[0]).toMatchObject({ status: 'open', quantity: 25 })
  })

  it('without a price is held, has no levels and leaves the profit out until the price comes', () => {
    const risk = { unit: 'points', stop: 10, target: null, trail: null } as const
    const rig = new Rig(definition({ legs: [leg({ risk })] }))
    rig.start()
    rig.ack('o1')
    expect(events(rig.update('o1', 'complete', 75, 0))).toMatchObject([
      {
        kind: 'leg_entry_filled',
        severity: 'critical',
        message: expect.stringMatching(/^Entry BUY 75 \S+ filled at an unknown price .* no stop/),
      },
    ])
    expect(rig.run.isWaitingForBroker).toBe(true)
    rig.tick(50)
    expect(rig.run.snapshot()).toMatchObject({
      total: 0,
      isPartial: true,
      legs: [{ quantity: 75, effectiveStop: null }],
    })
    expect(events(rig.update('o1', 'complete', 75, 100))).toMatchObject([
      { kind: 'leg_entry_filled', severity: 'info' },
    ])
    expect(rig.run.isWaitingForBroker).toBe(false)
    expect(rig.run.snapshot()).toMatchObject({
      total: -3750,
      isPartial: false,
      legs: [{ effectiveStop: 90 }],
    })
    expect(placed(rig.tick(50))).toMatchObject([{ kind: 'exit_sl' }])
  })

  it('of an older exit cancels the newer one, and a reversal is brought back to zero', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.fillAll(100)
    rig.send({ type: 'stop', reason: 'manual' })
    rig.ack('o2')
    rig.update('o2', 'cancelled')
    rig.retry()
    expect(placed(rig.effects).at(-1)).toMatchObject({ id: 'o3', quantity: 75 })
    rig.ack('o3')
    // The broker filled the first exit after all.
    expect(rig.fill('o2', 101)).toContainEqual({ type: 'cancel', orderId: 'o3' })
    // The cancel came too late too: 75 are sold that the run did not hold.
    expect(placed(rig.fill('o3', 101))).toMatchObject([
      { kind: 'exit_recovery', action: 'BUY', quantity: 75 },
    ])
    rig.fillAll(102)
    expect(rig.run.state).toBe('finished')
    expect(rig.run.snapshot().realized).toBe(75 * 1 - 75 * 1)
  })

  it.each([Number.NaN, -5, 2.5, Number.POSITIVE_INFINITY])('of %s units is no fill', (filled) => {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1')
    rig.run.apply({
      type: 'order',
      orderId: 'o1',
      status: 'open',
      filledQuantity: filled,
      averagePrice: 100,
      at: rig.at,
    })
    expect(rig.run.snapshot().legs[0]?.quantity).toBe(0)
  })
})

describe('the close of a leg', () => {
  it('exits it, and the run ends when every leg is closed', () => {
    const rig = held()
    const effects = rig.send({ type: 'close_leg', legId: 2, request: 'close' })
    expect(placed(effects)).toMatchObject([{ kind: 'exit_leg_manual', action: 'SELL', symbol: 'CALL' }])
    expect(events(effects)).toMatchObject([
      { kind: 'leg_close_manual', message: 'Operator requested closure of leg 2' },
    ])
    rig.fillAll(100)
    expect(rig.run.state).toBe('running')
    rig.send({ type: 'close_leg', legId: 1 })
    rig.fillAll(100)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'manual' }])
    expect(events(rig.effects).at(-1)?.message).toBe('All legs closed')
  })

  it('is refused for a leg that is not open, and after a stop', () => {
    const rig = held()
    rig.send({ type: 'close_leg', legId: 2 })
    rig.fillAll(100)
    expect(replies(rig.send({ type: 'close_leg', legId: 2, request: 'r' }))[0]?.error).toBe(
      'That leg is not open',
    )
    expect(replies(rig.send({ type: 'close_leg', legId: 9, request: 'r' }))[0]?.error).toBe(
      'That leg is not open',
    )
    rig.send({ type: 'stop', reason: 'manual' })
    expect(replies(rig.send({ type: 'close_leg', legId: 1, request: 'r' }))[0]?.error).toBe(
      'Run is not active',
    )
  })

  it('that the broker refuses leaves the leg managed and is not tried again by itself', () => {
    const rig = held()
    rig.send({ type: 'close_leg', legId: 2, request: 'r' })
    expect(replies(rig.refuse('o3', 'market closed'))[0]?.error).toBe('Exit refused: market closed')
    expect(placed(rig.retry(600_000))).toEqual([])
    expect(rig.run.snapshot().legs[1]).toMatchObject({ status: 'open', quantity: 75 })
  })

  it.each(['rejected', 'cancelled'] as const)(
    'is tried until it works once the broker has accepted it, also when it is %s later',
    (status) => {
      const rig = held()
      rig.send({ type: 'close_leg', legId: 2, request: 'r' })
      expect(replies(rig.ack('o3'))).toMatchObject([{ ok: true }])
      rig.update('o3', status, 0, null, 'RMS: margin')
      expect(placed(rig.retry())).toMatchObject([{ id: 'o4', kind: 'exit_leg_manual' }])
      // The answer to the second try is nobody's: the person was told that the first one was accepted.
      rig.refuse('o4', 'RMS: margin')
      rig.crash()
      expect(placed(rig.retry(60_000))).toMatchObject([{ id: 'o5', kind: 'exit_leg_manual' }])
      rig.fillAll(100)
      expect(rig.run.snapshot().legs[1]).toMatchObject({ status: 'closed', quantity: 0 })
    },
  )

  it('is not tried again after a restart if the broker refused the request', () => {
    const rig = held()
    rig.send({ type: 'close_leg', legId: 2, request: 'r' })
    rig.refuse('o3', 'market closed')
    rig.crash()
    expect(placed(rig.retry(600_000))).toEqual([])
  })
})

describe('a stop before the start', () => {
  it('ends the run, and a start places nothing then', () => {
    const rig = new Rig(definition())
    expect(finished(rig.send({ type: 'stop', reason: 'manual' }))).toMatchObject([{ reason: 'manual' }])
    const effects = rig.start('r')
    expect(placed(effects)).toEqual([])
    expect(replies(effects)).toMatchObject([{ ok: false, error: 'Run is not active' }])
    expect(rig.run.state).toBe('finished')
  })
})

describe('an order that somebody changed at the broker', () => {
  it('holds what an entry filled when its quantity was raised', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1')
    const effects = rig.update('o1', 'complete', 150, 100)
    expect(events(effects)).toMatchObject([
      { kind: 'leg_entry_filled', severity: 'warn', message: expect.stringContaining('150 of 75') },
    ])
    expect(placed(rig.send({ type: 'stop', reason: 'manual' }))).toMatchObject([
      { action: 'SELL', quantity: 150 },
    ])
  })

  it('holds what an entry filled when its quantity was reduced', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.ack('o1')
    expect(events(rig.update('o1', 'complete', 50, 100))).toMatchObject([{ severity: 'warn' }])
    expect(placed(rig.send({ type: 'stop', reason: 'manual' }))).toMatchObject([
      { action: 'SELL', quantity: 50 },
    ])
  })

  it('exits the rest when the quantity of an exit was reduced, and buys back when it was raised', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.fillAll(100)
    rig.send({ type: 'stop', reason: 'manual' })
    rig.ack('o2')
    expect(placed(rig.update('o2', 'complete', 50, 100))).toMatchObject([{ action: 'SELL', quantity: 25 }])
    rig.ack('o3')
    expect(placed(rig.update('o3', 'complete', 40, 100))).toMatchObject([{ action: 'BUY', quantity: 15 }])
    rig.fillAll(100)
    expect(finished(rig.effects)).toMatchObject([{ reason: 'manual' }])
  })
})

describe('an exit that is refused', () => {
  const NFO = new Set(['NFO'])

  /** Refuses every exit for some time. @returns how often it was tried */
  function refusedFor(rig: Rig, ms: number, closed: ReadonlySet<string>): number {
    const until = rig.at + ms
    let tries = 0
    while (rig.at < until) {
      rig.at += 5_000
      for (const { id } of placed(rig.send({ type: 'retry', closed }))) {
        tries += 1
        rig.refuse(id, 'no')
      }
    }
    return tries
  }

  function refused(): Rig {
    const rig = new Rig(definition())
    rig.start()
    rig.fillAll(100)
    rig.send({ type: 'stop', reason: 'manual' })
    rig.refuse('o2', 'closed')
    return rig
  }

  it('is not tried while its exchange is closed, and at once when it opens', () => {
    const rig = refused()
    expect(refusedFor(rig, 18 * 3_600_000, NFO)).toBe(0)
    expect(placed(rig.retry())).toMatchObject([{ action: 'SELL', quantity: 75 }])
  })

  it('is tried in a closed market when a person asks again', () => {
    const rig = refused()
    rig.send({ type: 'retry', closed: NFO })
    expect(placed(rig.send({ type: 'stop', reason: 'manual' }))).toHaveLength(1)
  })

  it('is tried about a hundred times in a session, not every minute', () => {
    const tries = refusedFor(refused(), 6.25 * 3_600_000, new Set())
    expect(tries).toBeGreaterThan(70)
    expect(tries).toBeLessThan(110)
  })
})

describe('an exit that rests at the broker', () => {
  it('is reported once as critical', () => {
    const rig = new Rig(definition())
    rig.start()
    rig.fillAll(100)
    rig.send({ type: 'stop', reason: 'manual' })
    rig.ack('o2')
    expect(kinds(rig.retry())).toEqual([])
    expect(rig.run.isWaitingForBroker).toBe(false)
    expect(kinds(rig.retry())).toEqual([])
    expect(rig.run.isWaitingForBroker).toBe(true)
    expect(events(rig.retry(30_000))).toMatchObject([
      {
        kind: 'leg_exit_placed',
        severity: 'critical',
        message: expect.stringMatching(/still rests .* 0 of 75/),
      },
    ])
    expect(kinds(rig.retry(30_000))).toEqual([])
    rig.fill('o2', 100)
    expect(finished(rig.effects)).toHaveLength(1)
    expect(rig.run.isWaitingForBroker).toBe(false)
  })
})

describe('the retries of a refused exit', () => {
  const refused = (times: number, sent: boolean) => {
    const rig = held()
    rig.send({ type: 'close_leg', legId: 1 })
    rig.send({ type: 'stop', reason: 'manual' })
    for (let i = 0; i < times; i += 1) {
      for (const [id, row] of rig.rows) {
        if (row.kind === 'entry' || row.status !== 'pending') continue
        rig.ack(id, { outcome: 'refused', reason: 'no', sent })
      }
      rig.at += 301_000
      rig.send({ type: 'retry' })
    }
    for (const [id, row] of rig.rows) {
      if (row.kind !== 'entry' && row.status === 'pending')
        rig.ack(id, { outcome: 'refused', reason: 'no', sent })
    }
    return rig
  }

  it('wait up to five minutes after many refusals by the broker, and at most one after those of this service', () => {
    expect(placed(refused(15, true).retry(61_000))).toEqual([])
    expect(placed(refused(15, false).retry(61_000))).toHaveLength(2)
  })

  it('come at once when a session of the broker begins', () => {
    const rig = refused(15, true)
    expect(placed(rig.send({ type: 'broker_back' }))).toHaveLength(2)
    expect(placed(rig.send({ type: 'broker_back' }))).toEqual([])
  })
})
