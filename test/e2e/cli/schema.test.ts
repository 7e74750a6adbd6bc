import { expect, test } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

/* `svc schema` describes what `-o json` prints. */

const desk = commandDesk()

test('lists the records, and prints one by its name or with its version', async () => {
  const rows: { record: string }[] = JSON.parse((await desk.terminal.svc('schema -o json')).stdout)
  expect(rows.map(({ record }) => record)).toEqual(expect.arrayContaining(['order', 'why', 'approval']))
  const { stdout } = await desk.terminal.svc('schema why')
  expect(JSON.parse(stdout)).toMatchObject({ $id: 'svc/why/1', title: 'why' })
  expect((await desk.terminal.svc('schema why/1')).stdout).toBe(stdout)
  expect((await desk.terminal.svc('schema why/9')).exit).toBe(4)
  expect((await desk.terminal.svc('schema nothing')).exit).toBe(4)
})
