import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const ROOT = new URL('../..', import.meta.url).pathname

/** The files of the package, and a folder with the package as npm unpacks it, beside its dependencies. */
let files: string[]
let installed: string

beforeAll(async () => {
  installed = await mkdtemp(join(tmpdir(), 'svc-package-'))
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', installed],
    {
      cwd: ROOT,
    },
  )
  const [packed]: { filename: string; files: { path: string }[] }[] = JSON.parse(stdout)
  if (!packed) throw new Error('npm packed nothing')
  files = packed.files.map(({ path }) => path)
  await run('tar', ['xzf', packed.filename, '--strip-components=1'], { cwd: installed })
  await linkDependencies()
})

/** Gives the package the dependencies that npm would install for it, and no other. */
async function linkDependencies(): Promise<void> {
  const lock: { packages: Record<string, { dev?: true }> } = JSON.parse(
    await readFile(join(ROOT, 'package-lock.json'), 'utf8'),
  )
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    // A nested dependency comes with the folder that it lies in; one for another platform is not there.
    if (dev || path.split('node_modules/').length !== 2 || !existsSync(join(ROOT, path))) continue
    await mkdir(dirname(join(installed, path)), { recursive: true })
    await symlink(join(ROOT, path), join(installed, path))
  }
}

afterAll(() => rm(installed, { recursive: true, force: true }))

describe('the package', () => {
  test('contains the program, the client with its types, the docs and the example workflows', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        ...[
          'package.json',
          'README.md',
          'LICENSE',
          'CHANGELOG.md',
          'bin/svc',
          'dist/svc/main.js',
          'dist/svc/program.cjs',
          'dist/svc/api-reference.js.gz',
        ],
        ...['dist/client/index.js', 'dist/client/index.d.ts'],
        ...['docs/cli.md', 'docs/api.md', 'flows/flow.schema.json', 'flows/kill-switch.yaml'],
      ]),
    )
    expect(files.filter((file) => /^dist\/svc\/migrations\/.*\.sql$/.test(file))).toHaveLength(
      readdirSync('src/core/storage/migrations', { recursive: true, encoding: 'utf8' }).filter((file) =>
        file.endsWith('.sql'),
      ).length,
    )
  })

  test('contains no sources, tests, tools, source maps or snapshots of tables', () => {
    expect(files.filter((file) => /\.map$|_snapshot\.json$/.test(file))).toEqual([])
    const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]))
    expect([...folders].sort()).toEqual(['bin', 'deploy', 'dist', 'docs', 'flows'])
  })

  test('runs without the checkout: the demonstration places, approves and fills orders', async () => {
    const home = await mkdtemp(join(installed, 'home-'))
    const { stdout } = await run(process.execPath, [join(installed, 'bin/svc'), 'demo'], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, SVC_HOME: home },
    })
    expect(stdout).toContain('Order approved and executed successfully')
  })
})
