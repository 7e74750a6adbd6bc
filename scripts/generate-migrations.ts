// Writes the migration of each database whose tables have changed since the last one.
import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const STORAGE = 'src/core/storage'

for (const database of ['svc', 'sandbox', 'logs']) {
  const out = join(STORAGE, 'migrations', database)
  const schema = join(STORAGE, 'tables', database, '*.ts')
  execFileSync('npx', ['drizzle-kit', 'generate', '--dialect=sqlite', `--schema=${schema}`, `--out=${out}`], {
    stdio: 'inherit',
  })
  // The next migration is the difference to the newest snapshot; nobody reads the others.
  const snapshots = readdirSync(join(out, 'meta')).filter((name) => name.endsWith('_snapshot.json'))
  for (const name of snapshots.sort().slice(0, -1)) rmSync(join(out, 'meta', name))
}
