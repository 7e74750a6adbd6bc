import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesFor, testInTorture } from '../support/chance/cases.js'
import { chance, rounds } from '../support/chance/chance.js'
import { approvalsOf } from '../support/desk/desk-state.js'
import { type RunMode, type Strategy, StrategyProcess } from '../support/desk/strategy-process.js'
import { pause } from '../support/eventually.js'
import { execute, query } from '../support/files/files.js'

/*
 * Runs of strategies whose process is killed in states that strategies.test.ts does not have: signal runs, flips, partial
 * fills, entries that wait for approval, exits by risk rules, and legs that wait to enter again. All tests of a mode
 * share one home, so each kill hits a home with a past. `npm test` has most states in one of the two modes.
 */
const BUY = {
  strategy_kind: 'batch',
  strategy_type: 'positional',
  product: 'MIS',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  universe_tab: 'stocks_fno',
  legs: [{ segment: 'cash', position: 'B', lots: 10 }],
}
const SIGNALS = {
  strategy_kind: 'signal',
  strategy_type: 'positional',
  product: 'MIS',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  legs: [{ symbol: 'SBIN', exchange: 'NSE', segment: 'cash', qty: 10 }],
}
/** The first move of the price reaches its stop or its target. */
const NEAR = { ...BUY.legs[0], sl_pts: 0.05, target_pts: 0.05 }
const LONG = { action: 'long_entry', leg_id: 1 }
const SHORT = { action: 'short_entry', leg_id: 1 }

/** More shares than the simulated order book has in a second, so that an order fills in parts. */
const DEEP = 6_000
const KILLS = rounds(2, 20)

let desk: StrategyProcess
const inMode = (mode: RunMode) => {
  beforeAll(async () => {
    desk = await StrategyProcess.open(mode)
  })
  afterAll(() => desk.close())
}

/** `npm test` takes the first of the points for a live run, and the second one for a sandbox run. */
const pointsFor = (mode: RunMode, points: readonly string[]) =>
  casesFor(points, (_, index) => index === (mode === 'live' ? 0 : 1))

/** Sends a request that the death of the process may cut off. */
const cutOff = (request: Promise<unknown>) => request.catch(() => undefined)

/** Repeats a signal as its sender does after no answer, and returns its answer. */
async function repeated(strategy: Strategy, signal: object) {
  const answer = await strategy.hook(signal)
  expect(answer.status).toBe(200)
  return answer.body
}

