import { readFileSync } from 'node:fs'
import { homeDirectory } from '../io/home.js'
import type { Io } from '../io/io.js'
import { parseDuration } from '../output/duration.js'
import { usageError } from './errors.js'
import type { OptionSpec } from './option.js'

export const FORMATS = ['table', 'json', 'jsonl', 'yaml', 'csv', 'name'] as const
export type Format = (typeof FORMATS)[number]

/** The options of every command. They may stand before or after its own options. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: '--home <dir>', summary: 'home of the daemon and of stored credentials (default: SVC_HOME)' },
  { flags: '--url <url>', summary: 'daemon to talk to (default: SVC_URL, otherwise the daemon of the home)' },
  { flags: '--apikey <key>', summary: 'API key; other users can see it in ps, so prefer --apikey-file' },
  {
    flags: '--apikey-file <file>',
    summary: 'file with the API key (default: SVC_API_KEY, otherwise the key stored in the home)',
  },
  { flags: '-o, --output <format>', summary: 'output format', choices: FORMATS },
  { flags: '--json', summary: 'one JSON document (-o json)' },
  { flags: '--jsonl', summary: 'one JSON object per line (-o jsonl)' },
  { flags: '-q, --quiet', summary: 'ids only, no messages' },
  { flags: '--fields <list>', summary: 'only these fields, separated by commas' },
  { flags: '--no-color', summary: 'no colour' },
  { flags: '--utc', summary: 'times in UTC instead of IST' },
  { flags: '-v, --verbose', summary: 'show the request id and the response of an error' },
  { flags: '-y, --yes', summary: 'do not ask before a destructive action' },
  { flags: '--no-input', summary: 'never ask; fail with the name of the missing option' },
  { flags: '--timeout <duration>', summary: 'how long to wait for an answer (default: 30s)' },
]

/** The global options after parsing and defaults. */
export interface GlobalSettings {
  home: string
  /** From `--url` or `SVC_URL`; undefined means the daemon of the home. */
  url: string | undefined
  /** From `--apikey` or `--apikey-file`. */
  apikey: string | undefined
  /** Undefined means a table on a terminal and tab-separated text in a pipe. */
  format: Format | undefined
  quiet: boolean
  fields: readonly string[]
  color: boolean
  utc: boolean
  verbose: boolean
  yes: boolean
  /** True when prompts are possible and allowed. */
  interactive: boolean
  timeoutMs: number | undefined
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export function readSettings(options: Readonly<Record<string, unknown>>, io: Io): GlobalSettings {
  const { timeout } = options
  return {
    home: homeDirectory(text(options.home), io),
    url: checkedUrl(text(options.url) ?? text(io.env.SVC_URL)),
    apikey: givenKey(text(options.apikey), text(options.apikeyFile)),
    format: chosenFormat(options),
    quiet: options.quiet === true,
    fields: (text(options.fields) ?? '').split(',').flatMap((name) => name.trim() || []),
    color: options.color !== false,
    utc: options.utc === true,
    verbose: options.verbose === true,
    yes: options.yes === true,
    interactive: options.input !== false && io.stdin.isTty && io.stderr.isTty,
    // An empty value, as from an unset variable, is refused: the default would wait longer than the user
    // meant.
    timeoutMs: typeof timeout === 'string' ? parseDuration(timeout, '--timeout') : undefined,
  }
}

/** Returns the key from the command line, or from the file it names; a pipe or `/dev/stdin` works too. */
function givenKey(key: string | undefined, file: string | undefined): string | undefined {
  if (file === undefined) return key
  if (key !== undefined) throw usageError('Choose one: --apikey or --apikey-file.')
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (error) {
    throw usageError(`--apikey-file cannot be read: ${error instanceof Error ? error.message : file}`)
  }
  const read = content.trim()
  if (read === '' || /\s/.test(read)) throw usageError(`--apikey-file must contain only the API key: ${file}`)
  return read
}

function chosenFormat(options: Readonly<Record<string, unknown>>): Format | undefined {
  const named = FORMATS.find((format) => format === options.output)
  const asked = new Set<Format>([
    ...(named ? [named] : []),
    ...(options.json === true ? (['json'] as const) : []),
    ...(options.jsonl === true ? (['jsonl'] as const) : []),
  ])
  if (asked.size > 1) throw usageError(`Choose one output format: ${[...asked].join(' or ')}.`)
  const [format] = asked
  return format ?? (options.quiet === true ? 'name' : undefined)
}

function checkedUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    throw usageError(
      `The address "${url}" is not an http or https URL.`,
      'Example: --url http://127.0.0.1:5000',
    )
  }
  return url.replace(/\/+$/, '')
}
