import { readFileSync } from 'node:fs'
import {
  parseBars,
  type Replay,
  readFaults,
  type SimulatedOptions,
  simulatedMaster,
} from '../../core/brokers/simulated/index.js'
import type { Calendar } from '../../core/calendar/index.js'
import type { Config } from '../../core/config/index.js'
import { messageOf, ServiceError } from '../../core/errors/index.js'

/** The symbol whose prices the recorded bars replace. */
const REPLAYED = { symbol: 'NIFTY', exchange: 'NSE_INDEX' }

/**
 * Returns the options of the embedded broker: seed, sessions, faults, replay. Its trading hours are those
 * of the calendar.
 * @param now when the daemon starts, in epoch milliseconds
 */
export function simulatedOptions(config: Config, calendar: Calendar, now: number): Partial<SimulatedOptions> {
  const isHoliday = (exchange: string, date: string) => !calendar.isTradingDay(exchange, date)
  return {
    seed: String(config.SIM_SEED),
    sessions: config.SIM_SESSIONS,
    calendar,
    master: (now) => simulatedMaster({ now, isHoliday }),
    ...(config.SIM_FAULTS && {
      faults: read('SIM_FAULTS', () => readFaults(JSON.parse(config.SIM_FAULTS ?? '[]'))),
    }),
    ...(config.SIM_REPLAY && { replays: read('SIM_REPLAY', () => replaysOf(config, now)) }),
  }
}

function replaysOf({ SIM_REPLAY: file = '', SIM_REPLAY_START: start }: Config, now: number): Replay[] {
  const bars = parseBars(readFileSync(file, 'utf8'))
  const isPast = ((bars.at(-1)?.timestamp ?? 0) + 60) * 1000 <= now
  // Bars of the past would never play at their recorded times: the price would stay at the last bar.
  const startAt = start ?? (isPast ? 'now' : 'recorded')
  if (startAt === 'recorded') return [{ spot: REPLAYED, bars }]
  return [{ spot: REPLAYED, bars, startAt: startAt === 'now' ? now : startAt }]
}

function read<T>(key: string, load: () => T): T {
  try {
    return load()
  } catch (error) {
    throw new ServiceError('validation', `The configuration cannot be used:\n  ${key}: ${messageOf(error)}`)
  }
}
