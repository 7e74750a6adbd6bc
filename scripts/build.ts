// Writes dist/: the command in as few files as it can be loaded from, and the client library. Node spends half of a start
// on finding and reading a thousand modules one by one; out of a bundle the daemon is there in half the time.
import { cpSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { bundled } from './bundled.js'

rmSync('dist', { recursive: true, force: true })

// What a command loads on demand stays a file of its own.
await build({ ...bundled, entryPoints: ['src/cli/main.ts'], outdir: 'dist/svc', splitting: true })
// A library leaves its dependencies to whoever installs it.
await build({
  ...bundled,
  entryPoints: ['src/client/index.ts'],
  outdir: 'dist/client',
  banner: {},
  packages: 'external',
})

// Read beside the code, as among the sources. Copied last: their presence says that everything was built.
cpSync('src/core/storage/migrations', 'dist/svc/migrations', { recursive: true })
