import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documents, ROOT } from '../../scripts/docs/documents.js'
import { copyFlows } from '../support/files/flows.js'
import { tempDir } from '../support/files/temp.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { writeShellProgram } from '../support/process/shell-program.js'
import { Terminal } from '../support/terminal.js'

/** The first failing command ends the script, and the settings of the user do not apply. */
const STRICT = ['--norc', '--noprofile', '-euo', 'pipefail']

/** The languages of the examples, and the program that runs a file of each. */
const LANGUAGES = {
  bash: { fence: 'bash|sh', command: ['bash', ...STRICT], present: true },
  python: {
    fence: 'python',
    command: ['python3', '-I'],
    present: spawnSync('python3', ['-V']).status === 0,
  },
  ts: { fence: 'ts', command: [join(ROOT, 'node_modules', '.bin', 'tsx')], present: true },
} as const
type Language = keyof typeof LANGUAGES

const PERSON = 'a person types a password; test/e2e/cli/setup.test.ts does it on a terminal'
const LIFECYCLE = 'starts or stops the daemon of the page; test/e2e/cli/lifecycle.test.ts does it'
const SUITE = 'runs this suite or the benchmarks'
const ELSEWHERE = 'test/e2e/scripts.test.ts runs it'
const MAIL = 'needs a mail server; test/e2e/cli/password.test.ts runs one'
const CHECKOUT = 'installs the packages of the checkout, which the tests use'

/** The examples that do not run: the page, the beginning of the example, and the reason. All others run. */
const NOT_RUN: readonly (readonly [page: string, begins: string, reason: string])[] = [
  ['README.md', 'npm ci && npx svc demo', CHECKOUT],
  ['CONTRIBUTING.md', 'npm ci', SUITE],
  ['docs/access.md', 'svc login ', PERSON],
  ['docs/tui.md', 'svc tui', 'needs a terminal; test/e2e/cli/tui.test.ts has one'],
  [
    'docs/access.md',
    "printf '%s",
    'needs a code of an authenticator app; test/e2e/cli/totp.test.ts makes one',
  ],
  ['docs/access.md', 'curl -fsS -X POST "$URL/auth/login"', 'shows replies with values of the reader'],
  ['docs/access.md', 'svc password change', PERSON],
  [
    'docs/access.md',
    'svc totp rotate',
    'a person types a password and codes; test/e2e/cli/totp.test.ts does it',
  ],
  ['docs/access.md', 'svc smtp set', MAIL],
  ['docs/access.md', 'svc down', LIFECYCLE],
  ['docs/brokers.md', 'npx vitest', SUITE],
  ['docs/brokers.md', 'svc broker use zerodha', 'needs an account at a broker'],
  ['docs/brokers/dhan.md', 'svc broker use dhan', 'needs an account at a broker'],
  ['docs/brokers/dhan.md', 'npx tsx test/fixtures', 'runs until it is stopped, on a fixed port'],
  ['docs/brokers.md', 'svc broker login --from', 'needs an account at a broker'],
  ['docs/brokers/zerodha.md', 'svc broker use zerodha', 'needs an account at a broker'],
  ['docs/brokers/zerodha.md', 'npx tsx test/fixtures', 'runs until it is stopped, on a fixed port'],
  ['docs/brokers/angel.md', 'svc broker use angel', 'needs an account at a broker'],
  ['docs/brokers/angel.md', 'npx tsx test/fixtures', 'runs until it is stopped, on a fixed port'],
  [
    'docs/brokers/upstox.md',
    'svc config set REDIRECT_URL',
    'stops and starts the daemon, with keys of the reader',
  ],
  ['docs/brokers/upstox.md', 'svc broker use upstox', 'needs an account at a broker'],
  ['docs/brokers/upstox.md', 'npx tsx test/fixtures', 'runs until it is stopped, on a fixed port'],
  ['docs/client.md', '', 'test/e2e/client-page.test.ts checks its types; the package is not installed here'],
  ['docs/client-calls.md', '', 'declares types'],
  ['docs/contexts.md', '', 'needs daemons elsewhere; test/cli/commands/every-context.test.ts has twenty'],
  ['docs/deployment.md', 'sudo useradd', 'needs root and systemd'],
  ['docs/deployment.md', 'podman build', 'needs a container engine and the internet'],
  ['docs/deployment.md', 'sudo systemctl stop', 'needs root and systemd'],
  ['docs/deployment.md', 'npm ci && npm pack', CHECKOUT],
  ['docs/deployment.md', 'git pull && npm ci && npm pack', CHECKOUT],
  ['docs/deployment.md', 'svc version --check', 'test/e2e/upgrade.test.ts upgrades an installed package'],
  ['docs/deployment.md', 'systemctl --user stop', 'needs a unit of systemd'],
  ['docs/deployment.md', 'systemd-run --user --scope svc upgrade', 'needs a systemd of the user'],
  ['docs/deployment.md', 'svc down\nsvc upgrade', 'test/e2e/upgrade.test.ts upgrades an installed package'],
  ['docs/deployment.md', 'svc backup && svc down', CHECKOUT],
  [
    'docs/flow-files.md',
    'svc flow init',
    'fills the folder that the other examples have; flow.test.ts runs it',
  ],
  ['docs/getting-started.md', 'npm ci', CHECKOUT],
  ['docs/getting-started.md', 'svc up --detach', PERSON],
  ['docs/getting-started.md', 'svc down', LIFECYCLE],
  ['docs/going-live.md', 'svc ', 'test/e2e/going-live.test.ts follows it'],
  ['docs/logs.md', 'svc why', 'needs ids of the reader; test/e2e/cli/why.test.ts has some'],
  ['docs/moving-from-openalgo.md', 'svc up --detach', PERSON],
  ['docs/operations.md', 'svc up --detach', LIFECYCLE],
  [
    'docs/operations.md',
    'svc order settle',
    'needs an order in doubt; test/e2e/cli/session-commands.test.ts makes one',
  ],
  ['docs/performance.md', 'npm run bench', SUITE],
  ['docs/reliability.md', 'npm test', SUITE],
  ['docs/scripts.md', '#!/usr/bin/env bash', ELSEWHERE],
  [
    'docs/scripts.md',
    '# In the pull request',
    'needs a repository; test/cli/commands/flow/plans.test.ts applies saved plans',
  ],
  [
    'docs/strategies.md',
    'svc strategy events 1 --severity critical',
    'needs a run that no start could restore; test/crash/strategy-restore.test.ts has one',
  ],
  [
    'docs/strategies.md',
    'svc strategy validate',
    'ends with 9 where something would change; test/e2e/cli/strategy.test.ts applies files',
  ],
]
/** A page whose examples take longer has one that never ends. */
const LIMIT_MS = 400_000
const used = new Set<readonly [string, string, string]>()

