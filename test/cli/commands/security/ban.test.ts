import { expect, onTestFinished, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { Gateway } from '../../../support/traffic/gateway.js'

const OWN = '198.51.100.7'

/** The commands, called from an address behind a proxy. */
async function desk() {
  const cli = await CliDesk.open({ env: { TRUST_PROXY_HEADERS: 'true' } })
  const gateway = await Gateway.before(() => cli.url)
  onTestFinished(() => gateway.close())
  gateway.client = OWN
  const env = { SVC_URL: gateway.url, SVC_TOKEN: await cli.http.tokenOf('admin') }
  const svc = (line: string, answers?: readonly string[]) =>
    cli.svc(line, { env, ...(answers && { answers }) })
  return { svc, isBanned: () => cli.service.security.bans.isBanned(OWN) }
}

test.each([
  ['ban add', `::ffff:${OWN}`],
  ['ban add-host', OWN],
])('%s asks for the word before it bans the own address %s', async (command, address) => {
  const { svc, isBanned } = await desk()
  const left = await svc(`${command} ${address}`, ['y', 'y'])
  expect([left.exit, left.stderr]).toEqual([1, expect.stringContaining(`${OWN} is your own address`)])
  expect(left.stderr).toMatch(/You will be locked out until [\d-]+ [\d:]+ IST/)
  const script = await svc(`${command} ${address} --yes`)
  expect([script.exit, script.stderr]).toEqual([2, expect.stringContaining('Pass --confirm BAN.')])
  expect(isBanned()).toBe(false)
  expect((await svc(`${command} ${address}`, ['y', 'BAN'])).exit).toBe(0)
  expect(isBanned()).toBe(true)
})

test('a script bans its own address with --confirm BAN', async () => {
  const { svc, isBanned } = await desk()
  expect((await svc(`ban add-host ${OWN} --yes --confirm BAN`)).exit).toBe(0)
  expect(isBanned()).toBe(true)
})
