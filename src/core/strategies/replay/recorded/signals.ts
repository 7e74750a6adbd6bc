import { SIGNALS, type Signal } from '../../config/vocabulary.js'
import { csvRows, type ReplayFile } from './csv-table.js'

/** A recorded signal: its time, and the leg it names. */
export interface RecordedSignal {
  time: number
  signal: Signal
  /** Null if the row names a symbol. */
  legId: number | null
  symbol: string | null
  exchange: string | null
  file: string
  line: number
}

const COLUMNS = {
  time: ['time', 'timestamp', 'datetime'],
  signal: ['signal', 'action'],
  leg_id: ['leg_id', 'leg'],
  symbol: ['symbol'],
  exchange: ['exchange'],
} as const

/** Reads recorded signals, oldest first. @throws ServiceError `validation` with file, line and column of the fault */
export function readSignals(files: readonly ReplayFile[]): RecordedSignal[] {
  const signals: RecordedSignal[] = []
  for (const file of files) {
    for (const row of csvRows(file, COLUMNS, ['time', 'signal'])) {
      const word = row.text('signal').toLowerCase()
      const signal = SIGNALS.find((one) => one === word)
      if (!signal) throw row.fault('signal', `must be one of ${SIGNALS.join(', ')}`)
      const leg = row.text('leg_id')
      if (leg !== '' && !/^([1-9]|10)$/.test(leg)) throw row.fault('leg_id', 'must be a number from 1 to 10')
      signals.push({
        time: row.time('time'),
        signal,
        legId: leg === '' ? null : Number(leg),
        symbol: row.text('symbol').toUpperCase() || null,
        exchange: row.text('exchange').toUpperCase() || null,
        file: file.name,
        line: row.line,
      })
    }
  }
  return signals.sort((a, b) => a.time - b.time || a.file.localeCompare(b.file) || a.line - b.line)
}
