import type { LogFields, Logger } from '../../../src/core/logging/index.js'

export interface RecordedLine {
  level: 'debug' | 'info' | 'warn' | 'error'
  event: string
  fields: LogFields
}

/** A logger that records its lines, for tests about log output. */
export function recordingLogger(): Logger & { lines: RecordedLine[] } {
  const lines: RecordedLine[] = []
  const keep =
    (level: RecordedLine['level']) =>
    (event: string, fields: LogFields = {}) =>
      void lines.push({ level, event, fields })
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
}
