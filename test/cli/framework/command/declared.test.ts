import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* What every declared command does, shown on commands that have each member. */

const STRADDLE = JSON.stringify({
  name: 'Morning straddle',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  entry_time: '09:20',
  exit_time: '15:15',
  legs: [{ segment: 'options', position: 'S', lots: 1, option_type: 'CE', expiry: 'weekly' }],
})

describe('a declared command', () => {
  it('shows the parts of an object after its fields, in a document only within it', async () => {
    const desk = await CliDesk.open()
    expect(await desk.svc('strategy create -', { stdin: STRADDLE })).toMatchObject({ exit: 0 })
    const shown = await desk.svc('strategy show 1')
    expect(shown.stdout).toMatch(/^name\tMorning straddle$/m)
    expect(shown.stdout).toMatch(/\n\n1\toptions\tS\t1\tCE\tweekly/)
    const document = JSON.parse((await desk.svc('strategy show 1 --json')).stdout)
    expect(document.legs).toHaveLength(1)
    expect((await desk.svc('strategy show 1 --columns name')).stdout).toBe('name\tMorning straddle\n')
  })

  it('chooses between two calls by the words of its line', async () => {
    const desk = await CliDesk.open()
    const before = await desk.svc('ban settings -o csv')
    expect(before.stdout).toContain('404_threshold,100,')
    const changed = await desk.svc('ban settings 404_threshold=50 -o csv')
    expect(changed.stdout).toBe(before.stdout.replace('404_threshold,100,', '404_threshold,50,'))
    expect(await desk.svc('ban settings -o csv')).toEqual(changed)
  })

  it('chooses between two views by the format', async () => {
    const desk = await CliDesk.open()
    expect((await desk.svc('risk show')).stdout).toMatch(/^max_order_value\t/m)
    expect(JSON.parse((await desk.svc('risk show --json')).stdout)).toHaveProperty('rules.max_order_value')
  })

  it('changes nothing before the word that it asks for', async () => {
    const desk = await CliDesk.open()
    expect(await desk.svc('risk kill')).toMatchObject({ exit: 0 })
    expect(await desk.svc('risk resume')).toMatchObject({ exit: 2, stdout: '' })
    expect(await desk.svc('risk resume', { answers: ['resume'] })).toMatchObject({ exit: 1, stdout: '' })
    expect(JSON.parse((await desk.svc('risk show --json')).stdout)).toMatchObject({
      kill_switch: { on: true },
    })
    expect(await desk.svc('risk resume', { answers: ['RESUME'] })).toMatchObject({ exit: 0 })
    expect(JSON.parse((await desk.svc('risk show --json')).stdout)).toMatchObject({
      kill_switch: { on: false },
    })
  })

  it('writes a long text to stdout, or to a new file', async () => {
    const desk = await CliDesk.open()
    const { stdout } = await desk.svc('log export')
    const file = join(desk.home, 'orders.csv')
    expect(await desk.svc(`log export --file ${file}`)).toEqual({
      exit: 0,
      stdout: '',
      stderr: `Written to ${file}.\n`,
    })
    expect(readFileSync(file, 'utf8')).toBe(stdout)
    const again = await desk.svc(`log export --file ${file}`)
    expect(again).toMatchObject({ exit: 1, stdout: '' })
    expect(again.stderr).toContain('it exists')
    expect(existsSync(file)).toBe(true)
  })

  it('says on a terminal that a request takes long, and nothing in a script', async () => {
    const desk = await CliDesk.open()
    expect((await desk.svc('broker sync', { answers: [] })).stderr).toBe('Loading instruments …\n')
    expect((await desk.svc('broker sync')).stderr).toBe('')
  })
})
