import { expect, test } from 'vitest'
import { documents, ROOT } from '../../scripts/docs/documents.js'
import { asksAgain } from '../../src/cli/framework/asks-again.js'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import { CliDesk } from '../support/desk/cli-desk.js'

/*
 * Some commands need a recent sign-in. Whoever copies one from a page or a help text, at whatever time, can go on: a
 * terminal asks for the password, and a script is told which command to run.
 */

interface Row {
  /** The operation that asks. */
  operation: string
  /** A command that calls it, with the words that answer its other questions. */
  line: string
  /** Its text on stdin. */
  stdin?: string
  /** The exit status after the proof; 0 by default. */
  exit?: number
  /** The commands of the pages that need it. */
  documented: RegExp
}

const STRATEGY =
  '{"name":"asks","strategy_kind":"signal","strategy_type":"positional","product":"MIS","underlying":"SBIN",' +
  '"underlying_exchange":"NSE","legs":[{"symbol":"SBIN","exchange":"NSE","segment":"cash","qty":10}]}'

const ROWS: readonly Row[] = [
  {
    operation: 'POST /auth/tokens',
    line: 'token create --name docs --scope admin --expires 1d -q',
    documented: /token create (?!.*--scope read( |$))/,
  },
  { operation: 'POST /apikey', line: 'apikey rotate --yes', documented: /apikey rotate/ },
  { operation: 'GET /auth/profile-data', line: 'totp setup', documented: /totp setup/ },
  {
    operation: 'POST /settings/analyze-mode/:mode',
    line: 'analyze off --confirm LIVE',
    documented: /analyze off/,
  },
  { operation: 'POST /risk/kill-switch', line: 'risk resume --confirm RESUME', documented: /risk resume/ },
  {
    operation: 'POST /broker/use',
    line: 'broker use simulated --confirm LIVE',
    documented: /broker use/,
  },
  { operation: 'POST /broker/login', line: 'broker login', documented: /broker login/ },
  {
    operation: 'POST /auth/smtp-config',
    line: 'smtp set --server mail.example.org --username desk --from desk@example.org',
    documented: /smtp set/,
  },
  {
    operation: 'POST /strategy/api/strategies/:id/live',
    line: 'strategy live asks on --yes',
    documented: /strategy live \S+ on/,
  },
  {
    operation: 'PUT /messages/channels/telegram',
    line: 'message channel telegram --rate 20',
    documented: /message channel telegram (?!--st)/,
  },
  {
    operation: 'PUT /messages/channels/whatsapp',
    line: 'message channel whatsapp --template svc_alert',
    documented: /message channel whatsapp/,
  },
  {
    operation: 'PUT /messages/contacts/:channel',
    line: 'message contact email asha@example.org',
    documented: /message contact (?!.*--remove)/,
  },
  // No bot runs here.
  { operation: 'POST /messages/link', line: 'message link', exit: 5, documented: /message link/ },
  {
    operation: 'PUT /admin/api/mcp/settings',
    line: 'admin mcp settings --queue-writes off',
    documented: /admin mcp settings .*(--(enabled|write-scope) on|-(approval|writes) off|--public-url)/,
  },
  // Remote access is off here.
  {
    operation: 'POST /admin/api/oauth/clients/:client_id/approve',
    line: 'admin mcp approve abc',
    exit: 5,
    documented: /admin mcp approve/,
  },
]

/** The operations that ask without a command, or that a command does without a proof. */
const OTHERS: Readonly<Record<string, string>> = {
  'GET /apikey': 'svc apikey show: a script gets the key of the home; test/cli/commands/apikey.test.ts',
  'GET /api/websocket/apikey': 'no command: svc apikey show',
  'POST /broker/login/begin':
    'svc broker login, whose first request it is where the broker has a log-in page',
  'POST /gocharting': 'no command: it makes the message of an alert',
  'POST /tradingview': 'no command: it makes the message of an alert',
  'POST /oauth/authorize': 'no command: the page of the consent',
}

test('the table has every operation that needs a recent sign-in', () => {
  const asking = ALL_OPERATION_LIST.filter(({ fresh }) => fresh !== undefined && fresh !== 'in the request')
  const known = [...ROWS.map(({ operation }) => operation), ...Object.keys(OTHERS)]
  expect(known.sort()).toEqual(asking.map(({ name }) => name).sort())
})

test('16 minutes after the sign-in a script is told the next command, and a terminal asks and goes on', async () => {
  const desk = await CliDesk.open()
  await desk.svc('strategy create -', { stdin: STRATEGY })
  for (const { line, stdin, exit = 0 } of ROWS) {
    await desk.clock.suspend(16 * 60_000)
    const script = await desk.svc(line, { stdin })
    expect([line, script.exit, script.stdout]).toEqual([line, 3, ''])
    expect(script.stderr).toMatch(/15 minutes[\s\S]*svc login --username NAME --password-stdin/)
    expect(script.stderr).not.toMatch(/\b(GET|POST|PUT|DELETE) \//)
    const terminal = await desk.svc(line, { stdin, answers: ['Passw0rd!'] })
    expect([line, terminal.exit, terminal.stderr]).toEqual([
      line,
      exit,
      expect.stringContaining('This needs your password again'),
    ])
  }
})

test('the help of each such command says so', async () => {
  const desk = await CliDesk.open()
  const sentence = asksAgain('').trim()
  for (const { line } of ROWS) {
    const words = line
      .split(' --')[0]
      ?.split(' ')
      .slice(0, /^(admin|message channel)/.test(line) ? 3 : 2)
    const { stdout } = await desk.svc(`${words?.join(' ')} --help`)
    expect([words, stdout.replaceAll(/\s+/g, ' ')]).toEqual([words, expect.stringContaining(sentence)])
  }
})

const SECTION = /^#+ /m
const BLOCK = /^```(?:bash|sh|console|text)\n([\s\S]*?)^```$/gm
const REMARK = /needs? a sign-in of the last 15\sminutes/

test('every page says so beside the block of commands', () => {
  const silent: string[] = []
  let found = 0
  // docs/cli.md has the texts of the help.
  for (const { path, text } of documents().filter((page) => !page.path.endsWith('docs/cli.md'))) {
    // A comment in a block is no heading.
    const plain = text.replace(BLOCK, (block) => block.replaceAll(/^#/gm, ' '))
    for (const section of plain.split(SECTION)) {
      const lines = [...section.matchAll(BLOCK)].flatMap(([, block = '']) => block.split('\n'))
      const asking = lines.filter((line) =>
        ROWS.some(({ documented }) => new RegExp(`svc ${documented.source}`).test(line)),
      )
      found += asking.length
      if (asking.length > 0 && !REMARK.test(section)) silent.push(`${path.slice(ROOT.length)}: ${asking[0]}`)
    }
  }
  expect(silent).toEqual([])
  expect(found).toBeGreaterThan(12)
})
