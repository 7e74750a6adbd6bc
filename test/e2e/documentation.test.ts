import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { documents, ROOT } from '../../scripts/docs/documents.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/** The first failing command ends the script, and the settings of the user do not apply. */
const STRICT = ['--norc', '--noprofile', '-euo', 'pipefail']

/**
 * The languages of the examples: the mark of an example that the test runs, and the program that runs its
 * file.
 */
const LANGUAGES = {
  bash: { mark: '# tested', command: ['bash', ...STRICT], present: true },
  python: {
    mark: '# tested',
    command: ['python3', '-I'],
    present: spawnSync('python3', ['-V']).status === 0,
  },
  ts: { mark: '// tested', command: [join(ROOT, 'node_modules', '.bin', 'tsx')], present: true },
} as const
type Language = keyof typeof LANGUAGES

const ROUTE = /`(GET|POST|PUT|DELETE) (\/[a-z][\w/:.-]*)`/g

const PAGES = documents().map(({ path, text }) => ({ name: path.slice(ROOT.length), text }))

/** Returns the marked examples of each page unchanged, with those of one language together. */
const EXAMPLES = PAGES.flatMap(({ name, text }) =>
  (Object.keys(LANGUAGES) as Language[]).flatMap((language) => {
    const block = new RegExp(`^\`\`\`${language}\\n${LANGUAGES[language].mark}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')
    const blocks = [...text.matchAll(block)].map((match) => match[1] ?? '')
    return blocks.length > 0 ? [{ name, language, script: blocks.join('\n') }] : []
  }),
)

/** The state that the pages assume: a running daemon and a signed-in user. */
async function signedIn() {
  const daemon = await DaemonProcess.ready()
  onTestFinished(() => daemon.dispose())
  const env = {
    PATH: `${join(ROOT, 'bin')}:${process.env.PATH}`,
    HOME: daemon.home,
    SVC_HOME: daemon.home,
    SVC_TOKEN: daemon.token,
    SVC_API_KEY: daemon.apikey,
    URL: daemon.url,
    KEY: daemon.apikey,
    TOKEN: daemon.token,
  }
  return { daemon, env }
}

for (const { name, language, script } of EXAMPLES) {
  const { command, present } = LANGUAGES[language]
  it.skipIf(!present)(`the ${language} examples of ${name} run as printed`, async () => {
    const { daemon, env } = await signedIn()
    const file = join(daemon.home, `example.${language === 'ts' ? 'mts' : language}`)
    writeFileSync(file, script)
    const [program = '', ...options] = command
    const { stdout } = await promisify(execFile)(program, [...options, file], { env, cwd: daemon.home })
    expect(stdout).not.toBe('')
  })
}

it('the API page shows its order in three languages', () => {
  const shown = EXAMPLES.filter(({ name }) => name === 'docs/api.md').map(({ language }) => language)
  expect(shown).toEqual(['bash', 'python', 'ts'])
})

it('every route that the pages name exists', async () => {
  const { daemon } = await signedIn()
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
