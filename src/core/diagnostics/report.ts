import { stripVTControlCharacters } from 'node:util'
import { escapeControls } from '../logging/index.js'
import { istDateTime } from '../time/index.js'
import { isObject } from '../validation/index.js'
import type { ErrorEntry } from './errors/entry.js'
import type { ErrorCounts } from './errors/error-log.js'
import type { SystemSnapshot } from './snapshot/snapshot.js'

export const REPORT_FORMATS = ['md', 'txt'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

interface ReportParts {
  snapshot: SystemSnapshot
  counts: ErrorCounts
  /** The newest errors, the oldest of them first. */
  errors: readonly ErrorEntry[]
  /** Epoch milliseconds. */
  now: number
}

/** The number of errors that a report shows. */
export const REPORTED_ERRORS = 50
const MAX_REPORT = 1_000_000
const MAX_MESSAGE = 500
const NOT_SET = '_not set_'
const WEAK = 'NO — using default/placeholder'

/**
 * Returns the report for a person who helps with this installation: the snapshot and the errors, without
 * secrets. Both formats have the same lines; only their headings differ.
 */
export function systemReport({ counts, errors, now, snapshot }: ReportParts, format: ReportFormat): string {
  const heading = HEADINGS[format]
  const { brokers, build, config, databases, hardware, host, mode, runtime, time } = snapshot
  const { secret_strength: strength, secrets_present: secrets, ...settings } = config
  const lines = [
    heading.title('svc system report'),
    field('Generated', `${istDateTime(now)} IST`),
    ...section('Trading Mode', [field('Mode', mode.label)]),
    ...section('Host', fieldsOf(host)),
    ...section('Runtime', fieldsOf(runtime)),
    ...section('Hardware', fieldsOf(hardware)),
    ...section('Build', fieldsOf(build)),
    ...section('Configuration', fieldsOf(settings)),
    ...section(
      'Secrets (presence only)',
      Object.entries(secrets).map(([name, isSet]) => `- ${name}: ${isSet ? 'set' : 'not set'}`),
    ),
    ...section(
      'Secret strength',
      Object.entries(strength).map(([name, isStrong]) => `- ${name}: ${isStrong ? 'yes' : WEAK}`),
    ),
    ...section('Brokers', fieldsOf(brokers)),
    ...section('Databases', databases.map(databaseLine)),
    ...section('Time', fieldsOf(time)),
    ...section('Errors summary', countLines(counts)),
    ...section('Recent errors (latest first)', errorLines(errors, format)),
  ]
  return `${lines.join('\n').slice(0, MAX_REPORT - 1)}\n`

  function section(title: string, body: readonly string[]): string[] {
    return ['', heading.section(title), '', ...body]
  }
}

const HEADINGS = {
  md: { title: (text: string) => `# ${text}\n`, section: (text: string) => `## ${text}` },
  txt: {
    title: (text: string) => `${text}\n${'='.repeat(text.length)}\n`,
    section: (text: string) => `${text}\n${'-'.repeat(text.length)}`,
  },
} as const satisfies Record<ReportFormat, unknown>

const field = (label: string, value: unknown): string => `- **${label}:** ${shown(value)}`

/** Returns the members of a section; those of a member that is an object after its own name. */
function fieldsOf(facts: object, prefix = ''): string[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const label = prefix + labelOf(name)
    return isObject(value) ? fieldsOf(value, `${label}, `) : [field(label, value)]
  })
}

const labelOf = (name: string): string =>
  name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase())

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return NOT_SET
  if (Array.isArray(value)) return value.length === 0 ? NOT_SET : value.map(shown).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return plain(String(value))
}

function databaseLine({ exists, modified, name, size_mb }: SystemSnapshot['databases'][number]): string {
  return field(name, exists ? `${size_mb} MB, modified ${modified ?? 'never'}` : 'missing')
}

function countLines({ byLevel, lastDay, lastHour, total }: ErrorCounts): string[] {
  return [
    field('Total', total),
    field('Last 24h', lastDay),
    field('Last 1h', lastHour),
    ...Object.entries(byLevel).map(([level, count]) => field(level, count)),
  ]
}

function errorLines(errors: readonly ErrorEntry[], format: ReportFormat): string[] {
  if (errors.length === 0) return ['None.']
  const text = (words: string) => (format === 'md' ? escapeMarkup(plain(words)) : plain(words))
  return errors
    .slice(-REPORTED_ERRORS)
    .reverse()
    .map(({ at, level, logger, message }) => {
      return `- ${istDateTime(at)} **${level}** ${text(logger)}: ${text(message.slice(0, MAX_MESSAGE))}`
    })
}

/** Escape sequences as the log writes them, with a visible `\u001b`. */
const WRITTEN_ESCAPES = /\\u(?:001b|009b)\[?[0-9;?]*[A-Za-z]/gi

/** Returns a text on one line, without escape sequences. */
function plain(text: string): string {
  const stripped = stripVTControlCharacters(text).replaceAll(WRITTEN_ESCAPES, '')
  return escapeControls(stripped.replaceAll('\n', ' '))
}

/** Characters with a meaning in Markdown or HTML: a message must not become a link or a heading. */
const MARKUP = /[\\`*_{}[\]<>#|~&]/g

const escapeMarkup = (text: string): string => text.replaceAll(MARKUP, '\\$&')
