import { expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

test('a symbol that is not found is said in the same words everywhere', async () => {
  const desk = await CliDesk.open()
  const said = 'Symbol SBNI not found on NSE.'
  for (const line of [
    'quote SBNI',
    'depth SBNI NSE',
    'symbol SBNI NSE',
    'order place SBNI NSE BUY 1 --yes',
  ]) {
    const { exit, stderr } = await desk.svc(line)
    expect([line, exit, stderr]).toEqual([line, 4, expect.stringContaining(said)])
    expect(stderr).toContain('Look it up: svc search SBNI')
    expect(stderr).not.toContain('master contracts')
  }
})
