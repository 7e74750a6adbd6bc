import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

const plugin = z
  .union([
    z.string().transform((path) => ({ path })),
    z.object({ path: z.string(), includes: z.array(z.string()) }),
  ])
  .array()

/** The rules of lint/ as `npm run lint` uses them. */
const { plugins: RULES } = z.object({ plugins: plugin }).parse(JSON.parse(readFileSync('biome.json', 'utf8')))

/** An expression in a file below src/. */
export interface Planted {
  file: string
  expression: string
}

/** Returns the files that a rule of lint/ reports, sorted, and the errors of the rule itself. */
export function lintPlanted(
  name: string,
  planted: readonly Planted[],
): { found: readonly string[]; broken: readonly string[] } {
  const rule = RULES.find(({ path }) => path === `./lint/${name}.grit`)
  if (rule === undefined) throw new Error(`biome.json does not use lint/${name}.grit`)
  const directory = mkdtempSync(join(tmpdir(), 'svc-lint-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const { file, expression } of planted) {
    const path = join(directory, 'src', file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `export const planted = () => {\n  return ${expression}\n}\n`)
  }
  const config = {
    plugins: [{ ...rule, path: resolve(rule.path) }],
    linter: { rules: { recommended: false } },
  }
  writeFileSync(join(directory, 'biome.json'), JSON.stringify(config))
  const { stdout, stderr } = spawnSync(
    resolve('node_modules/.bin/biome'),
    ['lint', '--reporter=github', '--max-diagnostics=none', 'src'],
    { cwd: directory, encoding: 'utf8' },
  )
  const lines = `${stdout}\n${stderr}`.split('\n')
  const reported = lines.flatMap(
    (line) => /^::error title=plugin,file=.*?\/src\/([^,]+),/.exec(line)?.[1] ?? [],
  )
  return {
    found: [...new Set(reported)].sort(),
    broken: lines.filter((line) => line.includes('errored') || line.includes('loading of plugins')),
  }
}
