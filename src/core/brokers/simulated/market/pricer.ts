import { normalCdf } from '../../../maths/index.js'
import type { PriceScript } from '../replay/price-script.js'
import { type Contract, roundToTick } from './contract.js'
import type { MarketSessions } from './market-sessions.js'
import { LAST_SECOND, type MinutePath, type PathSource, priceWithin } from './minute-path.js'
import { hashText, unit } from './noise.js'
import { PriceProcess } from './price-process.js'
import type { Underlying } from './references.js'

/** Annual interest rate for the carry of futures and the discount of options. */
const RATE = 0.065
const YEAR_SECONDS = 365 * 86_400

/**
 * Returns the price of a European option on a forward by Black's formula (1976). `years` is the time to
 * expiry.
 */
function black76(
  right: 'CE' | 'PE',
  forward: number,
  strike: number,
  volatility: number,
  years: number,
): number {
  const discount = Math.exp(-RATE * Math.max(0, years))
  const deviation = volatility * Math.sqrt(Math.max(0, years))
  if (deviation <= 0) return discount * Math.max(0, right === 'CE' ? forward - strike : strike - forward)
  const d1 = Math.log(forward / strike) / deviation + deviation / 2
  const d2 = d1 - deviation
  return right === 'CE'
    ? discount * (forward * normalCdf(d1) - strike * normalCdf(d2))
    : discount * (strike * normalCdf(-d2) - forward * normalCdf(-d1))
}

/**
 * Returns the implied volatility of a strike: a smile with a skew, as in index options, where puts below the
 * money cost more. The distance from the forward is in standard deviations, limited to three.
 */
function smile(atTheMoney: number, forward: number, strike: number, years: number): number {
  const deviation = atTheMoney * Math.sqrt(Math.max(years, 1 / 365))
  const moneyness = Math.max(-3, Math.min(3, Math.log(strike / forward) / deviation))
  return atTheMoney * (1 - 0.03 * moneyness + 0.03 * moneyness * moneyness)
}

/** One minute of a contract, rounded to its ticks. */
interface MinuteBar {
  open: number
  high: number
  low: number
  close: number
  volume: number
  traded: boolean
}

/**
 * The inputs that price a contract from its underlying during one minute. They are constant for the minute,
 * and the price is monotone in the underlying's price.
 */
interface Valuation {
  minute: number
  path: MinutePath
  carry: number
  volatility: number
  years: number
}

/** The number of contracts whose valuation of the current minute is cached. */
const MAX_VALUATIONS = 8192
/** Slots of the path cache: a day of minutes for about ten underlyings, a few megabytes at most. */
const PATH_SLOTS = 16_384

/**
 * Prices of every contract at every second, as pure functions of the seed. Derivatives follow their
 * underlying. Time to expiry and volatility are constant within a minute, so a contract's price is monotone
 * in its underlying's price. Therefore the extremes of its bar come from the extremes of the underlying's
 * bar.
 */
export class Pricer {
  readonly #seed: number
  readonly #sessions: MarketSessions
  readonly #sources = new Map<string, { source: PathSource; slot: number }>()
  readonly #paths: (MinutePath | undefined)[] = new Array(PATH_SLOTS)
  readonly #pathKeys: string[] = new Array(PATH_SLOTS)
  readonly #valuations = new Map<string, Valuation>()
  readonly #scripts = new Map<string, PriceScript>()

  constructor(seed: number, sessions: MarketSessions) {
    this.#seed = seed
    this.#sessions = sessions
  }

  /** Replaces an underlying's price process by a recording; its derivatives follow the recording. */
  replace(key: string, source: PathSource): void {
    this.#sources.set(key, { source, slot: hashText(key) })
    this.#paths.fill(undefined)
    this.#valuations.clear()
  }

  /** Replaces a contract's prices by scripted ones; its derivatives follow the script. */
  script(key: string, script: PriceScript): void {
    this.#scripts.set(key, script)
    this.replace(key, script)
  }

  /** Returns whether a script sets the prices of a contract or of what it follows. */
  isScripted({ key, underlying }: Contract): boolean {
    return this.#scripts.has(key) || this.#scripts.has(underlying.key)
  }

  /** Returns the last second at or before `second` at which the contract traded. */
  tradedSecond(contract: Contract, second: number): number {
    const before = contract.expiresAt === undefined ? second : Math.min(second, contract.expiresAt - 1)
    const session = this.#sessions.latest(contract.exchange, before)
    return Math.min(before, session.close - 1)
  }

  /** Returns the price at a second in which the contract trades (see {@link tradedSecond}). */
  price(contract: Contract, second: number): number {
    const script = this.#scripts.get(contract.key)
    if (script) return roundToTick(script.at(second), contract)
    const minute = Math.floor(second / 60)
    const valuation = this.#valuation(contract, minute)
    return this.#value(contract, valuation, priceWithin(valuation.path, second - minute * 60))
  }

  /**
   * Returns the scripted price of a contract, which also applies outside its sessions; undefined without a
   * script.
   */
  scriptedPrice(contract: Contract, second: number): number | undefined {
    const price = this.#scripts.get(contract.key)?.at(second)
    return price === undefined ? undefined : roundToTick(price, contract)
  }

