import { expect } from 'vitest'
import { DAY_MS, istInstant } from '../../../../../src/core/time/index.js'
import { USER } from '../../../../support/desk/desk.js'
import { deskClock } from '../../../../support/desk/desk-clock.js'
import { PAIR, RunRig } from '../run-rig.js'
import { type Mode, messages, post } from './account-rig.js'

/* Runs that hold a position over several trading days, in a market that keeps its hours. */

export const PRODUCTS = ['MIS', 'NRML', 'CNC'] as const
export type RunProduct = (typeof PRODUCTS)[number]

/** Thursday, the next day, the day after a weekend, and the day after a holiday (10 November 2026). */
export const DAYS = ['2026-11-05', '2026-11-06', '2026-11-09', '2026-11-11'] as const

const MARKET_HOURS = { env: { SIM_SESSIONS: 'market' } }
const SHARES = { symbol: 'SBIN', exchange: 'NSE', segment: 'cash', unit: 1, stop: 300 }
const FUTURE = { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO', segment: 'futures', unit: 65, stop: 9_000 }
/** So many units does a run hold. */
export const OWN = 7
/** A difference that no order explains counts after 30 s. */
const LAST_MS = 31_000

/** A service over several days, with strategies of one contract. A quantity is in units: a share, or a lot. */
export class Days {
  #rig: RunRig
  /** The number of events that should have told of a close by somebody else. */
  told = 0

  private constructor(
    rig: RunRig,
    readonly mode: Mode,
    readonly product: RunProduct,
  ) {
    this.#rig = rig
  }

  static async open(mode: Mode, product: RunProduct): Promise<Days> {
    const clock = deskClock(`${DAYS[0]}T10:00:00+05:30`)
    return new Days(await RunRig.open(modeOf(mode), { ...MARKET_HOURS, clock }), mode, product)
  }

  get rig(): RunRig {
    return this.#rig
  }

  get contract() {
    return this.product === 'NRML' ? FUTURE : SHARES
  }

  /** Creates a strategy whose run enters by a signal. */
  create(name: string): Promise<number> {
    const { exchange, segment, stop, symbol } = this.contract
    const leg = { symbol, exchange, segment, side: 'long', qty: OWN, sl_pts: stop }
    const carried = { strategy_type: 'positional', underlying: 'SBIN', underlying_exchange: 'NSE' }
    const config = { name, strategy_kind: 'signal', ...carried, product: this.product, legs: [leg] }
    return this.#rig.create(config, this.mode === 'live')
  }

  /** Starts a run of shares that enters again after its stop loss. */
  async start(name: string): Promise<number> {
    const reentry = { on: 'sl', mode: 'asap', max: 10 }
    const leg = { segment: 'cash', position: 'B', lots: OWN, sl_pts: SHARES.stop, reentry }
    const carried = { strategy_type: 'positional', entry_time: null, exit_time: null, product: this.product }
    const config = { ...PAIR, ...carried, name, legs: [leg] }
    const id = await this.#rig.create(config, this.mode === 'live')
    await this.#settled(this.#rig.runs.start(id, { mode: this.mode, trigger: 'manual' }))
    await this.#pass(2_000, 1_000)
    return id
  }

  /** Gives a signal, and waits for its fills. Returns the note of the run. */
  async signal(id: number, signal: 'long_entry' | 'long_exit'): Promise<string | null> {
    const given = await this.#settled(this.#rig.runs.signal(id, { legId: 1, signal }))
    expect(given.refused).toBeNull()
    await this.#pass(2_000, 1_000)
    return given.note
  }

  /** The price falls through the stop loss of a run. */
  async fall(id: number): Promise<void> {
    const run = this.#rig.runs.active(id)
    const [claim] = run?.claims ?? []
    const entry = run?.snapshot().legs[0]?.entryAverage ?? 0
    if (claim) run?.tick(claim, entry - this.contract.stop - 1, this.#rig.clock.now())
    await this.#pass(2_000, 1_000)
  }

  async stop(id: number): Promise<void> {
    await this.#settled(this.#rig.runs.stop(id, 'manual'))
    await this.#pass(2_000, 1_000)
    expect(this.#rig.runs.unfinished(id)).toBeUndefined()
  }

  /** An order by hand for so many units. */
  async hand(action: 'BUY' | 'SELL', units: number): Promise<void> {
    const { exchange, symbol, unit } = this.contract
    const order = { symbol, exchange, product: this.product, pricetype: 'MARKET', strategy: 'by hand' }
    await post(this.#rig, 'placeorder', { ...order, action, quantity: units * unit })
    await this.#pass(2_000, 1_000)
  }

  /** Lets so much time pass that a difference would be taken for a close by somebody else. */
  async compared(): Promise<void> {
    await this.#pass(5_000, 5_000)
    await this.#suspendTo(this.#rig.clock.now() + LAST_MS)
    await this.#pass(5_000, 5_000)
  }

  /** A close of all positions, by hand. */
  closeAll(): Promise<void> {
    return post(this.#rig, 'closeposition', { strategy: 'by hand' })
  }

  /** Asserts what each run counts on and what the account holds, in units, and which events told of a close. */
  async expectHeld(runs: readonly (readonly [id: number, units: number])[], account: number) {
    const claims = runs.map(([id]) => this.claimed(id))
    const wanted = runs.map(([, units]) => (units === 0 ? [] : [units]))
    expect({ claims, account: await this.#holds() }).toEqual({ claims: wanted, account })
    expect(await messages(this.#rig)).toHaveLength(this.told)
  }

  /** What a run counts on, in units. */
  claimed(id: number): number[] {
    const claims = this.#rig.runs.active(id)?.claims ?? []
    return claims.map(({ quantity }) => quantity / this.contract.unit)
  }

  /** What the account holds of the contract and product, in the words of its own books. */
  async #holds(): Promise<number> {
    return (await this.#quantity()) / this.contract.unit
  }

  async #quantity(): Promise<number> {
    const { symbol } = this.contract
    const isOwn = (row: { symbol: string; product?: string }) =>
      row.symbol === symbol && (row.product ?? 'CNC') === this.product
    const { brokers, sandbox } = this.#rig.rig.desk.service
    if (this.mode === 'sandbox') return sum((await this.#settled(sandbox.quantities(USER))).filter(isOwn))
    const { portfolio } = brokers.client()
    const [positions, holdings] = [
      await this.#settled(portfolio.positions()),
      await this.#settled(portfolio.holdings()),
    ]
    const opening = holdings.map((row) => ({ ...row, quantity: row.openingQuantity }))
    return sum([...positions, ...opening].filter(isOwn))
  }

  /** Goes on to a later morning, past every midnight and every begin of a trading day in between. */
  async morning(date: string, isRestarted: boolean): Promise<void> {
    const { clock } = this.#rig
    const until = istInstant(date, '09:20')
    if (isRestarted) {
      await this.#rig.rig.desk.close()
      clock.suspend(until - clock.now())
      await this.#reopen()
    } else {
      for (let next = this.#midnight(); next < until; next += DAY_MS) {
        await this.#suspendTo(next + 30_000)
        await this.#suspendTo(next + 3 * 3_600_000 + 30_000)
      }
      await this.#suspendTo(until)
    }
    await this.#pass(10_000, 5_000)
  }

  /** Lets the day end with the square-off of MIS positions. */
  async squareOff(date: string): Promise<void> {
    await this.#suspendTo(istInstant(date, '15:14') + 1_000)
    await this.#pass(10_000, 5_000)
  }

  async restart(): Promise<void> {
    await this.#rig.rig.desk.close()
    await this.#reopen()
    await this.#pass(10_000, 5_000)
  }

  async #reopen(): Promise<void> {
    const { clock, rig } = this.#rig
    this.#rig = await RunRig.open(modeOf(this.mode), { ...MARKET_HOURS, home: rig.desk.home, clock })
  }

  #midnight(): number {
    const { clock } = this.#rig
    const today = istInstant(new Date(clock.now()).toISOString().slice(0, 10))
    return today + DAY_MS
  }

  async #suspendTo(instant: number): Promise<void> {
    this.#rig.clock.suspend(instant - this.#rig.clock.now())
    await this.#pass(2_000, 1_000)
  }

  async #pass(ms: number, step: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      await this.#rig.clock.advance(step)
      await this.#settled(this.#rig.runs.settled())
    }
  }

  #settled<T>(promise: Promise<T>): Promise<T> {
    return this.#rig.settled(promise)
  }
}

function modeOf(mode: Mode): 'live' | 'analyze' {
  return mode === 'live' ? 'live' : 'analyze'
}

function sum(rows: readonly { quantity: number }[]): number {
  return rows.reduce((total, { quantity }) => total + quantity, 0)
}
