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

/** The values of LOG_LEVEL and pino's names for them. */
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
  /** LOG_TO_FILE: whether to write a daily file. The error log is always written. */
  toFile: boolean
  /** LOG_RETENTION, in files and in days. */
  retention: number
  /** The console output: standard output by default, false for none. */
  console?: LogSink | false
  /** Turns a line of the standard output into text for a person. */
  readable?: (line: string) => string
  /** Texts that are always masked, under any name: the keys of this installation. */
  secrets?: readonly string[]
}

export interface LogOutput {
  log: Logger
  /** Writes buffered lines, for a process that is about to exit. The error log is never buffered. */
  flushSync(): void
  /** Writes buffered lines and closes the files. Later lines are lost. */
  close(): Promise<void>
}

/** Fields that every line has. A caller's field of the same name gets an underscore. */
const RESERVED = ['level', 'time', 'event']

/**
 * Creates the service's log: JSON lines with `level`, `time` (ISO 8601 UTC) and `event`. They go to standard
 * output and optionally to a daily file; errors always go to `errors.jsonl` too. Secrets are masked and
 * control characters escaped before a line is written.
 * @throws ServiceError `validation` if the log folder cannot be written at start. A folder that disappears
 * later is created again.
 */
export function createLogger(options: LoggerOptions, clock: Clock): LogOutput {
  const dir = resolve(options.home, options.dir)
  requireWritable(dir)
  const level = LOG_LEVELS[options.level]
  const outputs: { level: Level; sink: LogSink }[] = [{ level: 'error', sink: openErrorLog(dir) }]
  if (options.toFile) {
    outputs.push({ level, sink: new DailyFile({ dir, retention: options.retention, clock }) })
  }
  if (options.console !== false)
    outputs.push({ level, sink: options.console ?? descriptorSink(1, options.readable) })

  const lines = pino(
    {
      base: undefined,
      // The error log is written at every LOG_LEVEL.
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

/** Wraps an output so that its failure does not stop the outputs after it. */
function safely(sink: LogSink): (line: string) => void {
  return (line) => {
    try {
      sink.write(line)
    } catch {
      // The line is lost in this output. Throwing here would turn a log line into an outage.
    }
  }
}

function overPino(lines: pino.Logger, secrets: readonly string[]): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: LogFields) => {
    if (!lines.isLevelEnabled(level)) return
    try {
      lines[level](safeFields(fields, secrets), String(redact(event, { secrets })))
    } catch {
      // Throwing here would turn a log line into an outage.
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
