// Writes dist/: the command in as few files as possible, and the client library. Node spends half of a start
// on finding and reading a thousand modules one by one; from a bundle the daemon starts in half the time.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { fileOf } from '../src/cli/compiled-program.js'
import type { ProgramName } from '../src/cli/programs.js'
import { BUILT_SCRIPT, compressedPackage } from '../src/daemon/openapi/reference-script.js'
import { bundled, PROGRAMS } from './bundled.js'

/** A build that fails or is interrupted leaves the existing dist/ unchanged. */
const NEXT = 'dist.next'
const FORMER = 'dist.former'

remove(NEXT, FORMER)
const declarations = once(
  spawn(process.execPath, ['--import', 'tsx', 'scripts/client/declarations.ts', `${NEXT}/client`], {
    stdio: 'inherit',
  }),
  'close',
)
// A module that a command loads on demand stays a separate file.
await build({ ...bundled, entryPoints: ['src/cli/main.ts'], outdir: `${NEXT}/svc`, splitting: true })
// The code reads the migrations beside itself, as it does in the sources. Only their generator reads the snapshots.
cpSync('src/core/storage/migrations', `${NEXT}/svc/migrations`, {
  recursive: true,
  filter: (path) => !path.endsWith('_snapshot.json'),
})
// The renderer of the API reference: only its browser script goes into the package.
writeFileSync(`${NEXT}/svc/${BUILT_SCRIPT}`, await compressedPackage())
for (const name of ['program', 'commands'] as const) {
  await build({ ...PROGRAMS[name], outfile: `${NEXT}/svc/${fileOf(name)}` })
  compile(name)
}
// A library does not bundle its dependencies: the user's package manager installs them.
await build({
  ...bundled,
  entryPoints: ['src/client/index.ts'],
  outdir: `${NEXT}/client`,
  banner: {},
  packages: 'external',
})
const [status] = await declarations
if (status !== 0) throw new Error('the declarations of the client library could not be written')
if (existsSync('dist')) renameSync('dist', FORMER)
renameSync(NEXT, 'dist')
remove(FORMER)

/** A program that cannot run here, for example without a binary of SQLite, does not stop the build. */
function compile(name: ProgramName): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', `scripts/compile-${name}.ts`, `${NEXT}/svc`],
    {
      env: { PATH: process.env.PATH, HOME: NEXT },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: 60_000,
    },
  )
  if (status !== 0) {
    process.stderr.write(`${stderr}"${name}" could not be compiled in advance; it starts more slowly.\n`)
  }
}

function remove(...folders: string[]): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
