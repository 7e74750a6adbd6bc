import { readFileSync } from 'node:fs'
import { parseBars, parseFaults, type SimulatedOptions } from '../core/brokers/simulated/index.js'
import type { Calendar } from '../core/calendar/index.js'
import type { Config } from '../core/config/index.js'
import { messageOf, ServiceError } from '../core/errors/index.js'
import { simulatedMaster } from '../core/instruments/index.js'

/** The symbol that recorded bars stand for. */
const REPLAYED = { symbol: 'NIFTY', exchange: 'NSE_INDEX' }

/** The settings of the embedded broker: seed, sessions, faults, replay; its days are those of the calendar. */
export function simulatedOptions(config: Config, calendar: Calendar): Partial<SimulatedOptions> {
  const isTradingDay = (exchange: string, date: string) => calendar.isTradingDay(exchange, date)
  const isHoliday = (exchange: string, date: string) => !isTradingDay(exchange, date)
  return {
    seed: String(config.SIM_SEED),
    sessions: config.SIM_SESSIONS,
    isTradingDay,
    master: (now) => simulatedMaster({ now, isHoliday }),
    ...(config.SIM_FAULTS && { faults: read('SIM_FAULTS', () => parseFaults(config.SIM_FAULTS ?? '[]')) }),
    ...(config.SIM_REPLAY && { replays: read('SIM_REPLAY', () => [replayOf(config.SIM_REPLAY ?? '')]) }),
  }
}

function replayOf(file: string) {
  return { spot: REPLAYED, bars: parseBars(readFileSync(file, 'utf8')) }
}

function read<T>(key: string, load: () => T): T {
  try {
    return load()
  } catch (error) {
    throw new ServiceError('validation', `The configuration cannot be used:\n  ${key}: ${messageOf(error)}`)
  }
}
