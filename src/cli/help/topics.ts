import { EXIT_MEANINGS, WORST_EXIT_RULE } from '../framework/exit-codes.js'
import { HOME_FILES } from '../io/home.js'

/** The environment variables the commands read, for `svc help environment`. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  SVC_HOME: 'home of the daemon and of stored credentials; default $XDG_DATA_HOME/svc or ~/.local/share/svc',
  SVC_URL: 'daemon to talk to; default: the context, otherwise the daemon of the home',
  SVC_CONTEXT: 'context to use (svc context list); local is the home of this machine',
  SVC_CA_FILE:
    "authorities of the daemon's certificate, as PEM; default: those of the context, else those of Node",
  SVC_CONFIG_DIR: 'folder of the contexts; default $XDG_CONFIG_HOME/svc or ~/.config/svc',
  SVC_API_KEY: 'API key for the API commands (order, position, trade, holding, fund)',
  SVC_TOKEN: 'personal access token for the session commands; overrides the stored session',
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
  'contexts.json': 'names, addresses, ids and colours, and the current context (0600)',
  'contexts/NAME': 'session.json, token.json and apikey.json (0600), and ca.pem',
}

/** The formats, as `svc help formatting` shows them. */
const FORMATTING: readonly (readonly [string, string])[] = [
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

/** The help topics (`svc help <topic>`), generated from the tables that the code uses. */
export const TOPICS: Readonly<Record<string, () => string>> = {
  environment: () => page('Environment variables', Object.entries(ENVIRONMENT)),
  'exit-codes': () =>
    page(
      'Exit statuses',
      EXIT_MEANINGS.map((row) => [String(row.status), row.meaning]),
      WORST_EXIT_RULE,
    ),
  formatting: () => page('Output formats', FORMATTING),
  files: () =>
    [
      page('Files in the home (--home > SVC_HOME > default)', Object.entries(HOME_FILES)),
      page('Files of contexts (SVC_CONFIG_DIR > default)', Object.entries(CONTEXT_FILES)),
    ].join('\n'),
}

function page(title: string, rows: readonly (readonly [string, string])[], rule?: string): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  return [`${title}:`, '', ...lines, '', ...(rule === undefined ? [] : [rule, ''])].join('\n')
}