function isRun(page: string, example: string): boolean {
  const row = NOT_RUN.find(([name, begins]) => name === page && example.startsWith(begins))
  if (row) used.add(row)
  return row === undefined
}

/** A comment after a command may name a further exit status of it: `# exit 9 if there are any`. */
const STATUS = /^(svc [^#\n]*?) *#.*\bexit (\d+)\b.*$/gm
/** A command that follows something runs until Ctrl-C. */
const FOLLOWS = /^(svc [^#\n]*--follow\b[^#\n]*?)( *#.*)?$/gm

const asScript = (examples: readonly string[]): string =>
  examples.join('\n').replace(STATUS, '$1 || [ $? = $2 ]').replace(FOLLOWS, '$1 || [ $? = 130 ]')

const ROUTE = /`(GET|POST|PUT|DELETE) (\/[a-z][\w/:.-]*)`/g

const PAGES = documents().map(({ path, text }) => ({ name: path.slice(ROOT.length), text }))

/** Returns the examples of each page that run, with those of one language together. */
const EXAMPLES = PAGES.flatMap(({ name, text }) =>
  (Object.keys(LANGUAGES) as Language[]).flatMap((language) => {
    const block = new RegExp(`^\`\`\`(?:${LANGUAGES[language].fence})\\n([\\s\\S]*?)^\`\`\`$`, 'gm')
    const blocks = [...text.matchAll(block)]
      .map((match) => match[1] ?? '')
      .filter((example) => isRun(name, example))
    if (blocks.length === 0) return []
    return [{ name, language, script: language === 'bash' ? asScript(blocks) : blocks.join('\n') }]
  }),
)
/** The pages in the order in which they run. The examples about strategies name the first one of a new home. */
const IN_ORDER = [
  ...EXAMPLES.filter(({ name }) => name === 'docs/strategies.md'),
  ...EXAMPLES.filter(({ name }) => name !== 'docs/strategies.md'),
]
process.stdout.write(`${NOT_RUN.map((row) => `not run: ${row.join(': ')}`).join('\n')}\n`)

it('every row of the examples that do not run is an example of its page', () => {
  expect(NOT_RUN.filter((row) => !used.has(row))).toEqual([])
})

/** The pages share a daemon with a signed-in user; each page has a folder. */
let daemon: DaemonProcess
let closeProgram: (() => Promise<void>) | undefined
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
  mkdirSync(join(daemon.home, 'bin'))
  writeFileSync(join(daemon.home, 'bin', 'pass'), '#!/bin/sh\necho secret\n', { mode: 0o755 })
  closeProgram = await writeShellProgram(join(daemon.home, 'bin'), 'interrupted')
})
afterAll(async () => {
  await closeProgram?.()
  await daemon?.dispose()
})

/** Prepares for a page about workflows: its files, and some versions of one workflow. */
async function prepareFlows(folder: string): Promise<void> {
  copyFlows(join(folder, 'flows'))
  const terminal = new Terminal({ home: daemon.home, env: { SVC_TOKEN: daemon.token } })
  const apply = async (path: string) => {
    const { exit, stderr } = await terminal.svc(['flow', 'apply', path, '--yes'])
    if (exit !== 0) throw new Error(stderr)
  }
  await apply(join(folder, 'flows'))
  const text = readFileSync(join(folder, 'flows', 'opening-range-breakout.yaml'), 'utf8')
  const edited = join(tempDir(), 'opening-range-breakout.yaml')
  for (const name of ['Second', 'Third']) {
    writeFileSync(edited, text.replace(/^name: .*$/m, `name: ${name}`))
    await apply(edited)
  }
}

/** Prepares for a page about strategies: the examples, and one of them as a file of the reader. */
function prepareStrategies(folder: string): void {
  copyFlows(join(folder, 'flows'))
  copyFileSync(join(folder, 'flows', 'strategies', 'short-straddle.yaml'), join(folder, 'straddle.yaml'))
}

/** What the examples of a page find in their environment. */
const environment = (folder: string) => ({
  PATH: `${join(daemon.home, 'bin')}:${process.env.PATH}`,
  HOME: folder,
  SVC_HOME: daemon.home,
  SVC_TOKEN: daemon.token,
  SVC_API_KEY: daemon.apikey,
  URL: daemon.url,
  KEY: daemon.apikey,
  TOKEN: daemon.token,
})

for (const { name, language, script } of IN_ORDER) {
  const { command, present } = LANGUAGES[language]
  it.skipIf(!present)(`the ${language} examples of ${name} run as printed`, async () => {
    // Some pages end in Analyzer mode.
    await daemon.analyze(false)
    const folder = join(daemon.home, `${name.replaceAll('/', '-')}-${language}`)
    mkdirSync(folder)
    if (/^svc flow \w+ flows\b/m.test(script)) await prepareFlows(folder)
    if (/^svc strategy /m.test(script)) prepareStrategies(folder)
    const file = join(folder, `example.${language === 'ts' ? 'mts' : language}`)
    writeFileSync(file, script)
    const [program = '', ...options] = command
    const { stdout } = await promisify(execFile)(program, [...options, file], {
      env: environment(folder),
      cwd: folder,
      timeout: LIMIT_MS,
    })
    expect(stdout).not.toBe('')
  })
}

it('the API page shows its order in three languages', () => {
  const shown = EXAMPLES.filter(({ name }) => name === 'docs/api.md').map(({ language }) => language)
  expect(shown).toEqual(['bash', 'python', 'ts'])
})

it('every route that the pages name exists', async () => {
  const routes = PAGES.flatMap(({ text }) => [...text.matchAll(ROUTE)]).map(([, method = '', path = '']) => ({
    method,
    path,
  }))
  expect(routes.length).toBeGreaterThan(50)
  const missing: string[] = []
  for (const { method, path } of routes) {
    // An id that does not exist: an existing route then reports the id, not the path.
    const response = await fetch(daemon.url + path.replace(/:\w+/g, '0'), { method })
    const code = response.headers.get('x-svc-code')
    const isUnknownPath = code === 'not_found' && (await response.text()).includes('"path":')
    if (code === 'method_not_allowed' || isUnknownPath) missing.push(`${method} ${path}`)
  }
  expect(missing).toEqual([])
})
