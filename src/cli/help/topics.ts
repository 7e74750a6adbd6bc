import { GRAMMAR } from '../../views/grammar/table.js'
import { EXIT_MEANINGS, WORST_EXIT_RULE } from '../framework/exit-codes.js'
import { HOME_FILES } from '../io/home.js'
import type { TopicName } from './topic-names.js'

/** The environment variables the commands read, for `svc help environment`. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  SVC_HOME: 'home of the daemon and of stored credentials; default $XDG_DATA_HOME/svc or ~/.local/share/svc',
  SVC_URL: 'daemon to talk to; default: the context, otherwise the daemon of the home',
  SVC_CONTEXT: 'context to use (svc context list); local is the home of this machine',
  SVC_CA_FILE:
    "authorities of the daemon's certificate, as PEM; default: those of the context, else those of Node",
  SVC_CONFIG_DIR: 'folder of the contexts; default $XDG_CONFIG_HOME/svc or ~/.config/svc',
  SVC_API_KEY: 'API key for the API commands (order, position, trade, holding, fund)',
  SVC_TOKEN:
    'personal access token for the session commands, and without a key for what only reads; overrides the stored session; not for a context that only svc context use chose',
  SVC_PORT: 'HTTP port of svc up; default 5000, 0 picks a free one',
  SVC_WS_PORT: 'market-data WebSocket port of svc up; default 8765',
  XDG_DATA_HOME: 'folder of the default home',
  XDG_CONFIG_HOME: 'folder of the default folder of the contexts',
  NO_COLOR: 'not empty: no colour',
  FORCE_COLOR: 'not empty: colour even in a pipe; 0: none (CLICOLOR_FORCE likewise)',
  TERM: 'dumb: no colour',
}

/** Files of the folder of the contexts. */
const CONTEXT_FILES: Readonly<Record<string, string>> = {
  'aliases.json': 'your own names for command lines (0600)',
  'contexts.json': 'names, addresses, ids and colours, and the current context (0600)',
  'contexts/NAME': 'session.json, token.json and apikey.json (0600), and ca.pem',
}

/** The formats, as `svc help output` shows them. */
const OUTPUT: readonly (readonly [string, string])[] = [
  ['on a terminal', 'an aligned table, colour, short times in IST'],
  ['in a pipe', 'tab-separated values of the columns of the table, without heading and colour'],
  ['--json, -o json', 'one JSON document; account records have the same fields in Live and Analyzer mode'],
  ['--jsonl, -o jsonl', 'one JSON object per line'],
  ['-o yaml', 'YAML'],
  ['-o csv, -o tsv', 'CSV (RFC 4180) or tab-separated values, with a heading'],
  ['-o table, -o wide', 'a table, in a pipe too; wide shows every column in full'],
  ['-q, -o name', 'ids only'],
  ['--columns a,b', 'only these columns, in this order'],
  ['--sort column', 'sort a list; -column sorts downwards'],
  ['--jq program', 'filter the JSON document; jq need not be installed'],
  ['--template text', 'one text per row: {{column}} is a value, \\n a line break'],
  ['--no-headers', 'no heading in tables, CSV and TSV'],
  ['--bom', 'CSV with a byte order mark before it, so that spreadsheets read it as UTF-8'],
  ['--utc', 'times in UTC'],
  ['--no-color', 'no colour'],
]

type Rows = readonly (readonly [string, string])[]

const FILTERS: Rows = [
  ['--since, --until', 'a period; see svc help time. The end is not part of it, but a date includes its day'],
  ['--limit <n>', 'the most rows, the newest ones'],
  ['--status <status>', 'one state; --help lists those of the command'],
  ['--symbol <symbol>', 'SBIN in all exchanges, or NSE:SBIN'],
  ['--strategy <name>', 'rows of one strategy, in lists with a history'],
  ['--search <text>', 'rows of a log that have the text, in any case'],
  ['--errors', 'rows of a log that were refused or failed'],
  ['--columns, --sort', 'columns and order of what is left; see svc help output'],
  ['--jq <program>', "everything else: --jq '.[] | select(.pnl < 0) | .symbol'"],
]

