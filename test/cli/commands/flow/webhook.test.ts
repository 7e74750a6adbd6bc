import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* What a command prints may end up in the log of a build: token and secret of a webhook are masked until somebody asks for them. */

async function withWebhook(): Promise<CliDesk> {
  const desk = await CliDesk.open()
  expect(await desk.svc('flow apply flows/webhook-order.yaml --yes')).toMatchObject({ exit: 0 })
  return desk
}

test.each(['payload', 'url', 'signed'])(
  'show and rotate mask token and secret of calls by %s, in every format',
  async (type) => {
    const desk = await withWebhook()
    await desk.svc(`flow webhook auth-type webhook-order ${type}`)
    const reveal = async () => {
      const { stdout } = await desk.svc('flow webhook show webhook-order --reveal -o json')
      const { webhook_token, webhook_secret, webhook_signing_secret } = JSON.parse(stdout)
      return [webhook_token, webhook_secret, webhook_signing_secret].filter((one) => one !== null).map(String)
    }
    const before = await reveal()
    expect(before).toHaveLength(type === 'signed' ? 3 : 2)
    let shown = ''
    for (const line of [
      'show webhook-order',
      'rotate webhook-order --secret-only --yes',
      'rotate webhook-order --yes',
    ]) {
      for (const format of ['', ' -o json', ' -o csv', ' -o yaml']) {
        const { exit, stdout, stderr } = await desk.svc(`flow webhook ${line}${format}`)
        expect([line, format, exit]).toEqual([line, format, 0])
        shown += stdout + stderr
        for (const secret of await reveal()) expect(stdout + stderr).not.toContain(secret)
      }
    }
    for (const secret of before) expect(shown).not.toContain(secret)
    expect(shown).toMatch(/webhook_url\t\S*\/flow\/webhook\/[^\s…]+…/)
  },
)

test('-q prints what it is asked for, or nothing: a script would take a masked address for one', async () => {
  const desk = await withWebhook()
  for (const line of ['show webhook-order', 'rotate webhook-order --yes']) {
    const { exit, stdout, stderr } = await desk.svc(`flow webhook ${line} -q`)
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining('Pass --reveal.')])
  }
  const address = (await desk.svc('flow webhook show webhook-order --reveal -q')).stdout
  expect(address).toMatch(/^\S*\/flow\/webhook\/[^\s…]+\n$/)
  for (const line of ['enable', 'disable', 'auth-type']) {
    const { exit, stdout } = await desk.svc(
      `flow webhook ${line} webhook-order ${line === 'auth-type' ? 'url' : ''} -q`,
    )
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^\d+\n$/)])
  }
})
