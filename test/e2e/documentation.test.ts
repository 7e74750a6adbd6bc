import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { documents, ROOT } from '../../scripts/docs/documents.js'
import { DaemonProcess } from '../support/daemon-process.js'

const TESTED = /^```bash\n# tested\n([\s\S]*?)^```$/gm
/** The first command that fails ends the script; nobody's own settings have a say. */
const STRICT = ['--norc', '--noprofile', '-euo', 'pipefail']
const ROUTE = /`(GET|POST|PUT|DELETE) (\/[a-z][\w/:.-]*)`/g

const PAGES = documents().map(({ path, text }) => ({ name: path.slice(ROOT.length), text }))
const EXAMPLES = PAGES.flatMap(({ name, text }) => {
  const blocks = [...text.matchAll(TESTED)].map((match) => match[1] ?? '')
  return blocks.length > 0 ? [[name, blocks.join('\n')] as const] : []
})

/** What the pages assume: a daemon that runs, a user who is signed in. */
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
    TOKEN: daemon.token,
  }
  return { daemon, env }
}

it.each(EXAMPLES)('the examples of %s run as they are printed', async (_name, script) => {
  const { env } = await signedIn()
  const { stdout } = await promisify(execFile)('bash', [...STRICT, '-c', script], { env })
  expect(stdout).not.toBe('')
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
    // An id that nothing has: what exists answers about the id, not about the path.
    const reply = await daemon.send<{ path?: string }>(path.replace(/:\w+/g, '0'), { method })
    if (reply.code === 'method_not_allowed' || reply.body.path !== undefined)
      missing.push(`${method} ${path}`)
  }
  expect(missing).toEqual([])
})
