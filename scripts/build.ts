// Writes dist/: the command in as few files as possible, and the client library. Node spends half of a start
// on finding and reading a thousand modules one by one; from a bundle the daemon starts in half the time.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { BUILT_SCRIPT, compressedPackage } from '../src/daemon/openapi/reference-script.js'
import { bundled } from './bundled.js'

/** A build that fails or is interrupted leaves the existing dist/ unchanged. */
const NEXT = 'dist.next'
const FORMER = 'dist.former'

remove(NEXT, FORMER)
// A module that a command loads on demand stays a separate file.
await build({ ...bundled, entryPoints: ['src/cli/main.ts'], outdir: `${NEXT}/svc`, splitting: true })
// The code reads the migrations beside itself, as it does in the sources.
cpSync('src/core/storage/migrations', `${NEXT}/svc/migrations`, { recursive: true })
// The renderer of the API reference: only its browser script goes into the package.
writeFileSync(`${NEXT}/svc/${BUILT_SCRIPT}`, await compressedPackage())
// A library does not bundle its dependencies: the user's package manager installs them.
await build({
  ...bundled,
  entryPoints: ['src/client/index.ts'],
  outdir: `${NEXT}/client`,
  banner: {},
  packages: 'external',
})
execFileSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.build.json', '--outDir', NEXT], {
  stdio: 'inherit',
})
if (existsSync('dist')) renameSync('dist', FORMER)
renameSync(NEXT, 'dist')
remove(FORMER)

function remove(...folders: string[]): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
