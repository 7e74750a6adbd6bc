// Writes dist/: the command in as few files as it can be loaded from, and the client library. Node spends half of a start
// on finding and reading a thousand modules one by one; out of a bundle the daemon is there in half the time.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { bundled } from './bundled.js'

/** A build that fails, or is interrupted, leaves what is there as it was. */
const NEXT = 'dist.next'
const FORMER = 'dist.former'

remove(NEXT, FORMER)
// What a command loads on demand stays a file of its own.
await build({ ...bundled, entryPoints: ['src/cli/main.ts'], outdir: `${NEXT}/svc`, splitting: true })
// Read beside the code, as among the sources.
cpSync('src/core/storage/migrations', `${NEXT}/svc/migrations`, { recursive: true })
// A library leaves its dependencies to whoever installs it.
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