describe.each(['live', 'sandbox'] as const)('a %s run that dies', (mode) => {
  inMode(mode)
  const testFor = (usual: RunMode) => (mode === usual ? it : testInTorture)

  const ofFirstSignal = pointsFor(mode, [
    'strategies.entry.beforeRecord',
    'strategies.entries.afterCommit',
    'strategies.claim.afterCommit',
  ])
  it.each(ofFirstSignal)(
    'at %s of the first signal opens once, and a repeated signal doubles nothing',
    async (point) => {
      const strategy = await desk.create(SIGNALS)
      await desk.arm(point)
      await cutOff(strategy.hook(LONG))
      await desk.died()
      expect(await strategy.status()).toBe('running')
      await repeated(strategy, LONG)
      await strategy.until(
        (orders) => orders.some(({ status }) => status === 'complete'),
        'the entry is filled',
      )
      expect(await strategy.held()).toBe(10)
      expect((await repeated(strategy, LONG)).message).toBe('Signal accepted (already_long)')
      expect(await strategy.held()).toBe(10)
      await strategy.end()
      await strategy.expectFlat()
    },
  )

  const ofBatchStart = pointsFor(mode, [
    'strategies.claim.afterCommit',
    'strategies.entries.afterCommit',
    'strategies.entry.beforeRecord',
  ])
  it.each(ofBatchStart)('at %s of a batch start holds one entry after the repeated start', async (point) => {
    const strategy = await desk.create(BUY)
    await desk.arm(point)
    const start = { action: 'start', mode }
    await cutOff(strategy.hook(start))
    await desk.died()
    const isSent = point === 'strategies.entry.beforeRecord'
    expect((await repeated(strategy, start)).result).toBe(isSent ? 'rejected_dedupe' : 'ok')
    await strategy.until(
      (orders) => orders.some(({ status }) => status === 'complete'),
      'the entry is filled',
    )
    expect(await strategy.held()).toBe(10)
    await strategy.end()
    await strategy.expectFlat()
  })

  const ofFlip = pointsFor(mode, [
    'strategies.exit.beforeRecord',
    'strategies.entries.afterCommit',
    'strategies.entry.beforeRecord',
  ])
  for (const point of ofFlip)
    testFor('live')(`at ${point} of a flip holds one side after the repeated signal`, async () => {
      const strategy = await desk.create(SIGNALS)
      await strategy.hook(LONG)
      await strategy.until((orders) => orders[0]?.status === 'complete', 'the entry is filled')
      await desk.arm(point)
      await cutOff(strategy.hook(SHORT))
      await desk.died()
      await strategy.until(
        (orders) => orders.some((one) => one.kind === 'exit_signal' && one.status === 'complete'),
        'the old side is out',
      )
      await repeated(strategy, SHORT)
      await strategy.until(
        (orders) =>
          orders.some((one) => one.action === 'SELL' && one.kind === 'entry' && one.status === 'complete'),
        'the new side is in',
      )
      expect(await strategy.held()).toBe(-10)
      await strategy.end()
      await strategy.expectFlat()
    })

  for (const point of pointsFor(mode, ['strategies.exit.beforeRecord', 'strategies.exits.afterCommit']))
    testFor('sandbox')(
      `at ${point} of an exit by its risk rule ends by itself, with one exit filled`,
      async () => {
        const strategy = await desk.create({ ...BUY, legs: [NEAR] })
        await desk.arm(point)
        await cutOff(strategy.start())
        await desk.died()
        await strategy.ended()
        await strategy.expectFlat()
        const filled = (await strategy.orders()).filter(({ filled_qty }) => filled_qty > 0)
        expect(filled.map(({ kind }) => kind)).toEqual(['entry', expect.stringMatching(/^exit_(sl|target)$/)])
      },
    )

  testInTorture(
    'while a leg waits for its price to enter again goes on waiting, and ends by its stop',
    async () => {
      const reentry = { on: 'any', mode: 'cost', max: 1 }
      const strategy = await desk.create({ ...BUY, legs: [{ ...NEAR, reentry }] })
      await strategy.start()
      await strategy.until(
        (orders) => orders.some((one) => one.kind !== 'entry' && one.status === 'complete'),
        'the leg has left',
      )
      await desk.daemon.crash()
      // Flat and waiting, or in again for the last time: either way the run was not over.
      const orders = await strategy.orders()
      expect(orders.filter(({ kind }) => kind === 'entry').length).toBeLessThanOrEqual(2)
      if (orders.length === 2) expect(await strategy.status()).toBe('running')
      await strategy.end()
      await strategy.expectFlat()
      const entries = (await strategy.orders()).filter(({ kind }) => kind === 'entry')
      expect(entries.length).toBeLessThanOrEqual(2)
    },
  )

  testInTorture('between the rows and the order of an immediate re-entry ends flat', async () => {
    const reentry = { on: 'any', mode: 'asap', max: 3 }
    const strategy = await desk.create({ ...BUY, legs: [{ ...NEAR, reentry }] })
    await desk.arm('strategies.entries.afterCommit:2')
    await cutOff(strategy.start())
    await desk.died()
    await strategy.end()
    await strategy.expectFlat()
    const entries = (await strategy.orders()).filter(({ kind }) => kind === 'entry')
    expect(entries.length).toBeLessThanOrEqual(4)
  })

  testFor('live')(
    'and cannot be restored stays reserved through kills and a repair, sends nothing, and is released by a person',
    async () => {
      const strategy = await desk.create(BUY)
      await strategy.start()
      await strategy.until((orders) => orders[0]?.status === 'complete', 'the entry is filled')
      const change = (definition: string) =>
        desk.whileDown((file) =>
          execute(
            file,
            `update strategy_runs set definition = ${definition} where strategy_id = ${strategy.id}`,
          ),
        )
      await change(`'x' || definition`)
      for (let kill = 0; kill < 2; kill++) {
        expect(await strategy.status()).toBe('running')
        for (const refused of [await strategy.start(), await strategy.stop()]) {
          expect(refused).toMatchObject({
            status: 409,
            body: { message: expect.stringContaining('remains open for manual reconciliation') },
          })
        }
        expect((await strategy.orders()).map(({ kind, status }) => [kind, status])).toEqual([
          ['entry', 'complete'],
        ])
        await desk.daemon.crash()
      }
      await change('substr(definition, 2)')
      expect((await strategy.stop()).status).toBe(409)
      const [run] = await query<{ id: number }>(
        join(desk.daemon.home, 'svc.db'),
        'select id from strategy_runs where strategy_id = ?',
        [strategy.id],
      )
      const release = (body: object) =>
        desk.daemon.request('POST', `${strategy.path}/runs/${run?.id}/release`, body)
      const reviewed = { reason: 'the account holds them for something else', closed_by_hand: true }
      expect((await release(reviewed)).status).toBe(409)
      expect((await release({ ...reviewed, positions_checked: true })).status).toBe(200)
      expect(await strategy.status()).toBe('stopped')
      expect(await strategy.orders()).toHaveLength(1)
      // An account nets. What this run has left would look like the close of a short run of another test.
      await desk.closeByHand()
    },
  )

  testFor('sandbox')('at any moment of signals, starts and stops loses and doubles nothing', async () => {
    const random = chance(`strategy kills, ${mode}`)
    const signals = await desk.create(SIGNALS)
    const batch = await desk.create({
      ...BUY,
      legs: [{ ...NEAR, reentry: { on: 'any', mode: 'asap', max: 10 } }],
    })
    for (let kill = 0; kill < KILLS; kill++) {
      let dies = false
      const send = async (): Promise<void> => {
        while (!dies) {
          await cutOff(
            signals.hook([LONG, SHORT, { action: 'long_exit', leg_id: 1 }][random.between(0, 2)] ?? LONG),
          )
          await cutOff(random.next() < 0.3 ? batch.stop() : batch.start())
        }
      }
      const sender = send()
      await pause(random.between(100, 1_200))
      await desk.daemon.kill()
      dies = true
      await sender
      await desk.daemon.start()
    }
    for (const strategy of [signals, batch]) {
      await strategy.end()
      await strategy.expectFlat()
    }
  })
})

