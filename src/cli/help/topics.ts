import { ENVIRONMENT } from '../framework/environment.js'
import { EXIT_MEANINGS, WORST_EXIT_RULE } from '../framework/exit-codes.js'
import { HOME_FILES } from '../io/home.js'

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
  files: () => page('Files in the home (--home > SVC_HOME > default)', Object.entries(HOME_FILES)),
}

function page(title: string, rows: readonly (readonly [string, string])[], rule?: string): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
  return [`${title}:`, '', ...lines, '', ...(rule === undefined ? [] : [rule, ''])].join('\n')
}
