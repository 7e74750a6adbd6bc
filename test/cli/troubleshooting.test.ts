import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/docs/documents.js'

/** Messages of npm, Node and the shell, and the program's own words that a user reads in a table. */
const FOREIGN: ReadonlySet<string> = new Set([
  'npm ci',
  'sqlite3',
  'gyp ERR!',
  'Could not locate the bindings file',
  "Cannot find package 'tsx'",
  'SyntaxError',
  'Unsupported engine',
  'svc: command not found',
])

const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
  .join('\n')

/** Returns the messages in the first column of the tables; `…` stands for a value. */
function messages(page: string): string[] {
  const rows = readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(/^\| (.+?) \|/gm)
  return [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
}

/** Returns true if some line of the sources has all parts of the message in their order. */
function isInSources(message: string): boolean {
  const parts = message.split('…').map((part) => escaped(part.trim()))
  return new RegExp(parts.join('.*')).test(SOURCES)
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

it.each(['troubleshooting.md', 'tradingview.md'])(
  'every message in %s is one that the program can print',
  (page) => {
    const printed = messages(page).filter((message) => !FOREIGN.has(message))
    expect(printed.length).toBeGreaterThan(2)
    expect(printed.filter((message) => !isInSources(message))).toEqual([])
  },
)