const TIME: Rows = [
  ['2h, 3d, 1w', 'so long ago: s, m, h, d and w'],
  ['today, yesterday', 'midnight in India'],
  ['09:15', 'that time of today in India, with or without seconds'],
  ['2026-11-20', 'midnight in India; with --until the end of that day'],
  ['2026-11-20T09:15', 'Indian time, with or without seconds'],
  ['2026-11-20T03:45:00Z', 'an instant with its zone'],
  ['500ms, 10s, 5m, 2h', 'durations, as for --timeout and --interval; a bare number is seconds'],
  ['on a terminal', 'the time of day today, otherwise date and time; the zone is IST'],
  [
    'everywhere else',
    'ISO 8601 with its zone: 2026-11-20T09:15:00+05:30; milliseconds where the daemon keeps them',
  ],
  ['--utc', 'UTC instead: 2026-11-20T03:45:00Z'],
]

const CONTEXTS: Rows = [
  ['--url, --context', 'this address, or this context; local is the home of this machine'],
  ['SVC_URL', 'this address; with SVC_CONTEXT it is refused'],
  ['--home', 'the daemon of that home'],
  ['SVC_CONTEXT', 'this context'],
  ['SVC_HOME', 'the daemon of that home'],
  ['svc context use', 'otherwise the context that is current, local at first'],
  ['API key', '--apikey-file, SVC_API_KEY, or the key of the context: order, position, trade, holding, fund'],
  [
    'session',
    'SVC_TOKEN, or the session of svc login for the context: everything else, and reading without a key',
  ],
  ['id', 'a daemon proves its id before a stored credential is sent to it'],
]

const ALIASES: Rows = [
  [
    "svc alias set b 'order place $1 NSE BUY $2'",
    'makes svc b SBIN 10; $1 to $9 are the words after the name',
  ],
  ['svc b SBIN 10 --product CNC', 'words without a place follow at the end'],
  ['svc b --help', 'shows the command line, and the help of its command'],
  ['svc alias list, svc alias remove b', 'lists them, removes one'],
  ['rules', 'a command comes before an alias of its name; an alias begins with a command; no shell reads it'],
  ['questions', 'an alias asks what its command asks: it cannot have --yes, --confirm, --force or a key'],
]

const MEANING_WIDTH = Math.max(...GRAMMAR.map(({ meaning }) => meaning.length))
const WORDS: Rows = GRAMMAR.map(({ example, form, meaning }) => [
  form,
  `${meaning.padEnd(MEANING_WIDTH)}  ${example}`,
])

/** The help topics (`svc help <topic>`), generated from the tables that the code uses. */
export const TOPICS: Readonly<Record<TopicName, () => string>> = {
  environment: () => page('Environment variables', Object.entries(ENVIRONMENT)),
  'exit-codes': () =>
    page(
      'Exit statuses',
      EXIT_MEANINGS.map((row) => [String(row.status), row.meaning]),
      WORST_EXIT_RULE,
    ),
  output: () => page('Output formats', OUTPUT),
  filters: () => page('Options that choose rows', FILTERS),
  time: () => page('Times', TIME),
  contexts: () => page('The daemon and the credential of a command, in this order', CONTEXTS),
  aliases: () => page('Aliases', ALIASES),
  grammar: () => page('Words of an order line: what they mean, and a line with them', WORDS),
  files: () =>
    [
      page('Files in the home (--home > SVC_HOME > default)', Object.entries(HOME_FILES)),
      page('Files of contexts (SVC_CONFIG_DIR > default)', Object.entries(CONTEXT_FILES)),
    ].join('\n'),
}

/** Other names of topics. */
const ALSO: Readonly<Record<string, TopicName>> = {
  formatting: 'output',
  times: 'time',
  'exit-status': 'exit-codes',
}

/** Returns the text of a topic; undefined for a word that is none. */
export function topicText(word: string): string | undefined {
  const name = Object.hasOwn(ALSO, word) ? ALSO[word] : word
  return Object.entries(TOPICS).find(([one]) => one === name)?.[1]()
}

function page(title: string, rows: Rows, rule?: string): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  return [`${title}:`, '', ...lines, '', ...(rule === undefined ? [] : [rule, ''])].join('\n')
}
