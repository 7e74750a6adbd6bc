import { expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

test.each(['order list -o xml', 'status --output=xml', 'flow list -o JSON'])(
  'an output that does not exist leads to the page of those that do: svc %s',
  async (line) => {
    const desk = await CliDesk.open()
    const { exit, stderr } = await desk.svc(line)
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(/Allowed choices are table, wide, json, .*\. See: svc help output\n$/),
    ])
    expect((await desk.svc('help output')).stdout).toContain('jsonl')
  },
)
