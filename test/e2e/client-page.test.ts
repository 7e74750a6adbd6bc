import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { tempDir } from '../support/files/temp.js'

const run = promisify(execFile)
const ROOT = new URL('../..', import.meta.url).pathname

/** The examples of docs/client.md, one after the other: each goes on from those before it. */
const EXAMPLES = [...readFileSync(join(ROOT, 'docs/client.md'), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].map(
  ([, text = '']) => text,
)

/** A folder of a user's program, beside which the package is installed. */
function program(text: string): string {
  const folder = tempDir()
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'program.ts'), text)
  const modules = join(folder, 'node_modules')
  symlinkSync(join(ROOT, 'node_modules'), modules)
  return folder
}

/** Returns what the compiler says of a program, which it checks with all declarations. */
async function complaints(text: string): Promise<string> {
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2023', '--lib', 'es2023']
  const modules = ['--module', 'nodenext', '--types', 'node']
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const checked = run(process.execPath, [tsc, ...options, ...modules, 'program.ts'], { cwd: program(text) })
  return checked.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

/** Makes the package's own name lead to the build, as an installed package does. */
const IMPORT = `from '${join(ROOT, 'dist/client/index.js')}'`
const installed = (text: string) => text.replaceAll("from 'svc-desk'", IMPORT)

it('the examples of the page of the client are right for the compiler', async () => {
  expect(EXAMPLES.length).toBeGreaterThan(5)
  expect(await complaints(installed(EXAMPLES.join('\n')))).toBe('')
})

it('the compiler refuses an unknown call, a wrong field and a wrong option', async () => {
  const [begin = ''] = EXAMPLES
  const wrong = [
    "await svc.call('placeorders', {})",
    "await svc.call('quotes', { symbol: 'SBIN', exchange: 'NYSE' })",
    "await svc.call('ping', {}, { idempotencykey: 'k' })",
  ]
  const said = await complaints(installed([begin, ...wrong].join('\n')))
  expect(said.match(/program\.ts\(\d+/g)).toHaveLength(wrong.length)
})
