import { expect, it, onTestFinished } from 'vitest'
import { type SymbolRef, symbolKey } from '../../../../src/core/market/schema.js'
import { type Money, timesContract, timesQuantity, toMoney } from '../../../../src/core/money/index.js'
import { dayPnl, realizedToday, unrealized } from '../../../../src/core/sandbox/engine/ledger.js'
import { DAY_MS, HOUR_MS, sessionDate } from '../../../../src/core/time/index.js'
import { casesFor } from '../../../support/chance/cases.js'
import { quoteOf, Rig, randomFrom, USER } from '../harness.js'

type Random = ReturnType<typeof randomFrom>

/** 10:00 in India. */
const MORNING_UTC_MS = 4.5 * HOUR_MS
const SHARES = ['MIS', 'CNC'] as const
const CONTRACTS = ['MIS', 'NRML'] as const
const MARKETS = [
  { symbol: 'SBIN', exchange: 'NSE', price: 800, lot: 1, products: SHARES },
  { symbol: 'INFY', exchange: 'NSE', price: 1600, lot: 1, products: SHARES },
  { symbol: 'TCS', exchange: 'BSE', price: 3500, lot: 1, products: SHARES },
  { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO', price: 200, lot: 75, products: CONTRACTS },
  { symbol: 'BTCUSDFUT', exchange: 'CRYPTO', price: 60_000, lot: 0.5, products: CONTRACTS },
] as const
/** No tick ever comes for this one: only the market's answers have its price. */
const SILENT = 'TCS'

type Market = (typeof MARKETS)[number]

/** What one question about everything finds: each row counted once more. */
async function fullSum(rig: Rig) {
  const { account, positions, holdings } = await rig.sandbox.books.marked(USER)
  const session = sessionDate(rig.clock.now())
  const total = { open: 0n, exposure: 0n, day: 0n as Money | undefined }
  for (const { row, ltp } of positions) {
    const prevClose = (await rig.market.quote(row))?.prevClose ?? 0
    const known = { ltp, prevClose: prevClose > 0 ? toMoney(prevClose) : undefined }
    const profit = dayPnl(row, session, known)
    total.open += unrealized(row, ltp)
    total.exposure += timesContract(timesQuantity(ltp, Math.abs(row.quantity)), row.contractValue)
    total.day = total.day === undefined || profit === undefined ? undefined : total.day + profit
  }
  for (const { row, ltp } of holdings) {
    total.open += timesQuantity(ltp, row.quantity) - row.cost
    total.exposure += timesQuantity(ltp, row.quantity)
  }
  const { funds } = account
  return { ...total, used: funds.used, available: funds.available, today: realizedToday(funds, session) }
}

async function running(rig: Rig) {
  const [{ funds, value }, day] = [await rig.sandbox.books.value(USER), await rig.sandbox.books.dayPnl(USER)]
  const today = realizedToday(funds, sessionDate(rig.clock.now()))
  return { ...value, day, used: funds.used, available: funds.available, today }
}

/** Moves the price; a tick of some feeds carries no previous close, and then the market may know it. */
async function move(rig: Rig, market: Market, random: Random): Promise<void> {
  const ltp = market.price * (0.9 + random(200) / 1000)
  const prevClose = random(8) === 0 ? 0 : market.price
  const quote = { ...quoteOf(market, ltp.toFixed(2)), prevClose }
  if (market.symbol === SILENT) rig.market.set(quote)
  else rig.market.tick({ ...quote, prevClose: random(3) === 0 ? 0 : prevClose })
  rig.market.set(quote)
}

async function order(rig: Rig, market: Market, random: Random): Promise<void> {
  const limit = random(3) === 0
  await rig.place({
    symbol: market.symbol,
    exchange: market.exchange,
    action: random(2) === 0 ? 'BUY' : 'SELL',
    quantity: market.lot * (1 + random(6)),
    product: market.products[random(2)] ?? 'MIS',
    ...(limit && { priceType: 'LIMIT', price: market.price }),
  })
}

/**
 * Minutes, or hour by hour until the next morning: over square-offs, settlement and the rollover at 03:00. The totals
 * are asked for in between, so that no rollover hides what a job forgot to say.
 */
async function pass(rig: Rig, random: Random): Promise<void> {
  const now = rig.clock.now()
  if (random(2) === 0) return rig.pass(new Date(now + random(60) * 60_000).toISOString())
  const morning = (Math.floor((now - MORNING_UTC_MS) / DAY_MS) + 1) * DAY_MS + MORNING_UTC_MS
  while (rig.clock.now() < morning) {
    await rig.pass(new Date(Math.min(rig.clock.now() + HOUR_MS, morning)).toISOString())
    expect(await running(rig)).toEqual(await fullSum(rig))
  }
}

async function act(rig: Rig, random: Random): Promise<void> {
  const market = MARKETS[random(MARKETS.length)] ?? MARKETS[0]
  const dice = random(100)
  if (dice < 45) await order(rig, market, random)
  else if (dice < 80) await move(rig, market, random)
  else if (dice < 93) await pass(rig, random)
  else if (dice < 95) await rig.reboot()
  else if (dice < 96) await rig.sandbox.reset(USER)
  else if (dice < 98) await rig.closeAll()
  else await rig.sandbox.cancelAll(USER)
}

it.each(casesFor([1, 2, 3, 4], (seed) => seed === 1))(
  'the running totals equal the full sum after random orders, ticks, jobs, resets and restarts (seed %i)',
  async (seed) => {
    const rig = await Rig.open()
    onTestFinished(() => rig.close())
    const random = randomFrom(seed)
    for (const market of MARKETS) await move(rig, market, random)
    const met = { holdings: 0, sessions: new Set<string>(), unknown: 0, open: 0 }
    for (let step = 0; step < 250; step++) {
      await act(rig, random)
      if (random(3) === 0) continue
      const sum = await fullSum(rig)
      expect({ step, ...(await running(rig)) }).toEqual({ step, ...sum })
      met.sessions.add(sessionDate(rig.clock.now()))
      if (sum.day === undefined) met.unknown += 1
      if (sum.open !== 0n) met.open += 1
      const { holdings } = await rig.sandbox.books.holdings(USER)
      if (holdings.length > 0) met.holdings += 1
    }
    expect(met.open).toBeGreaterThan(20)
    expect(met.holdings).toBeGreaterThan(0)
    expect(met.sessions.size).toBeGreaterThan(3)
    expect(met.unknown).toBeLessThan(met.open)
  },
)

it('asks the market for nothing that a tick has said', async () => {
  const rig = await Rig.open()
  onTestFinished(() => rig.close())
  const sbin: SymbolRef = { symbol: 'SBIN', exchange: 'NSE' }
  await rig.trade('BUY', 10, 100)
  rig.market.tick({ ...quoteOf(sbin, 105), prevClose: 99 })
  const { quotesAsked } = rig.market
  expect([await rig.funds(), await rig.sandbox.books.dayPnl(USER)]).toMatchObject([
    { m2munrealized: 50 },
    toMoney(50),
  ])
  expect(rig.market.quotesAsked).toBe(quotesAsked)
  expect(rig.market.watched).toEqual([symbolKey(sbin)])
})
