import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { tempDir } from '../../../support/files/temp.js'

const FLOWS = join(import.meta.dirname, '../../../../flows')

test('flow validate finds scenarios without a workflow, as flow test does', async () => {
  const desk = await CliDesk.open()
  const folder = tempDir()
  const copy = (name: string) => writeFileSync(join(folder, name), readFileSync(join(FLOWS, name)))
  copy('webhook-order.test.yaml')
  const missing = `There is no workflow for ${join(folder, 'webhook-order.test.yaml')}`
  for (const command of ['validate', 'test']) {
    const { exit, stderr, stdout } = await desk.svc(`flow ${command} ${folder}`)
    expect([command, exit, stdout + stderr]).toEqual([command, 2, expect.stringContaining(missing)])
  }
  copy('webhook-order.yaml')
  expect(await desk.svc(`flow validate ${folder}`)).toMatchObject({ exit: 0 })
})
