import { readFileSync } from 'node:fs'
import { withoutByteOrderMark } from '../../core/csv/index.js'
import { LOCAL, type NamedDaemon } from '../contexts/words.js'
import { homeDirectory } from '../io/home.js'
import type { Io } from '../io/io.js'
import { parseDuration } from '../output/text/duration.js'
import type { OptionSpec } from './command/option.js'
import { usageError } from './errors.js'

const DOCUMENTS = ['json', 'jsonl', 'yaml', 'csv', 'tsv', 'name'] as const
const TABLES = ['table', 'wide'] as const
const FORMATS = [...TABLES, ...DOCUMENTS] as const
/** A format for programs. */
export type Format = (typeof DOCUMENTS)[number]
/** A table for people: `table` fits the terminal, `wide` shows every column in full. */
type TableFormat = (typeof TABLES)[number]

/** The options of every command. They may stand before or after its own options. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: '--home <dir>', summary: 'home of the daemon and of stored credentials (default: SVC_HOME)' },
  { flags: '--url <url>', summary: 'daemon to talk to (default: SVC_URL, otherwise the context)' },
  {
    flags: '--context <name>',
    summary: 'context to use; local is the home (default: SVC_CONTEXT, otherwise svc context use)',
    complete: 'contexts',
  },
  {
    flags: '--ca-file <file>',
    summary: "authorities of the daemon's certificate, as PEM (default: SVC_CA_FILE)",
  },
  { flags: '--apikey <key>', summary: 'API key; other users can see it in ps, so prefer --apikey-file' },
  {
    flags: '--apikey-file <file>',
    summary: 'file with the API key (default: SVC_API_KEY, otherwise the key stored in the home)',
  },
  { flags: '-o, --output <format>', summary: 'output format', choices: FORMATS },
  { flags: '--json', summary: 'one JSON document (-o json)' },
  { flags: '--jsonl', summary: 'one JSON object per line (-o jsonl)' },
  { flags: '-q, --quiet', summary: 'ids only, no messages' },
  {
    flags: '--columns <list>',
    summary: 'only these columns, separated by commas, in this order',
    complete: 'columns',
  },
  {
    flags: '--sort <column>',
    summary: 'sort a list by a column; -column sorts downwards',
    complete: 'sortColumns',
  },
  {
    flags: '--jq <program>',
    summary: 'filter the JSON document with a jq program; jq need not be installed',
  },
  {
    flags: '--template <text>',
    summary: 'one text per row, with {{column}} for values and \\n for a line break',
  },
  { flags: '--no-headers', summary: 'no heading in tables, CSV and TSV' },
  { flags: '--bom', summary: 'begin CSV with a byte order mark: spreadsheets then read it as UTF-8' },
  { flags: '--no-color', summary: 'no colour' },
  { flags: '--utc', summary: 'times in UTC instead of IST' },
  { flags: '-v, --verbose', summary: 'show the request id and the response of an error' },
  { flags: '-y, --yes', summary: 'do not ask before a destructive action' },
  { flags: '--no-input', summary: 'never ask; fail with the name of the missing option' },
  { flags: '--timeout <duration>', summary: 'how long to wait for an answer (default: 30s)' },
]

/** The flags of the option that every command has which sends orders or changes them. */
export const ONLY_MODE = '--only-mode <mode>'