  bar(contract: Contract, minute: number): MinuteBar {
    const script = this.#scripts.get(contract.key)
    if (script) return this.#scriptedBar(contract, minute, script)
    const valuation = this.#valuation(contract, minute)
    const { path } = valuation
    const falls = contract.kind === 'option' && contract.right === 'PE'
    return {
      open: this.#value(contract, valuation, path.open),
      high: this.#value(contract, valuation, falls ? path.low : path.high),
      low: this.#value(contract, valuation, falls ? path.high : path.low),
      close: this.#value(contract, valuation, path.close),
      volume: this.#minuteVolume(contract, minute, path),
      traded: path.traded,
    }
  }

  /** Returns only the highest and lowest price of a minute; undefined if it did not trade. */
  range(contract: Contract, minute: number): { high: number; low: number } | undefined {
    const script = this.#scripts.get(contract.key)
    if (script) return this.#scriptedBar(contract, minute, script)
    const valuation = this.#valuation(contract, minute)
    const { path } = valuation
    if (!path.traded) return undefined
    const falls = contract.kind === 'option' && contract.right === 'PE'
    return {
      high: this.#value(contract, valuation, falls ? path.low : path.high),
      low: this.#value(contract, valuation, falls ? path.high : path.low),
    }
  }

  /** Returns the quantity traded in a minute up to its second `second` (0 to 59), inclusive. */
  volumeWithin(contract: Contract, minute: number, second: number): number {
    const total = this.#minuteVolume(contract, minute, this.#valuation(contract, minute).path)
    if (second >= LAST_SECOND) return total
    return lots(Math.floor(((total / contract.lot) * (second + 1)) / 60), contract.lot)
  }

  /** Returns the open interest, which drifts over hours; 0 except for derivatives. */
  openInterest(contract: Contract, minute: number): number {
    if (contract.lotsOpen === 0) return 0
    const hours = Math.floor(minute / 60)
    const from = unit(contract.seed, hours, 12)
    const moved = from + (unit(contract.seed, hours + 1, 12) - from) * (minute / 60 - hours)
    return lots(Math.round(contract.lotsOpen * (0.9 + 0.2 * moved)), contract.lot)
  }

  /**
   * Returns the settlement price of an expired contract: the underlying's last price, or the payoff of an
   * option.
   */
  settlementPrice(contract: Contract): number {
    const second = (contract.expiresAt ?? 0) - 1
    const spot = priceWithin(this.#path(contract.underlying, Math.floor(second / 60)), LAST_SECOND)
    if (contract.kind !== 'option') return roundToTick(spot, contract)
    const worth = contract.right === 'CE' ? spot - contract.strike : contract.strike - spot
    return worth < contract.tick / 2 ? 0 : roundToTick(worth, contract)
  }

  #scriptedBar(contract: Contract, minute: number, script: PriceScript): MinuteBar {
    const path = script.path(minute)
    const rounded = (price: number) => roundToTick(price, contract)
    return {
      open: rounded(path.open),
      high: rounded(path.high),
      low: rounded(path.low),
      close: rounded(path.close),
      volume: this.#minuteVolume(contract, minute, path),
      traded: path.traded,
    }
  }

  #value(contract: Contract, valuation: Valuation, underlying: number): number {
    const forward = underlying * valuation.carry
    const value =
      contract.kind === 'option'
        ? black76(contract.right, forward, contract.strike, valuation.volatility, valuation.years)
        : forward
    return roundToTick(value, contract)
  }

  #valuation(contract: Contract, minute: number): Valuation {
    let valuation = this.#valuations.get(contract.key)
    if (valuation?.minute === minute) return valuation
    const path = this.#path(contract.underlying, minute)
    const years = Math.max(0, (contract.expiresAt ?? 0) - minute * 60) / YEAR_SECONDS
    const carry = contract.expiresAt === undefined ? 1 : Math.exp(RATE * years)
    const volatility =
      contract.kind === 'option'
        ? smile(contract.underlying.volatility, path.open * carry, contract.strike, years)
        : 0
    if (!valuation) {
      valuation = { minute, path, carry, volatility, years }
      if (this.#valuations.size >= MAX_VALUATIONS) this.#valuations.clear()
      this.#valuations.set(contract.key, valuation)
      return valuation
    }
    // The object is reused, so that computing a day creates one object instead of hundreds.
    valuation.minute = minute
    valuation.path = path
    valuation.carry = carry
    valuation.volatility = volatility
    valuation.years = years
    return valuation
  }

  #minuteVolume(contract: Contract, minute: number, path: MinutePath): number {
    if (contract.kind === 'index' || !path.traded) return 0
    if (path.volume !== undefined && contract.kind === 'cash') return path.volume
    return lots(
      Math.round(contract.lotsPerMinute * (0.4 + 1.2 * unit(contract.seed, minute, 22))),
      contract.lot,
    )
  }

  #path(underlying: Underlying, minute: number): MinutePath {
    const { source, slot } = this.#source(underlying)
    const index = (slot + minute) & (PATH_SLOTS - 1)
    const cached = this.#paths[index]
    if (cached?.minute === minute && this.#pathKeys[index] === underlying.key) return cached
    const path = source.path(minute)
    this.#paths[index] = path
    this.#pathKeys[index] = underlying.key
    return path
  }

  #source(underlying: Underlying): { source: PathSource; slot: number } {
    const known = this.#sources.get(underlying.key)
    if (known) return known
    const created = {
      source: new PriceProcess(this.#seed, underlying),
      slot: hashText(underlying.key),
    }
    this.#sources.set(underlying.key, created)
    return created
  }
}

/** Converts lots to units, without rounding errors of fractional lots. */
export function lots(count: number, lot: number): number {
  return Math.round(count * lot * 1e8) / 1e8
}
