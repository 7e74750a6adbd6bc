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
  expect([script.exit, script.stderr]).toEqual([
    2,
    expect.stringContaining('--yes does not answer this: pass --confirm BAN.'),
  ])
  expect(isBanned()).toBe(false)
  expect((await svc(`${command} ${address}`, ['y', 'BAN'])).exit).toBe(0)
  expect(isBanned()).toBe(true)
})

test.each(['ban add', 'ban add-host'])(
  'a script bans its own address with %s --confirm BAN alone',
  async (command) => {
    const { svc, isBanned } = await desk()
    const wrong = await svc(`${command} ${OWN} --confirm yes`)
    expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining('--confirm must be BAN')])
    expect(isBanned()).toBe(false)
    expect((await svc(`${command} ${OWN} --confirm BAN`)).exit).toBe(0)
    expect(isBanned()).toBe(true)
  },
)

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])(
  'the machine itself, %s, is refused before anybody is asked',
  async (address) => {
    const { svc } = await desk()
    for (const answers of [undefined, []]) {
      const { exit, stderr } = await svc(`ban add ${address}`, answers)
      expect([exit, stderr]).toEqual([5, expect.stringContaining('Cannot ban localhost')])
    }
  },
)

test('a banned client is told so, and where to lift the ban', async () => {
  const { svc } = await desk()
  await svc(`ban add ${OWN} --confirm BAN`)
  for (const command of ['ban list', 'broker use zerodha', 'order list']) {
    const { exit, stderr } = await svc(command)
    expect([exit, stderr]).toEqual([3, expect.stringMatching(/ has banned your address\./)])
    expect(stderr).toContain("On the daemon's machine: svc ban list, then svc ban remove ADDRESS")
  }
})
