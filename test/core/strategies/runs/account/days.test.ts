import { describe, expect, test } from 'vitest'
import { casesFor } from '../../../../support/chance/cases.js'
import { DAYS, Days, OWN, PRODUCTS, type RunProduct } from './days-rig.js'

/*
 * What a run holds stays its own over days, whatever its account's book of the day shows: delivery shares leave the positions
 * overnight, and their sale is a negative position. Everybody else keeps what is his.
 */

/** Strategies over several days. */
interface Story {
  ids: readonly number[]
  /** Enters on the first day, and with product MIS on each day. */
  enter(days: Days): Promise<void>
  /** Trades once a day, and leaves each run with what it has. */
  act(days: Days, day: number): Promise<void>
  /** Ends everything. */
  end(days: Days): Promise<void>
}

/** Shares or lots that somebody else holds in the same account. */
const OTHER = 5
const SOLD = 3

function exitsAndEntersAgain(id: number): Story {
  return {
    ids: [id],
    async enter(days) {
      await days.signal(id, 'long_entry')
      await days.expectHeld([[id, OWN]], OWN)
    },
    async act(days) {
      // On a later day it closes the run of the day before, and opens the next one.
      await days.signal(id, 'long_entry')
      expect(await days.signal(id, 'long_entry')).toBe('already_long')
      await days.compared()
      await days.expectHeld([[id, OWN]], OWN)
      await days.signal(id, 'long_exit')
      await days.expectHeld([[id, 0]], 0)
      await days.signal(id, 'long_entry')
      await days.compared()
      await days.expectHeld([[id, OWN]], OWN)
      await days.fall(id)
      await days.expectHeld([[id, 0]], 0)
      await days.signal(id, 'long_entry')
      await days.expectHeld([[id, OWN]], OWN)
    },
    async end(days) {
      await days.stop(id)
      await days.expectHeld([[id, 0]], 0)
    },
  }
}

/** Of two runs the older one leaves each day, after the younger one has bought. */
function leavesTheOther([first, second]: readonly [number, number]): Story {
  let [old, young] = [first, second]
  return {
    ids: [first, second],
    async enter(days) {
      await days.signal(old, 'long_entry')
    },
    async act(days, day) {
      await days.signal(young, 'long_entry')
      await days.compared()
      await days.expectHeld(
        [
          [old, OWN],
          [young, OWN],
        ],
        2 * OWN,
      )
      if (day % 2 === 0) await days.stop(old)
      else await days.fall(old)
      await days.compared()
      await days.expectHeld(
        [
          [old, 0],
          [young, OWN],
        ],
        OWN,
      )
      ;[old, young] = [young, old]
    },
    async end(days) {
      await days.fall(old)
      await days.expectHeld([[old, 0]], 0)
    },
  }
}

function standsBesideOthers(id: number): Story {
  return {
    ids: [id],
    async enter(days) {
      await days.hand('BUY', OTHER)
      await days.signal(id, 'long_entry')
    },
    async act(days) {
      await days.compared()
      await days.expectHeld([[id, OWN]], OWN + OTHER)
      await days.hand('SELL', OTHER)
      await days.compared()
      await days.expectHeld([[id, OWN]], OWN)
      await days.hand('BUY', OTHER)
      await days.fall(id)
      await days.compared()
      await days.expectHeld([[id, 0]], OTHER)
      await days.signal(id, 'long_entry')
      await days.expectHeld([[id, OWN]], OWN + OTHER)
    },
    async end(days) {
      await days.stop(id)
      await days.expectHeld([[id, 0]], OTHER)
    },
  }
}

function losesAPart(id: number): Story {
  return {
    ids: [id],
    async enter(days) {
      await days.signal(id, 'long_entry')
    },
    async act(days) {
      await days.compared()
      await days.expectHeld([[id, OWN]], OWN)
      await days.hand('SELL', SOLD)
      await days.compared()
      days.told += 1
      await days.expectHeld([[id, OWN - SOLD]], OWN - SOLD)
      await days.fall(id)
      await days.compared()
      await days.expectHeld([[id, 0]], 0)
      await days.signal(id, 'long_entry')
      await days.expectHeld([[id, OWN]], OWN)
    },
    async end(days) {
      await days.stop(id)
      await days.expectHeld([[id, 0]], 0)
    },
  }
}

const STORIES: readonly [name: string, story: (days: Days) => Promise<Story>][] = [
  ['exits and enters again', async (days) => exitsAndEntersAgain(await days.create('one'))],
  [
    'leaves another run its position',
    async (days) => leavesTheOther([await days.create('first'), await days.create('second')]),
  ],
  ['leaves what somebody else holds', async (days) => standsBesideOthers(await days.create('one'))],
  ['keeps the rest of a partial sale by hand', async (days) => losesAPart(await days.create('one'))],
]

