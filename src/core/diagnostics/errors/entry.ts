import { escapeControls, LOG_LEVELS, type LogLevel, MASK, maskText, redact } from '../../logging/index.js'
import { objectIn } from '../../validation/index.js'

/** A line of the error log as the API shows it. */
export interface ErrorEntry {
  /** Epoch milliseconds. */
  at: number
  level: LogLevel
  /** The name of the event, such as `broker.connect_failed`. */
  logger: string
  /** The first part of that name. */
  module: string
  /** `<path>:<line>` where the exception was thrown; null without an exception. */
  file: string | null
  message: string
  /** The lines of the stack. */
  exception: readonly string[] | undefined
  request: ErrorRequest | undefined
  /** The other facts of the line. */
  details: Readonly<Record<string, unknown>>
}

interface ErrorRequest {
  method: string | null
  path: string | null
  ip: string | null
  id: string | null
}

/** The event of an error that a page in a browser reported. */
export const CLIENT_EVENT = 'client.browser'

const MAX_TEXT = 20_000
const CUT = '...[truncated]'
/** The fields that may hold the sentence of an error, the first one that does counts. */
const SENTENCES = ['message', 'error', 'reason', 'problem', 'detail']
/** The fields that {@link entryOf} maps, so that they are no details. */
const MAPPED = new Set([
  'level',
  'time',
  'event',
  'stack',
  'method',
  'route',
  'path',
  'client_ip',
  'request_id',
])
const CLIENT_MAPPED = new Set(['message', 'url', 'user_agent', 'component_stack', 'stack'])
const LEVEL_OF = new Map<unknown, LogLevel>(
  (Object.keys(LOG_LEVELS) as LogLevel[]).map((name) => [LOG_LEVELS[name], name]),
)
const FRAME = /^at .*?\(?(?:file:\/\/)?([^\s()]+):(\d+):\d+\)?$/

type Facts = Readonly<Record<string, unknown>>

/** A line that the log wrote, before its fields are mapped. */
export interface LogLine {
  /** Epoch milliseconds. */
  at: number
  level: LogLevel
  event: string
  facts: Facts
}

/** Parses a line of the error log; undefined for one that the log did not write. */
export function logLineOf(text: string): LogLine | undefined {
  const facts = factsIn(text)
  const at = typeof facts?.time === 'string' ? Date.parse(facts.time) : Number.NaN
  const level = LEVEL_OF.get(facts?.level)
  if (typeof facts?.event !== 'string' || level === undefined || Number.isNaN(at)) return undefined
  return { at, level, event: facts.event, facts }
}

/**
 * Returns a line as the API shows it. This is the one place that maps the fields of the log to those of the API.
 * Secrets were masked when the line was written, and are masked again, because another version may have written
 * it.
 * @param secrets texts that are always masked
 */
export function entryOf({ at, event, facts, level }: LogLine, secrets: readonly string[]): ErrorEntry {
  const shown = (value: unknown) => maskedText(value, secrets)
  const common = { at, level, logger: shown(event) ?? '', module: shown(event.split('.')[0]) ?? '' }
  return event === CLIENT_EVENT
    ? { ...common, ...clientParts(facts, shown), details: detailsOf(facts, CLIENT_MAPPED, secrets) }
    : { ...common, ...serverParts(facts, shown), details: serverDetails(facts, secrets) }
}

type Shown = (value: unknown) => string | undefined

function serverParts(facts: Facts, shown: Shown) {
  const fault = objectIn(facts.error)
  const exception = linesOf(facts.stack ?? fault?.stack, shown)
  const sentence = SENTENCES.map((name) => facts[name]).find((value) => typeof value === 'string')
  return {
    message: shown(sentence ?? fault?.message) ?? String(facts.event).replaceAll(/[._]/g, ' '),
    file: fileOf(exception),
    exception,
    request: requestOf(facts, shown),
  }
}

/** An error of a page: the message with everything that the page reported. It has no exception of this process. */
function clientParts(facts: Facts, shown: Shown) {
  const blocks = [
    `[CLIENT] ${shown(facts.message) ?? ''}`,
    ...(shown(facts.url) ? [`URL: ${shown(facts.url)}`] : []),
    ...(shown(facts.user_agent) ? [`UA: ${shown(facts.user_agent)}`] : []),
    ...blockOf('Component stack:', linesOf(facts.component_stack, shown)),
    ...blockOf('Stack:', linesOf(facts.stack, shown)),
  ]
  return { message: cut(blocks.join('\n')), file: null, exception: undefined, request: undefined }
}

const blockOf = (title: string, lines: readonly string[] = []) => (lines.length > 0 ? [title, ...lines] : [])

function requestOf(facts: Facts, shown: Shown): ErrorRequest | undefined {
  const request = {
    method: shown(facts.method) ?? null,
    path: shown(facts.path ?? facts.route) ?? null,
    ip: shown(facts.client_ip) ?? null,
    id: shown(facts.request_id) ?? null,
  }
  return Object.values(request).some((value) => value !== null) ? request : undefined
}

function serverDetails(facts: Facts, secrets: readonly string[]): Facts {
  const sentence = SENTENCES.find((name) => typeof facts[name] === 'string') ?? 'error'
  return detailsOf(facts, new Set([...MAPPED, sentence]), secrets)
}

function detailsOf(facts: Facts, mapped: ReadonlySet<string>, secrets: readonly string[]): Facts {
  const others = Object.entries(facts).filter(([name]) => !mapped.has(name) && !MAPPED.has(name))
  return objectIn(redact(Object.fromEntries(others), { secrets })) ?? {}
}

/** Returns the lines of a stack: a list, or one text in which the log wrote line breaks as `\n`. */
function linesOf(stack: unknown, shown: Shown): string[] | undefined {
  const lines: readonly unknown[] = Array.isArray(stack)
    ? stack
    : typeof stack === 'string'
      ? stack.split(/\\n(?=\s*at )|\n/)
      : []
  const texts = lines.flatMap((line) => shown(line)?.trimEnd() ?? [])
  return texts.length === 0 ? undefined : texts
}

function fileOf(exception: readonly string[] = []): string | null {
  for (const line of exception) {
    const [, path, number] = FRAME.exec(line.trim()) ?? []
    if (path !== undefined && !path.startsWith('node:')) return `${path}:${number}`
  }
  return null
}

function factsIn(line: string): Facts | undefined {
  try {
    return objectIn(JSON.parse(line))
  } catch {
    return undefined
  }
}

function maskedText(value: unknown, secrets: readonly string[]): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  let text = value
  for (const secret of secrets) if (text.includes(secret)) text = text.replaceAll(secret, MASK)
  return cut(escapeControls(maskText(text)))
}

const cut = (text: string): string => (text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) + CUT : text)
