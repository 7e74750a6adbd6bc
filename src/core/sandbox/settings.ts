import { ServiceError } from '../errors/index.js'
import { type Money, toMoney } from '../money/index.js'
import { parseTimeOfDay } from '../time/index.js'

const CAPITALS = [100_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000]
/** The days in the order of ISO weekdays. */
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Returns the error of a value; undefined for a valid one. */
type Check = (value: string, key: string) => string | undefined

const number = (value: string): number | undefined =>
  /^-?\d+(\.\d{1,4})?$/.test(value.trim()) ? Number(value) : undefined

const capital: Check = (value) => {
  const amount = number(value)
  return amount !== undefined && CAPITALS.includes(amount)
    ? undefined
    : 'Starting capital must be one of: ₹1L, ₹5L, ₹10L, ₹25L, ₹50L, or ₹1Cr'
}

const leverage: Check = (value, key) => {
  const times = number(value)
  if (times === undefined) return `${key} must be a valid number`
  if (times < 1) return 'Leverage must be at least 1x'
  return times > 50 ? 'Leverage cannot exceed 50x' : undefined
}

const within =
  (least: number, most: number, text: string): Check =>
  (value, key) => {
    const seconds = number(value)
    if (seconds === undefined) return `${key} must be a valid number`
    return seconds < least || seconds > most ? text : undefined
  }

const positive: Check = (value, key) => {
  const amount = number(value)
  if (amount === undefined) return `${key} must be a valid number`
  return amount > 0 ? undefined : `${key} must be a positive number`
}

const whole: Check = (value, key) =>
  Number.isInteger(number(value)) ? positive(value, key) : `${key} must be a valid number`

const timeOfDay: Check = (value) => {
  if (!/^\d{2}:\d{2}$/.test(value)) return 'Time must be in HH:MM format'
  return parseTimeOfDay(value) === undefined ? 'Invalid time format' : undefined
}

const oneOf =
  (choices: readonly string[], text: string): Check =>
  (value) =>
    choices.includes(value) ? undefined : text

/** Every setting: its default, its check and its meaning. */
export const SETTINGS = {
  starting_capital: { value: '10000000.00', check: capital, description: 'Funds an account starts with' },
  reset_day: {
    value: 'Never',
    check: oneOf([...WEEKDAYS, 'Never'], `Reset day must be one of: ${[...WEEKDAYS, 'Never'].join(', ')}`),
    description: 'Weekday on which accounts are reset',
  },
  reset_time: { value: '00:00', check: timeOfDay, description: 'Time of that reset (IST)' },
  order_check_interval: {
    value: '5',
    check: within(1, 30, 'Order check interval must be between 1-30 seconds'),
    description: 'Seconds between checks of waiting orders when no ticks arrive',
  },
  mtm_update_interval: {
    value: '5',
    check: within(0, 60, 'MTM update interval must be between 0-60 seconds (0 = manual only)'),
    description: 'Seconds between refreshes of open profit (0 = manual)',
  },
  nse_bse_square_off_time: {
    value: '15:15',
    check: timeOfDay,
    description: 'MIS square-off on NSE, BSE, NFO and BFO (IST)',
  },
  cds_bcd_square_off_time: {
    value: '16:45',
    check: timeOfDay,
    description: 'MIS square-off on CDS and BCD (IST)',
  },
  mcx_square_off_time: {
    value: '23:30',
    check: timeOfDay,
    description: 'MIS square-off on MCX and NCO (IST)',
  },
  ncdex_square_off_time: { value: '17:00', check: timeOfDay, description: 'MIS square-off on NCDEX (IST)' },
  equity_mis_leverage: { value: '5', check: leverage, description: 'Leverage of intraday equity' },
  equity_cnc_leverage: { value: '1', check: leverage, description: 'Leverage of delivery equity' },
  futures_leverage: { value: '10', check: leverage, description: 'Leverage of futures' },
  option_buy_leverage: { value: '1', check: leverage, description: 'Leverage of bought options' },
  option_sell_leverage: { value: '1', check: leverage, description: 'Leverage of sold options' },
  order_rate_limit: { value: '10', check: positive, description: 'Orders per second (informative)' },
  api_rate_limit: { value: '50', check: positive, description: 'API calls per second (informative)' },
  smart_order_rate_limit: {
    value: '2',
    check: positive,
    description: 'Smart orders per second (informative)',
  },
  smart_order_delay: {
    value: '0.5',
    check: positive,
    description: 'Seconds between smart orders (informative)',
  },
  expiry_settlement_timing: {
    value: 'expiry_day_close',
    check: oneOf(
      ['expiry_day_close', 'next_day'],
      "Expiry settlement timing must be 'expiry_day_close' or 'next_day'",
    ),
    description: 'When expired contracts are settled',
  },
  option_expiry_settlement: {
    value: 'ltp',
    check: oneOf(['ltp', 'zero'], "Option expiry settlement must be 'ltp' or 'zero'"),
    description: 'Price at which expired options are settled',
  },
  gtt_oco_margin_mode: {
    value: 'max',
    check: oneOf(['max', 'sum'], "GTT OCO margin mode must be 'max' or 'sum'"),
    description: 'Margin of a two-leg GTT: the larger leg, or both',
  },
  gtt_claim_timeout_sec: {
    value: '60',
    check: whole,
    description: 'Seconds after which a stranded GTT claim is undone',
  },
} as const satisfies Record<string, { value: string; check: Check; description: string }>

