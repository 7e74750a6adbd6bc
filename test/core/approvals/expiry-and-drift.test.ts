import { describe, expect, test } from 'vitest'
import { LedgerExecutor, ORDER, openRig } from './rig.js'

describe('expiry', () => {
  test('off, it changes nothing and leaves no timer', async () => {
    const { approvals, clock } = await openRig()
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    expect(clock.pending).toBe(0)
    await clock.advance(30 * 86_400_000)
    expect(await approvals.view('asha', id)).toMatchObject({ status: 'pending', expires_at: null })
  })

  test.each([
    [90, 'Expired after 90 seconds'],
    [300, 'Expired after 5 minutes'],
    [3600, 'Expired after 1 hour'],
    [90 * 86_400, 'Expired after 2160 hours'],
  ])('after %d seconds an order is rejected with a reason and an event', async (expirySeconds, reason) => {
    const { approvals, clock, events, executor } = await openRig({ expirySeconds })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    await clock.advance(expirySeconds * 1000 - 1)
    expect(await approvals.view('asha', id)).toMatchObject({ status: 'pending' })
    await clock.advance(1)
    await expect.poll(() => approvals.count('asha')).toBe(0)
    expect(await approvals.view('asha', id)).toMatchObject({
      status: 'rejected',
      rejected_by: 'system',
      rejected_reason: reason,
    })
    expect(events.at(-1)).toEqual({
      topic: 'pending_order_updated',
      payload: { action: 'rejected', order_id: id, user_id: 'asha' },
    })
    await expect.poll(() => clock.pending).toBe(0)
    expect(executor.executed).toEqual([])
  })

  test('each order has its own time, and those that ended while the service was down go at the start', async () => {
    const first = await openRig({ expirySeconds: 60 })
    await first.approvals.enqueue('asha', 'placeorder', ORDER)
    await first.clock.advance(30_000)
    await first.approvals.enqueue('asha', 'placeorder', ORDER)
    await first.approvals.close()
    await first.clock.advance(40_000)
    const { approvals, clock } = await openRig({ file: first.file, clock: first.clock })
    await clock.advance(0)
    await expect.poll(() => approvals.count('asha')).toBe(1)
    await expect.poll(() => clock.pending).toBe(1)
    await clock.advance(20_000)
    await expect.poll(() => approvals.count('asha')).toBe(0)
  })

  test('an order whose time is over cannot be approved, even before the timer got to it', async () => {
    const { approvals, clock, db, executor } = await openRig({ expirySeconds: 60 })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    await db.write((tx) => tx.exec('update pending_orders set expires_at = ?', [clock.now()]))
    await expect(approvals.approve('asha', id, 'asha')).rejects.toMatchObject({ code: 'not_pending' })
    expect(await approvals.view('asha', id)).toMatchObject({ status: 'rejected' })
    expect(executor.executed).toEqual([])
  })

  test('hundreds that end together all go', async () => {
    const { approvals, clock } = await openRig({ expirySeconds: 60 })
    await Promise.all(Array.from({ length: 450 }, () => approvals.enqueue('asha', 'placeorder', ORDER)))
    await clock.advance(60_000)
    await expect.poll(() => approvals.statistics('asha').total_rejected).toBe(450)
    await expect.poll(() => clock.pending).toBe(0)
  })
})

