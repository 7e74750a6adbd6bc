import { expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

const NEVER = 'It never expires: --expires 90d would give it an end.'

test('a token without an expiry says so when it is made, and svc whoami says it too', async () => {
  const desk = await CliDesk.open()
  const made = await desk.svc('token create --name nightly --scope read')
  expect([made.exit, made.stderr]).toEqual([0, expect.stringContaining(NEVER)])
  const env = { SVC_TOKEN: cellNamed('token', made.stdout) }
  const { exit, stdout, stderr } = await desk.svc('whoami', { env })
  expect([exit, cellNamed('kind', stdout), cellNamed('expires_at', stdout)]).toEqual([0, 'token', ''])
  expect(stderr).toBe('The token never expires: svc token list\n')
})

test('a scope that there is none of is refused with the one that was meant', async () => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc('token create --name nightly --scope read,order')
  expect([exit, stderr]).toEqual([2, expect.stringContaining('--scope: "order" is no scope.')])
  expect(stderr).toContain('Did you mean orders?')
  expect((await desk.svc('token list -q')).stdout).toBe('')
})

test('svc whoami shows when a token expires', async () => {
  const desk = await CliDesk.open()
  const made = await desk.svc('token create --name nightly --scope read --expires 2d')
  expect(made.stderr).not.toContain(NEVER)
  const env = { SVC_TOKEN: cellNamed('token', made.stdout) }
  const { stdout, stderr } = await desk.svc('whoami', { env })
  expect(cellNamed('expires_at', stdout)).toBe(cellNamed('expires_at', made.stdout))
  expect(cellNamed('expires_at', stdout)).toMatch(/^20/)
  expect(stderr).toBe('')
  expect(cellNamed('expires_at', (await desk.svc('whoami')).stdout)).not.toBe('')
})

/** Returns a field of a record in a pipe. */
function cellNamed(field: string, stdout: string): string {
  const line = stdout.split('\n').find((one) => one.startsWith(`${field}\t`))
  return line?.split('\t')[1] ?? 'missing'
}
