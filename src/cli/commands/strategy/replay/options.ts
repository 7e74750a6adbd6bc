import type { ReplayInput } from '../../../../core/strategies/replay/index.js'
import type { Input } from '../../../framework/command/command.js'
import type { OptionSpec } from '../../../framework/command/option.js'
import { usageError } from '../../../framework/errors.js'
import { fileText } from '../../flow/files/folder.js'

/** A year of one-minute bars of a contract is about 7 MB. */
const MAX_BARS_BYTES = 64 * 1024 * 1024
/** The ticks between two of the four prices of a bar, the end included. */
const DEFAULT_STEPS = 10
const MAX_STEPS = 100

const NAMED_FILE = /^([A-Z_]+):([^=\s:]+)=(.+)$/
const LEG_CONTRACT = /^leg([1-9]|10)=(\S+)$/
const LOT_SIZE = /^([^=\s]+)=([1-9]\d{0,6})$/
const SLIPPAGE = /^(\d{1,6}(?:\.\d{1,4})?)(%?)$/

export const INPUT_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--from <file>',
    summary: 'recorded bars (CSV); for a file of one contract, as NSE:SBIN=bars.csv (may be repeated)',
    repeatable: true,
  },
  {
    flags: '--signals <file>',
    summary: 'recorded signals (CSV) of a signal strategy (may be repeated)',
    repeatable: true,
  },
  {
    flags: '--contract <leg=symbol>',
    summary: 'the contract of a leg, as leg1=NIFTY23NOV2626000CE (may be repeated)',
    repeatable: true,
  },
  {
    flags: '--lot-size <symbol=units>',
    summary: 'units of a lot, as NIFTY=75, where the bars have no column lot_size (may be repeated)',
    repeatable: true,
  },
  {
    flags: '--slippage <distance>',
    summary: 'how much worse every fill is: 0.05 (rupees) or 0.1% (default: 0)',
  },
  {
    flags: '--steps <n>',
    summary: `ticks between two of the four prices of a bar, 1 to ${MAX_STEPS} (default: ${DEFAULT_STEPS})`,
  },
  {
    flags: '--interval <interval>',
    summary: 'the length of a bar, as 1m (default: the shortest distance of two bars)',
  },
]

/** Reads the files and options of a replay. */
export function replayInput(input: Input): ReplayInput {
  const files = input.list('from')
  if (files.length === 0) {
    throw usageError('Recorded bars are missing.', 'Give them with --from bars.csv')
  }
  return {
    bars: files.map(barFile),
    signals: input.list('signals').map(fileOf),
    intervalMs: input.duration('interval'),
    contracts: new Map(input.list('contract').map(legContract)),
    lotSizes: new Map(input.list('lotSize').map(lotSize)),
    slippage: slippageOf(input.text('slippage') ?? '0'),
    steps: wholeNumber(input, 'steps', DEFAULT_STEPS, MAX_STEPS),
  }
}

/** Returns a whole number from 1 to `most`. */
export function wholeNumber(input: Input, name: string, usual: number, most: number): number {
  const value = input.number(name) ?? usual
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw usageError(`--${name} must be a whole number from 1 to ${most}, was "${input.text(name)}".`)
}

function barFile(given: string): ReplayInput['bars'][number] {
  const [, exchange, symbol, path] = NAMED_FILE.exec(given) ?? []
  if (exchange === undefined || symbol === undefined || path === undefined) return fileOf(given)
  return { ...fileOf(path), contract: { exchange, symbol: symbol.toUpperCase() } }
}

function fileOf(path: string): { name: string; text: string } {
  const text = fileText(path, MAX_BARS_BYTES)
  if (text !== undefined) return { name: path, text }
  throw usageError(`${path} is larger than ${MAX_BARS_BYTES / 1024 / 1024} MB.`)
}

function legContract(given: string): [number, string] {
  const [, id, symbol] = LEG_CONTRACT.exec(given) ?? []
  if (id !== undefined && symbol !== undefined) return [Number(id), symbol.toUpperCase()]
  throw usageError(`--contract ${given} is not LEG=SYMBOL.`, 'Example: --contract leg1=NIFTY23NOV2626000CE')
}

function lotSize(given: string): [string, number] {
  const [, symbol, units] = LOT_SIZE.exec(given) ?? []
  if (symbol !== undefined && units !== undefined) return [symbol.toUpperCase(), Number(units)]
  throw usageError(`--lot-size ${given} is not SYMBOL=UNITS.`, 'Example: --lot-size NIFTY=75')
}

function slippageOf(given: string): ReplayInput['slippage'] {
  const [, value, sign] = SLIPPAGE.exec(given) ?? []
  const unit = sign === '%' ? 'percent' : 'points'
  if (value !== undefined && (unit === 'points' || Number(value) < 100)) return { unit, value: Number(value) }
  throw usageError(
    `--slippage ${given} is neither a distance nor a percentage.`,
    'Example: --slippage 0.05 or --slippage 0.1%',
  )
}