describe('drift', () => {
  const cases: [name: string, then: number | undefined, now: number | undefined, allowed: boolean][] = [
    ['the same price', 800, 800, true],
    ['exactly the limit up', 800, 816, true],
    ['exactly the limit down', 800, 784, true],
    ['one unit past the limit up', 800, 816.0001, false],
    ['one unit past the limit down', 800, 783.9999, false],
    ['a small price, exact', 0.05, 0.051, true],
    ['no price when queued', undefined, 800, false],
    ['no price now', 800, undefined, false],
  ]
  test.each(cases)('at two percent: %s', async (_name, ltp, now, allowed) => {
    const { approvals, executor, prices } = await openRig({ maxDriftPercent: 2 })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER, { ltp })
    if (now !== undefined) prices.set('NSE:SBIN', now)
    const approving = approvals.approve('asha', id, 'asha')
    if (allowed) await expect(approving).resolves.toMatchObject({ outcome: 'executed' })
    else await expect(approving).rejects.toMatchObject({ code: 'refused' })
    expect(executor.executed).toHaveLength(allowed ? 1 : 0)
    expect(await approvals.view('asha', id)).toMatchObject({ status: allowed ? 'approved' : 'pending' })
  })

  test('tells both prices, and approves when the price has come back', async () => {
    const { approvals, prices } = await openRig({ maxDriftPercent: 1.5 })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER, { ltp: 812.35 })
    prices.set('NSE:SBIN', 840)
    await expect(approvals.approve('asha', id, 'asha')).rejects.toThrow(
      'Not approved: NSE:SBIN moved from 812.35 when it was queued to 840.00 now, more than 1.5 percent. ' +
        'The order stays pending.',
    )
    prices.set('NSE:SBIN', 815)
    expect(await approvals.approve('asha', id, 'asha')).toMatchObject({ outcome: 'executed' })
  })

  test.each([
    ['reads the price before it waits for other orders of its position', 1_000, 'executed'],
    ['reads the price again after a long wait', 1_001, 'pending'],
  ])('%s', async (_name, waitMs, end) => {
    const executor = new LedgerExecutor()
    const { approvals, clock, prices } = await openRig({ executor, maxDriftPercent: 2 })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER, { ltp: 800 })
    prices.set('NSE:SBIN', 800)
    executor.alone = async (work) => {
      await clock.advance(waitMs)
      prices.set('NSE:SBIN', 820)
      return work()
    }
    const approving = approvals.approve('asha', id, 'asha')
    if (end === 'executed') await expect(approving).resolves.toMatchObject({ outcome: 'executed' })
    else await expect(approving).rejects.toThrow('NSE:SBIN moved from 800.00')
    expect(executor.executed).toHaveLength(end === 'executed' ? 1 : 0)
  })

  test('does not occupy its position when the price forbids it', async () => {
    const executor = new LedgerExecutor()
    const { approvals, prices } = await openRig({ executor, maxDriftPercent: 2 })
    const id = await approvals.enqueue('asha', 'placeorder', ORDER, { ltp: 800 })
    prices.set('NSE:SBIN', 820)
    executor.alone = () => Promise.reject(new Error('occupied'))
    await expect(approvals.approve('asha', id, 'asha')).rejects.toThrow('NSE:SBIN moved from 800.00')
  })

  test.each(['smartorder', 'splitorder', 'placegttorder'])('holds a %s by its symbol', async (operation) => {
    const { approvals, executor, prices } = await openRig({ maxDriftPercent: 2 })
    const id = await approvals.enqueue('asha', operation, ORDER, { ltp: 800 })
    prices.set('NSE:SBIN', 820)
    await expect(approvals.approve('asha', id, 'asha')).rejects.toThrow('NSE:SBIN moved from 800.00')
    expect(executor.executed).toEqual([])
  })

  const BASKET = { strategy: 'Trend', orders: [ORDER, { ...ORDER, symbol: 'INFY' }, ORDER] }
  const queued = (infy?: number) =>
    new Map([['NSE:SBIN', 800], ...(infy ? [['NSE:INFY', infy] as const] : [])])
  const baskets: [
    name: string,
    then: ReadonlyMap<string, number>,
    now: [number, number?],
    refusal?: string,
  ][] = [
    ['no price has moved', queued(1500), [800, 1500]],
    [
      'the first has moved',
      queued(1500),
      [820, 1500],
      'NSE:SBIN moved from 800.00 when it was queued to 820.00',
    ],
    [
      'the last has moved',
      queued(1500),
      [800, 1400],
      'NSE:INFY moved from 1500.00 when it was queued to 1400.00',
    ],
    [
      'one was not known when queued',
      queued(),
      [800, 1500],
      'the price of NSE:INFY when it was queued is not known',
    ],
    [
      'none was known when queued',
      new Map(),
      [800, 1500],
      'the price of NSE:SBIN when it was queued is not known',
    ],
    ['one is not known now', queued(1500), [800], 'there is no price of NSE:INFY'],
    [
      'a price nobody could compare with',
      queued(-1),
      [800, 1500],
      'the price of NSE:INFY when it was queued',
    ],
  ]
  test.each(baskets)('holds every order of a basket: %s', async (_name, then, [sbin, infy], refusal) => {
    const { approvals, executor, prices } = await openRig({ maxDriftPercent: 2 })
    const id = await approvals.enqueue('asha', 'basketorder', BASKET, { prices: then })
    prices.set('NSE:SBIN', sbin)
    if (infy !== undefined) prices.set('NSE:INFY', infy)
    const approving = approvals.approve('asha', id, 'asha')
    if (refusal === undefined) await expect(approving).resolves.toMatchObject({ outcome: 'executed' })
    else await expect(approving).rejects.toThrow(refusal)
    expect(executor.executed).toHaveLength(refusal === undefined ? 1 : 0)
  })

  test('off, no price is needed; an option order, whose contract is not chosen yet, is not checked', async () => {
    const off = await openRig()
    for (const [operation, payload] of [
      ['placeorder', ORDER],
      ['basketorder', BASKET],
    ] as const) {
      const id = await off.approvals.enqueue('asha', operation, payload)
      expect(await off.approvals.approve('asha', id, 'asha')).toMatchObject({ outcome: 'executed' })
    }
    const on = await openRig({ maxDriftPercent: 1 })
    on.executor.supported.add('optionsorder')
    const option = { strategy: 'Trend', underlying: 'NIFTY', exchange: 'NSE_INDEX', offset: 'ATM' }
    const id = await on.approvals.enqueue('asha', 'optionsorder', option)
    expect(await on.approvals.approve('asha', id, 'asha')).toMatchObject({ outcome: 'executed' })
  })
})