describe('a live run whose orders fill in parts', () => {
  inMode('live')

  it('counts each share once, through kills during the entry and during the exit', async () => {
    const strategy = await desk.create({ ...BUY, legs: [{ ...BUY.legs[0], lots: DEEP }] })
    expect((await strategy.start()).status).toBe(200)
    const isPartial = (kind: string) => (orders: { kind: string; filled_qty: number; quantity: number }[]) =>
      orders.some((one) => one.kind === kind && one.filled_qty > 0 && one.filled_qty < one.quantity)
    await strategy.until(isPartial('entry'), 'the entry fills in parts')
    await desk.daemon.crash()
    await strategy.until((orders) => orders[0]?.filled_qty === DEEP, 'the entry is filled')
    await strategy.stop()
    await strategy.until(isPartial('exit_close_all'), 'the exit fills in parts')
    await desk.daemon.crash()
    await strategy.ended()
    await strategy.expectFlat()
    const orders = await strategy.orders()
    expect(orders.map(({ kind, filled_qty }) => [kind, filled_qty])).toEqual([
      ['entry', DEEP],
      ['exit_close_all', DEEP],
    ])
  })

  testInTorture('is stopped during its entry, dies, and sells exactly the part that was bought', async () => {
    const strategy = await desk.create({ ...BUY, legs: [{ ...BUY.legs[0], lots: DEEP }] })
    await strategy.start()
    await cutOff(strategy.stop())
    await desk.daemon.crash()
    await strategy.end()
    await strategy.expectFlat()
  })
})

describe('a live run whose entry waits for approval', () => {
  inMode('live')
  beforeAll(async () => {
    await desk.daemon.orderMode('semi_auto')
  })

  async function queued(): Promise<{ strategy: Strategy; approval: number }> {
    const strategy = await desk.create(BUY)
    expect((await strategy.start()).status).toBe(200)
    const row = (await approvalsOf(desk.daemon)).at(-1)
    expect(row?.status).toBe('pending')
    return { strategy, approval: row?.id ?? 0 }
  }
  const decide = (what: 'approve' | 'reject', approval: number) =>
    desk.daemon.request(
      'POST',
      `/action-center/${what}/${approval}`,
      what === 'reject' ? { reason: 'no' } : undefined,
    )

  it('opens when the approval comes after the kill', async () => {
    const { approval, strategy } = await queued()
    await desk.daemon.crash()
    expect(await strategy.status()).toBe('running')
    expect((await decide('approve', approval)).status).toBe(200)
    await strategy.until((orders) => orders[0]?.status === 'complete', 'the entry is filled')
    expect(await strategy.held()).toBe(10)
    await strategy.end()
    await strategy.expectFlat()
  })

  testInTorture('holds the entry once when the kill comes right after the approval', async () => {
    const { approval, strategy } = await queued()
    expect((await decide('approve', approval)).status).toBe(200)
    await desk.daemon.crash()
    await strategy.until((orders) => orders[0]?.status === 'complete', 'the entry is filled')
    expect(await strategy.held()).toBe(10)
    await strategy.end()
    await strategy.expectFlat()
  })

  it('ends without an order when the kill comes between the approval and its order', async () => {
    const { approval, strategy } = await queued()
    await desk.arm('approvals.claim.afterCommit')
    await cutOff(decide('approve', approval))
    await desk.died()
    await strategy.ended()
    await strategy.expectFlat()
    expect(
      (await strategy.orders()).map(({ filled_qty, kind, status }) => [kind, status, filled_qty]),
    ).toEqual([['entry', 'rejected', 0]])
  })

  testInTorture('ends when the request is rejected after the kill', async () => {
    const { approval, strategy } = await queued()
    await desk.daemon.crash()
    expect((await decide('reject', approval)).status).toBe(200)
    await strategy.ended()
    await strategy.expectFlat()
  })

  testInTorture('withdraws the request when the stop comes after the kill', async () => {
    const { approval, strategy } = await queued()
    await desk.daemon.crash()
    await strategy.end()
    await strategy.expectFlat()
    expect((await approvalsOf(desk.daemon)).find(({ id }) => id === approval)?.status).not.toBe('pending')
    expect((await decide('approve', approval)).status).toBe(400)
    expect(await strategy.held()).toBe(0)
  })
})