const SERVICES = (['live', 'sandbox'] as const).flatMap((mode) =>
  [false, true].map((isRestarted) => ({ mode, isRestarted })),
)

/** Returns each story with each service; `npm test` takes one service for each story, and every service for each product. */
function casesOf(product: RunProduct) {
  const shift = PRODUCTS.indexOf(product)
  const all = STORIES.flatMap(([name, story], at) =>
    SERVICES.map((service, index) => ({
      ...service,
      ...{ name, story, isUsual: index === (at + shift) % SERVICES.length },
    })),
  )
  return casesFor(all, ({ isUsual }) => isUsual)
}

type Case = ReturnType<typeof casesOf>[number]

async function play(product: RunProduct, { isRestarted, mode, story }: Case) {
  const days = await Days.open(mode, product)
  const { act, end, enter, ids } = await story(days)
  const isForOneDay = product === 'MIS'
  const nothing = ids.map((id) => [id, 0] as const)
  for (const [day, date] of DAYS.entries()) {
    if (day > 0) await days.morning(date, isRestarted)
    // Whatever was held the day before ended with it.
    if (isForOneDay) await days.expectHeld(nothing, 0)
    if (day === 0 || isForOneDay) await enter(days)
    if (isForOneDay && isRestarted) await days.restart()
    await act(days, day)
    if (isForOneDay) await days.squareOff(date)
  }
  if (!isForOneDay) await end(days)
}

describe.each(PRODUCTS)('a run with product %s over days, a weekend and a holiday', (product) => {
  test.each(casesOf(product))('$name ($mode, restarted: $isRestarted)', (one) => play(product, one))
})

describe.each(['live', 'sandbox'] as const)('delivery shares of a %s run', (mode) => {
  test('stay its own when it enters again by itself, day after day', async () => {
    const days = await Days.open(mode, 'CNC')
    const id = await days.start('batch')
    for (const date of DAYS.slice(1)) {
      await days.morning(date, false)
      await days.fall(id)
      await days.compared()
      await days.expectHeld([[id, OWN]], OWN)
    }
    await days.stop(id)
    await days.expectHeld([[id, 0]], 0)
  })

  test('are not bought back by a close of all positions, once it has sold them', async () => {
    const days = await Days.open(mode, 'CNC')
    const id = await days.create('one')
    await days.signal(id, 'long_entry')
    await days.morning(DAYS[1], false)
    await days.fall(id)
    await days.closeAll()
    await days.expectHeld([[id, 0]], 0)
  })
})

/** A live run that holds its quantity in the morning of its second day. */
async function secondMorning(product: RunProduct, before?: (days: Days) => Promise<void>) {
  const days = await Days.open('live', product)
  const id = await days.create('one')
  await days.signal(id, 'long_entry')
  await before?.(days)
  await days.compared()
  const { portfolio } = days.rig.rig.desk.service.brokers.client()
  return { days, id, portfolio, next: () => days.morning(DAYS[1], false) }
}

test('shares that a broker lists late are not given up: an event tells of them once', async () => {
  const { days, id, next, portfolio } = await secondMorning('CNC')
  const holdings = portfolio.holdings.bind(portfolio)
  portfolio.holdings = async () => []
  await next()
  await days.compared()
  await days.compared()
  expect(days.claimed(id)).toEqual([OWN])
  const warned = await days.rig.query(
    `select message from strategy_events where kind = 'leg_close_manual' and severity = 'warn'`,
  )
  expect(warned.map(({ message }) => message)).toEqual([
    expect.stringMatching(/shows 7 SBIN fewer than runs count on.* Leg 1 keeps its quantity and its stop/),
  ])
  portfolio.holdings = holdings
  await days.fall(id)
  await days.expectHeld([[id, 0]], 0)
})

test('a sale by hand while a broker lists no shares yet takes nothing from a run', async () => {
  const { days, id, next, portfolio } = await secondMorning('CNC', (one) => one.hand('BUY', OWN))
  const holdings = portfolio.holdings.bind(portfolio)
  portfolio.holdings = async () => []
  await next()
  await days.hand('SELL', OWN)
  await days.compared()
  portfolio.holdings = holdings
  await days.compared()
  await days.expectHeld([[id, OWN]], OWN)
})

test('what others bought on the day before does not explain a book that is late in the morning', async () => {
  const { days, id, next, portfolio } = await secondMorning('NRML', (one) => one.hand('BUY', OWN))
  const positions = portfolio.positions.bind(portfolio)
  portfolio.positions = async () => []
  await next()
  portfolio.positions = positions
  await days.compared()
  await days.expectHeld([[id, OWN]], 2 * OWN)
})
