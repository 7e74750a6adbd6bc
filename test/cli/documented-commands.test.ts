import { Command, CommanderError } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { documents, ROOT } from '../../scripts/docs/documents.js'
import type { CommandSpec } from '../../src/cli/framework/command/command.js'
import { GLOBAL_OPTIONS } from '../../src/cli/framework/globals.js'
import { define } from '../../src/cli/framework/program.js'
import { NOUNS } from '../../src/cli/nouns.js'
import { listPrompts, promptOf } from '../../src/daemon/mcp/server/prompts.js'
import { ioOf } from './support/terminal.js'

/*
 * Pages and help texts name hundreds of command lines, and not all of them can run in a test (a container, another
 * machine, a real broker). Each must at least parse: the command exists, and so does every option.
 */

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm
const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'console'])
const INLINE = /`(svc [^`]+)`/g
/** The beginning of a command in a shell line. */
const COMMAND = /(?:^|[|;&(]|\bexec(?: -it)? svc|\bsudo -u svc \S+|\bxargs -r) *(?:\$ )?svc (.*)/gm

/** Returns the words of a shell command, up to a pipe, a redirection, a comment or the end. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  const token = /\s*(?:(#.*|[|;&<>)].*)|((?:"(?:\\.|[^"])*"|'[^']*'|\$\([^)]*\)|\\.|[^\s|;&<>)"'])+))/gy
  for (const [, end, word] of line.matchAll(token)) {
    if (end !== undefined || word === undefined) break
    words.push(word.replace(/^(["'])([\s\S]*)\1$/, '$2'))
  }
  return words
}

/** Returns the command lines of a page, without `svc`. */
function commandsOf(text: string): string[] {
  const blocks = [...text.matchAll(FENCE)].filter(([, language = '']) => SHELLS.has(language))
  const shell = blocks
    .map(([, , block = '']) => block.replaceAll('\\\n', ' '))
    .flatMap((block) => [...block.matchAll(COMMAND)].map(([, rest = '']) => rest))
  const inline = [...text.replace(FENCE, '').matchAll(INLINE)].map(([, code = '']) =>
    code.slice('svc '.length),
  )
  // A loop of a script names its command in a variable.
  return [...new Set([...shell, ...inline].map((line) => line.trim()))].filter((line) => !/^["$]/.test(line))
}

/** Returns the same command without its function: it only parses. */
function idle({ run: _run, verbs = [], ...spec }: CommandSpec): CommandSpec {
  return { ...spec, verbs: verbs.map(idle) }
}

/** Words that texts leave open: an omission, or the name of a command alone. */
const OPEN: ReadonlySet<string> = new Set([
  'commander.missingArgument',
  'commander.help',
  'commander.helpDisplayed',
])

let nouns: CommandSpec[]

beforeAll(async () => {
  nouns = (await Promise.all(NOUNS.map(async (noun) => ({ ...(await noun.load()), name: noun.name })))).map(
    idle,
  )
})

/** Returns the problem of a command line, or undefined if it parses. */
async function problemOf(line: string): Promise<string | undefined> {
  const words = wordsOf(line).filter((word) => word !== '…')
  const program = new Command('svc')
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
  const root: CommandSpec = { name: 'svc', summary: '', examples: [], options: GLOBAL_OPTIONS, verbs: nouns }
  define(program, root, {
    io: ioOf([], []),
    program: { version: '0', nouns: [], run: async () => 0 },
    finish: () => {},
  })
  try {
    await program.parseAsync(words, { from: 'user' })
    return undefined
  } catch (thrown) {
    if (thrown instanceof CommanderError) return OPEN.has(thrown.code) ? undefined : thrown.message
    return String(thrown)
  }
}

describe.each(documents().map(({ path, text }) => [path.slice(ROOT.length), commandsOf(text)] as const))(
  'every command line in %s',
  (_name, lines) => {
    it('parses', async () => {
      const problems = await Promise.all(lines.map(async (line) => [line, await problemOf(line)] as const))
      expect(problems.filter(([, problem]) => problem !== undefined)).toEqual([])
    })
  },
)

it('every command line in the prompts for assistants parses', async () => {
  const lines = listPrompts().flatMap(({ arguments: needed, name }) => {
    const prompt = promptOf(name, Object.fromEntries(needed.map((one) => [one.name, 'x'])))
    return prompt.messages.flatMap(({ content }) => commandsOf(content.text))
  })
  expect(lines.length).toBeGreaterThan(3)
  const problems = await Promise.all(lines.map(async (line) => [line, await problemOf(line)] as const))
  expect(problems.filter(([, problem]) => problem !== undefined)).toEqual([])
})

it('every example of the help texts parses', async () => {
  const examplesOf = (spec: CommandSpec): string[] => [
    ...spec.examples,
    ...(spec.verbs ?? []).flatMap(examplesOf),
  ]
  // An example may begin with a command that feeds svc.
  const lines = nouns.flatMap(examplesOf).map((example) => example.replace(/^.*\bsvc /, ''))
  expect(lines.length).toBeGreaterThan(200)
  const problems = await Promise.all(lines.map(async (line) => [line, await problemOf(line)] as const))
  expect(problems.filter(([, problem]) => problem !== undefined)).toEqual([])
})

it.each([
  ['order place SBIN NSE BUY 10 --produkt CNC', /unknown option/],
  ['order plaze SBIN', /unknown command/],
  ['mode set automatic', /invalid/],
  ['mode set auto now', /too many arguments/],
])('a wrong command line does not: svc %s', async (line, problem) => {
  expect(await problemOf(line)).toMatch(problem)
})

it('reads command lines in pipes, substitutions and continued lines', () => {
  const page =
    '```bash\nKEY=$(svc apikey show -q)\nls | svc order place - --json >out # svc no\nsvc a \\\n  --b\n```\nsee `svc status`'
  expect(commandsOf(page).map((line) => wordsOf(line).join(' '))).toEqual([
    'apikey show -q',
    'order place - --json',
    'a --b',
    'status',
  ])
})