export type SettingKey = keyof typeof SETTINGS
export type LeverageKey = Extract<SettingKey, `${string}_leverage`>
type SquareOffKey = Extract<SettingKey, `${string}_square_off_time`>

/** The square-off setting of each exchange that has one. CRYPTO never closes. */
const SQUARE_OFF: Readonly<Record<string, SquareOffKey>> = {
  NSE: 'nse_bse_square_off_time',
  BSE: 'nse_bse_square_off_time',
  NFO: 'nse_bse_square_off_time',
  BFO: 'nse_bse_square_off_time',
  CDS: 'cds_bcd_square_off_time',
  BCD: 'cds_bcd_square_off_time',
  MCX: 'mcx_square_off_time',
  NCO: 'mcx_square_off_time',
  NCDEX: 'ncdex_square_off_time',
}

/** Exchanges with a square-off, and therefore with an end of the day. */
export const SQUARE_OFF_EXCHANGES: readonly string[] = Object.keys(SQUARE_OFF)

/** A moment of the day, as milliseconds since IST midnight and as `HH:MM`. */
interface TimeOfDay {
  ms: number
  text: string
}

/** The settings of the sandbox, parsed once and read on the order path. */
export class SandboxSettings {
  readonly #values: Map<SettingKey, string>
  readonly #leverages = new Map<LeverageKey, Money>()
  readonly #squareOffs = new Map<string, TimeOfDay>()

  /** @param stored values that differ from the defaults */
  constructor(stored: Iterable<readonly [string, string]> = []) {
    this.#values = new Map(settingKeys().map((key) => [key, SETTINGS[key].value]))
    for (const [key, value] of stored) if (isSettingKey(key)) this.#values.set(key, value)
    for (const key of settingKeys()) if (isLeverageKey(key)) this.#leverages.set(key, toMoney(this.get(key)))
    for (const [exchange, key] of Object.entries(SQUARE_OFF)) {
      this.#squareOffs.set(exchange, { ms: parseTimeOfDay(this.get(key)) ?? 0, text: this.get(key) })
    }
  }

  get(key: SettingKey): string {
    return this.#values.get(key) ?? SETTINGS[key].value
  }

  /** Returns the same settings with one changed. */
  with(key: SettingKey, value: string): SandboxSettings {
    return new SandboxSettings([...this.#values, [key, value]])
  }

  get startingCapital(): Money {
    return toMoney(this.get('starting_capital'))
  }

  /** Returns a leverage in the scale of money: 5x is 50,000. */
  leverage(key: LeverageKey): Money {
    return this.#leverages.get(key) ?? toMoney(1)
  }

  squareOff(exchange: string): TimeOfDay | undefined {
    return this.#squareOffs.get(exchange)
  }
}

/**
 * Validates a change of a setting.
 * @throws ServiceError `validation` with the message the API returns
 */
export function checkSetting(key: string | undefined, value: string | undefined): SettingKey {
  if (!key || value === undefined || value === '') {
    throw new ServiceError('validation', 'Missing config_key or config_value')
  }
  if (!isSettingKey(key)) throw new ServiceError('validation', `Unknown configuration key: ${key}`)
  const problem = SETTINGS[key].check(value, key)
  if (problem) throw new ServiceError('validation', problem)
  return key
}

export function settingKeys(): SettingKey[] {
  return Object.keys(SETTINGS).filter(isSettingKey)
}

function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key)
}

function isLeverageKey(key: SettingKey): key is LeverageKey {
  return key.endsWith('_leverage')
}
