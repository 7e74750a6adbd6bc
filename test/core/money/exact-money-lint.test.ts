import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const FORBIDDEN = {
  'a product': 'price * quantity',
  'a quotient': 'total / quantity',
  'a power': '10 ** quantity',
  'a product of calls': 'Number(price) * Math.abs(quantity)',
  'a product assigned': 'price *= 1.5',
  'a quotient assigned': 'price /= quantity',
  'a rounding': 'Math.round(price)',
  'a rounding down': 'Math.floor(price)',
  'a rounding up': 'Math.ceil(price)',
  'a cutting off': 'Math.trunc(price)',
  'a function that rounds': '[price].map(Math.round)',
  'a decimal text': 'price.toFixed(2)',
  'a parsed float': "parseFloat('1.5')",
  'a float parsed by Number': "Number.parseFloat('1.5')",
  'a sum of rupees': 'fromMoney(1n) + fromMoney(2n)',
  'a difference of rupees': 'price - toRupees(2n)',
}

const ALLOWED = {
  'a product of bigints': 'amount * 10n',
  'a quotient of bigints': 'amount / BigInt(quantity)',
  'a bigint that grows': 'amount *= 10n',
  'a product of literals': '15 * 60_000',
  time: 'quantity * SECOND_MS',
  'a sum': 'price + quantity',
  'a function of the money module': 'timesQuantity(amount, quantity)',
}

const NOT_LEDGERS = [
  'options/pricing/black76.ts',
  'flows/indicators/trend.ts',
  'money/quantity.ts',
  'sandbox/engine/order-ids.ts',
  'brokers/simulated/market/pricer.ts',
]
const LEDGERS = [
  'sandbox/ledger.ts',
  'sandbox/deeper/one.ts',
  'orders/account/account-views.ts',
  'risk/day-counts.ts',
  'approvals/drift.ts',
  'brokers/simulated/exchange/account.ts',
]

/** The lint rule as `npm run lint` uses it. */
const RULE = z
  .object({ plugins: z.array(z.unknown()) })
  .transform(({ plugins }) => plugins.find((plugin) => JSON.stringify(plugin).includes('exact-money')))
  .pipe(z.object({ path: z.string(), includes: z.array(z.string()) }))
  .parse(JSON.parse(readFileSync('biome.json', 'utf8')))

const directory = mkdtempSync(join(tmpdir(), 'svc-lint-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function plant(file: string, expression: string): void {
  const path = join(directory, 'src/core', file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `export const planted = () => {\n  return ${expression}\n}\n`)
}

/** The files a rule of lint/ reports, and the errors of the rule itself. */
function lint(): { found: string[]; broken: string[] } {
  const plugins = [{ ...RULE, path: resolve(RULE.path) }]
  const config = { plugins, linter: { rules: { recommended: false } } }
  writeFileSync(join(directory, 'biome.json'), JSON.stringify(config))
  const { stdout, stderr } = spawnSync(
    resolve('node_modules/.bin/biome'),
    ['lint', '--reporter=github', '--max-diagnostics=none', 'src'],
    { cwd: directory, encoding: 'utf8' },
  )
  const lines = `${stdout}\n${stderr}`.split('\n')
  const fileOf = (line: string) => /src\/core\/([^,]+),/.exec(line)?.[1] ?? line
  return {
    found: [...new Set(lines.filter((line) => line.includes('Count money')).map(fileOf))].sort(),
    broken: lines.filter((line) => line.includes('errored') || line.includes('loading of plugins')),
  }
}

describe('the rule against floats', () => {
  it('reports them in money code and nowhere else', () => {
    const forms = (cases: Record<string, string>) =>
      Object.entries(cases).map(([name, expression]) => ({
        file: `sandbox/${name.replaceAll(' ', '-')}.ts`,
        expression,
      }))
    const [forbidden, allowed] = [forms(FORBIDDEN), forms(ALLOWED)]
    for (const { file, expression } of [...forbidden, ...allowed]) plant(file, expression)
    for (const file of [...NOT_LEDGERS, ...LEDGERS]) plant(file, 'price * quantity')
    expect(lint()).toEqual({
      found: [...forbidden.map(({ file }) => file), ...LEDGERS].sort(),
      broken: [],
    })
  })
})
