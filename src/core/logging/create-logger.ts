import { accessSync, constants, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Level, pino, type StreamEntry } from 'pino'
import { messageOf, ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'
import { DailyFile } from './daily-file.js'
import { openErrorLog } from './error-log.js'
import type { LogFields, Logger } from './logger.js'
import { redact } from './redact.js'
import { descriptorSink, type LogSink } from './sink.js'

/** Names of LOG_LEVEL, and what the library calls them. */
export const LOG_LEVELS = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
} as const satisfies Record<string, Level>
export type LogLevel = keyof typeof LOG_LEVELS

export interface LoggerOptions {
  level: LogLevel
  /** LOG_DIR; relative to `home`. */
  dir: string
  home: string
  /** LOG_TO_FILE: whether the daily file is written. The error log is, always. */
  toFile: boolean
  /** LOG_RETENTION, in files and days. */
  retention: number
  /** Where the lines are shown: standard output unless given; false for nowhere. */
  console?: LogSink | false
  /** Texts never to be written, whatever they stand under: the keys of this installation. */
  secrets?: readonly string[]
}

export interface LogOutput {
  log: Logger
  /** Writes out what waits, for a process that is about to die. The error log has every line already. */
  flushSync(): void
  /** Writes out what waits and closes the files. Lines after it are lost. */
  close(): Promise<void>
}

/** Members every line has; fields of the same name get an underscore. */
const RESERVED = ['level', 'time', 'event']

/**
 * The service's log (specification, "Limits", application logs): JSON lines with `level`, `time` (ISO 8601 UTC)
 * and `event`, to standard output, to a file a day when asked for, and errors to `errors.jsonl` always. Secrets
 * are masked and control characters escaped here, before a line exists.
 * @throws ServiceError `validation` for a folder that cannot be written; one that goes away later comes back
 */
export function createLogger(options: LoggerOptions, clock: Clock): LogOutput {
  const dir = resolve(options.home, options.dir)
  requireWritable(dir)
  const level = LOG_LEVELS[options.level]
  const outputs: { level: Level; sink: LogSink }[] = [{ level: 'error', sink: openErrorLog(dir) }]
  if (options.toFile) {
    outputs.push({ level, sink: new DailyFile({ dir, retention: options.retention, clock }) })
  }
  if (options.console !== false) outputs.push({ level, sink: options.console ?? descriptorSink(1) })

  const lines = pino(
    {
      base: undefined,
      // The error log is written whatever the level asked for.
      level: level === 'fatal' ? 'error' : level,
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.multistream(
      outputs.map(({ level, sink }): StreamEntry<Level> => ({ level, stream: { write: safely(sink) } })),
    ),
  )
  const secrets = (options.secrets ?? []).filter((secret) => secret.length > 0)
  return {
    log: overPino(lines, secrets),
    flushSync: () => {
      for (const { sink } of outputs) sink.flushSync()
    },
    close: async () => {
      await Promise.all(outputs.map(({ sink }) => sink.close()))
    },
  }
}

function requireWritable(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    accessSync(dir, constants.W_OK)
  } catch (error) {
    throw new ServiceError('validation', `LOG_DIR cannot be written: ${messageOf(error)}`)
  }
}

/** An output that fails must not keep a line from those after it. */
function safely(sink: LogSink): (line: string) => void {
  return (line) => {
    try {
      sink.write(line)
    } catch {
      // This line is lost here; a logger that throws would turn it into an outage.
    }
  }
}

function overPino(lines: pino.Logger, secrets: readonly string[]): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: LogFields) => {
    if (!lines.isLevelEnabled(level)) return
    try {
      lines[level](safeFields(fields, secrets), String(redact(event, { secrets })))
    } catch {
      // A logger that throws would turn a line into an outage.
    }
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

function safeFields(fields: LogFields | undefined, secrets: readonly string[]): object {
  const safe = redact(fields ?? {}, { secrets })
  if (typeof safe !== 'object' || safe === null) return {}
  for (const name of RESERVED) {
    if (!(name in safe)) continue
    Object.assign(safe, { [`${name}_`]: Reflect.get(safe, name) })
    Reflect.deleteProperty(safe, name)
  }
  return safe
}