/** The global options after parsing and defaults. */
export interface GlobalSettings {
  home: string
  /** The daemon that the command line or the environment names; undefined means the current context. */
  daemon: NamedDaemon | undefined
  /** True if SVC_API_KEY and SVC_TOKEN are for the daemon that is named. */
  ownsEnvironment: boolean
  /** The file with the authorities of its certificate, and the option or variable that names it. */
  caFile: { path: string; from: string } | undefined
  /** From `--apikey` or `--apikey-file`. */
  apikey: string | undefined
  /** Undefined means a table on a terminal and tab-separated lines in a pipe. */
  format: Format | undefined
  /** The table that the user asked for by name; it is drawn in a pipe too. */
  table: TableFormat | undefined
  quiet: boolean
  /** The columns of `--columns`; empty for all columns of the view. */
  columns: readonly string[]
  sort: string | undefined
  /** A jq program to run over the JSON document. */
  jq: string | undefined
  template: string | undefined
  headers: boolean
  /** Whether CSV begins with a byte order mark. */
  bom: boolean
  color: boolean
  utc: boolean
  verbose: boolean
  yes: boolean
  /** True when prompts are possible and allowed. */
  interactive: boolean
  /** False with `--no-input`. */
  input: boolean
  timeoutMs: number | undefined
  /** The only mode in which the daemon executes an order of this command; an option of the order commands. */
  onlyMode: string | undefined
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export function readSettings(options: Readonly<Record<string, unknown>>, io: Io): GlobalSettings {
  const { timeout } = options
  return {
    home: homeDirectory(text(options.home), io),
    ...namedDaemon(options, io),
    caFile: givenAuthorities(options, io),
    apikey: givenKey(text(options.apikey), text(options.apikeyFile)),
    quiet: options.quiet === true,
    columns: (text(options.columns) ?? '').split(',').flatMap((name) => name.trim() || []),
    sort: text(options.sort),
    ...chosenOutput(options),
    headers: options.headers !== false,
    bom: options.bom === true,
    color: options.color !== false,
    utc: options.utc === true,
    verbose: options.verbose === true,
    yes: options.yes === true,
    input: options.input !== false,
    interactive: options.input !== false && io.stdin.isTty && io.stderr.isTty,
    // An empty value, as from an unset variable, is refused: the default would wait longer than the user
    // meant.
    timeoutMs: typeof timeout === 'string' ? parseDuration(timeout, '--timeout') : undefined,
    onlyMode: text(options.onlyMode),
  }
}

/**
 * Returns the daemon that is named: a flag before the environment, and the more precise before the home.
 * @throws a usage error for two names of one rank
 */
function namedDaemon(
  options: Readonly<Record<string, unknown>>,
  { env }: Io,
): Pick<GlobalSettings, 'daemon' | 'ownsEnvironment'> {
  const [url, context] = [text(options.url), text(options.context)]
  const [envUrl, envContext] = [text(env.SVC_URL), text(env.SVC_CONTEXT)]
  if (url !== undefined && context !== undefined) throw usageError('Choose one: --url or --context.')
  if (url !== undefined) return { daemon: { url: checkedUrl(url) }, ownsEnvironment: true }
  if (context !== undefined) return { daemon: { context }, ownsEnvironment: isNamedBy(env, context) }
  if (envUrl !== undefined && envContext !== undefined) {
    throw usageError(
      'SVC_URL and SVC_CONTEXT are both set.',
      'Unset one of them, or choose: --url or --context',
    )
  }
  if (envUrl !== undefined) return { daemon: { url: checkedUrl(envUrl) }, ownsEnvironment: true }
  if (text(options.home) !== undefined) {
    return { daemon: { context: LOCAL }, ownsEnvironment: isNamedBy(env, LOCAL) }
  }
  if (envContext !== undefined) return { daemon: { context: envContext }, ownsEnvironment: true }
  if (text(env.SVC_HOME) !== undefined) return { daemon: { context: LOCAL }, ownsEnvironment: true }
  return { daemon: undefined, ownsEnvironment: true }
}

/** Returns whether the environment names a context: its SVC_API_KEY and SVC_TOKEN are for that one alone. */
export function isNamedBy(env: Io['env'], context: string): boolean {
  return text(env.SVC_URL) === undefined && (text(env.SVC_CONTEXT) ?? LOCAL) === context
}

function givenAuthorities(options: Readonly<Record<string, unknown>>, { env }: Io): GlobalSettings['caFile'] {
  const [flag, variable] = [text(options.caFile), text(env.SVC_CA_FILE)]
  if (flag !== undefined) return { path: flag, from: '--ca-file' }
  return variable === undefined ? undefined : { path: variable, from: 'SVC_CA_FILE' }
}

/** Returns the key from the command line, or from the file it names; a pipe or `/dev/stdin` works too. */
function givenKey(key: string | undefined, file: string | undefined): string | undefined {
  if (file === undefined) return key
  if (key !== undefined) throw usageError('Choose one: --apikey or --apikey-file.')
  let content: string
  try {
    content = withoutByteOrderMark(readFileSync(file, 'utf8'))
  } catch (error) {
    throw usageError(`--apikey-file cannot be read: ${error instanceof Error ? error.message : file}`)
  }
  const read = content.trim()
  if (read === '' || /\s/.test(read)) throw usageError(`--apikey-file must contain only the API key: ${file}`)
  return read
}

function chosenFormat(options: Readonly<Record<string, unknown>>): Pick<GlobalSettings, 'format' | 'table'> {
  const named = FORMATS.find((format) => format === options.output)
  const asked = new Set<Format | TableFormat>([
    ...(named ? [named] : []),
    ...(options.json === true ? (['json'] as const) : []),
    ...(options.jsonl === true ? (['jsonl'] as const) : []),
  ])
  if (asked.size > 1) throw usageError(`Choose one output format: ${[...asked].join(' or ')}.`)
  const [chosen] = asked
  const table = TABLES.find((name) => name === chosen)
  const format = DOCUMENTS.find((name) => name === chosen)
  return { table, format: format ?? (options.quiet === true && !table ? 'name' : undefined) }
}

/**
 * Returns the format and the query. A query reads the JSON document, so it excludes all other formats.
 * @throws a usage error for options that exclude each other
 */
function chosenOutput(
  options: Readonly<Record<string, unknown>>,
): Pick<GlobalSettings, 'format' | 'table' | 'jq' | 'template'> {
  const [jq, template] = [text(options.jq), text(options.template)]
  const { format, table } = chosenFormat(options)
  if (jq === undefined && template === undefined) return { format, table, jq, template }
  if (jq !== undefined && template !== undefined) throw usageError('Choose one: --jq or --template.')
  const other = [table, format].find(
    (name) => name !== undefined && !['json', 'jsonl', 'name'].includes(name),
  )
  if (other !== undefined) {
    throw usageError(`Choose one: --${jq === undefined ? 'template' : 'jq'} or -o ${other}.`)
  }
  return { format: format === 'jsonl' ? 'jsonl' : 'json', table, jq, template }
}

function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    throw usageError(
      `The address "${url}" is not an http or https URL.`,
      'Example: --url http://127.0.0.1:5000',
    )
  }
  return url.replace(/\/+$/, '')
}
