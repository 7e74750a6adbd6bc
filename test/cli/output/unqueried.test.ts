import { expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

test('a schema is filtered by --jq and --template, and printed unchanged without them', async () => {
  const desk = await CliDesk.open()
  const plain = await desk.svc('schema order')
  expect(JSON.parse(plain.stdout)).toMatchObject({ $id: 'svc/order/1' })
  expect(await desk.svc('schema order --json')).toEqual(plain)
  expect(await desk.svc('schema order --jq type')).toMatchObject({ exit: 0, stdout: 'object\n' })
  expect(await desk.svc('schema order --template {{$id}}')).toMatchObject({ exit: 0, stdout: 'svc/order/1' })
  expect(await desk.svc('schema order --template {{status}}')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--template: there is no field "status". Fields: $schema, $id'),
  })
  expect(await desk.svc('flow schema --jq type')).toMatchObject({ exit: 0, stdout: 'object\n' })
})

test.each(['--jq .x', '--template {{x}}'])(
  'a text that is no record says that %s has no effect',
  async (query) => {
    const desk = await CliDesk.open()
    const { exit, stdout, stderr } = await desk.svc(`completion bash ${query}`)
    expect([exit, stdout.length > 0]).toEqual([0, true])
    expect(stderr).toContain(
      `--${query.slice(2).split(' ')[0]} has no effect: this command prints a text, not a record`,
    )
  },
)

test('a record that was filtered, and a change that was told, have no such warning', async () => {
  const desk = await CliDesk.open()
  for (const line of ['status --jq .state', 'order list --jq length', 'analyze on --template {{mode}}']) {
    expect([line, (await desk.svc(line)).stderr]).toEqual([line, expect.not.stringContaining('no effect')])
  }
})
