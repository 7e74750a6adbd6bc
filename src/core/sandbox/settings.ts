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

/** The values that a setting accepts: in words, and as a check. */
interface Values {
  range: string
  check: Check
}

const capital: Values = {
  range: `one of ${CAPITALS.join(', ')}`,
  check: (value) => {
    const amount = number(value)
    return amount !== undefined && CAPITALS.includes(amount)
      ? undefined
      : 'Starting capital must be one of: ₹1L, ₹5L, ₹10L, ₹25L, ₹50L, or ₹1Cr'
  },
}

const leverage: Values = {
  range: '1 to 50',
  check: (value, key) => {
    const times = number(value)
    if (times === undefined) return `${key} must be a valid number`
    if (times < 1) return 'Leverage must be at least 1x'
    return times > 50 ? 'Leverage cannot exceed 50x' : undefined
  },
}

const within = (least: number, most: number, text: string): Values => ({
  range: `${least} to ${most}`,
  check: (value, key) => {
    const seconds = number(value)
    if (seconds === undefined) return `${key} must be a valid number`
    return seconds < least || seconds > most ? text : undefined
  },
})

const positive: Values = {
  range: 'a number above 0',
  check: (value, key) => {
    const amount = number(value)
    if (amount === undefined) return `${key} must be a valid number`
    return amount > 0 ? undefined : `${key} must be a positive number`
  },
}

const whole: Values = {
  range: 'a whole number above 0',
  check: (value, key) =>
    Number.isInteger(number(value)) ? positive.check(value, key) : `${key} must be a valid number`,
}

const timeOfDay: Values = {
  range: 'HH:MM',
  check: (value) => {
    if (!/^\d{2}:\d{2}$/.test(value)) return 'Time must be in HH:MM format'
    return parseTimeOfDay(value) === undefined ? 'Invalid time format' : undefined
  },
}

const oneOf = (choices: readonly string[], text: string): Values => ({
  range: `one of ${choices.join(', ')}`,
  check: (value) => (choices.includes(value) ? undefined : text),
})

/** Every setting: its default, its values and its meaning. */
export const SETTINGS = {
  starting_capital: { value: '10000000.00', ...capital, description: 'Funds an account starts with' },
  reset_day: {
    value: 'Never',
    ...oneOf([...WEEKDAYS, 'Never'], `Reset day must be one of: ${[...WEEKDAYS, 'Never'].join(', ')}`),
    description: 'Weekday on which accounts are reset',
  },
  reset_time: { value: '00:00', ...timeOfDay, description: 'Time of that reset (IST)' },
  order_check_interval: {
    value: '5',
    ...within(1, 30, 'Order check interval must be between 1-30 seconds'),
    description: 'Seconds between checks of waiting orders when no ticks arrive',
  },
  mtm_update_interval: {
    value: '5',
    ...within(0, 60, 'MTM update interval must be between 0-60 seconds (0 = manual only)'),
    description: 'Seconds between refreshes of open profit (0 = manual)',
  },
  nse_bse_square_off_time: {
    value: '15:15',
    ...timeOfDay,
    description: 'MIS square-off on NSE, BSE, NFO and BFO (IST)',
  },
  cds_bcd_square_off_time: {
    value: '16:45',
    ...timeOfDay,
    description: 'MIS square-off on CDS and BCD (IST)',
  },
  mcx_square_off_time: {
    value: '23:30',
    ...timeOfDay,
    description: 'MIS square-off on MCX and NCO (IST)',
  },
  ncdex_square_off_time: { value: '17:00', ...timeOfDay, description: 'MIS square-off on NCDEX (IST)' },
  equity_mis_leverage: { value: '5', ...leverage, description: 'Leverage of intraday equity' },
  equity_cnc_leverage: { value: '1', ...leverage, description: 'Leverage of delivery equity' },
  futures_leverage: { value: '10', ...leverage, description: 'Leverage of futures' },
  option_buy_leverage: { value: '1', ...leverage, description: 'Leverage of bought options' },
  option_sell_leverage: { value: '1', ...leverage, description: 'Leverage of sold options' },
  order_rate_limit: { value: '10', ...positive, description: 'Orders per second (informative)' },
  api_rate_limit: { value: '50', ...positive, description: 'API calls per second (informative)' },
  smart_order_rate_limit: {
    value: '2',
    ...positive,
    description: 'Smart orders per second (informative)',
  },
  smart_order_delay: {
    value: '0.5',
    ...positive,
    description: 'Seconds between smart orders (informative)',
  },
  expiry_settlement_timing: {
    value: 'expiry_day_close',
    ...oneOf(
      ['expiry_day_close', 'next_day'],
      "Expiry settlement timing must be 'expiry_day_close' or 'next_day'",
    ),
    description: 'When expired contracts are settled',
  },
  option_expiry_settlement: {
    value: 'ltp',
    ...oneOf(['ltp', 'zero'], "Option expiry settlement must be 'ltp' or 'zero'"),
    description: 'Price at which expired options are settled',
  },
  gtt_oco_margin_mode: {
    value: 'max',
    ...oneOf(['max', 'sum'], "GTT OCO margin mode must be 'max' or 'sum'"),
    description: 'Margin of a two-leg GTT: the larger leg, or both',
  },
  gtt_claim_timeout_sec: {
    value: '60',
    ...whole,
    description: 'Seconds after which a stranded GTT claim is undone',
  },
} as const satisfies Record<string, Values & { value: string; description: string }>

export type SettingKey = keyof typeof SETTINGS

/** A setting as users see it. */
export interface SettingView {
  key: SettingKey
  value: string
  default: string
  range: string
  description: string
}
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
