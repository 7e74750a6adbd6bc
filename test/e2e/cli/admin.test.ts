import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { tempDir } from '../../support/files/temp.js'

/* Freeze quantities, holidays and trading hours with the built program. */
const desk = commandDesk()

const freeze = async () =>
  (
    await desk.terminal.json<{ symbol: string; freeze_qty: number }[]>('admin freeze list --exchange BFO')
  ).map(({ symbol, freeze_qty }) => [symbol, freeze_qty])

it('svc admin freeze upload replaces an exchange, or names the rows that it cannot use', async () => {
  const { terminal } = desk
  const file = join(tempDir(), 'freeze.csv')
  const before = await freeze()
  writeFileSync(file, 'SYMBOL,VOL_FRZ_QTY\nSENSEX,many\nBANKEX,5\n\u001b[31mRED,1\n')
  const refused = await terminal.svc(`admin freeze upload BFO ${file} --yes`)
  expect(refused.exit).toBe(2)
  expect(refused.stderr).toContain(
    '  line 2: Quantity "many": Must be a whole number from 1 to 1000000000.\n',
  )
  expect(refused.stderr).toContain('2 of 3 rows cannot be used; nothing was changed.')
  expect(refused.stderr).not.toContain('\u001b')
  expect(await freeze()).toEqual(before)

  writeFileSync(file, 'SYMBOL,VOL_FRZ_QTY\nSENSEX,1000\nBANKEX,950\n')
  const asked = await terminal.svc(`admin freeze upload BFO ${file}`)
  expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('Pass --yes')])
  const declined = await terminal.svc(`admin freeze upload BFO ${file}`, { typed: ['n'] })
  expect([declined.exit, declined.stdout]).toEqual([
    1,
    expect.stringContaining('Replace all freeze quantities of BFO? [y/N]'),
  ])
  expect(await freeze()).toEqual(before)
  const done = await terminal.svc(`admin freeze upload BFO ${file} --yes`)
  expect(done).toMatchObject({
    exit: 0,
    stdout: '3\tBANKEX\tchanged\t900\t950\n\tSENSEX50\tremoved\t1800\t\n',
    stderr: 'BFO: 0 added, 1 changed, 1 unchanged, 1 removed.\n',
  })
  expect(await freeze()).toEqual([
    ['BANKEX', 950],
    ['SENSEX', 1000],
  ])
})

it('svc admin holiday warns of a year without a list, until the owner calls it complete', async () => {
  const { terminal } = desk
  expect((await terminal.svc('admin holiday list --year 2031')).stderr).toContain('has no holidays of 2031')
  const days = '--closed NSE,BSE --open MCX=18:00-00:15'
  expect((await terminal.svc(`admin holiday add 2031-03-10 Holi ${days}`)).exit).toBe(0)
  expect((await terminal.svc(`admin holiday add 2031-03-10 Holi ${days}`)).exit).toBe(5)
  const listed = await terminal.svc('admin holiday list --year 2031 --columns date,closed,open')
  expect(listed.stdout).toBe('2031-03-10\tNSE BSE\tMCX 18:00-00:15\n')
  expect(listed.stderr).toContain('svc admin holiday complete 2031')
  expect((await terminal.svc('admin holiday complete 2031')).stderr).toBe(
    'The holidays of 2031 are complete.\n',
  )
  expect((await terminal.svc('admin holiday list --year 2031')).stderr).toBe('')
})

it.each([
  ['admin freeze add NSE SBIN 5', 2, 'Exchange must be one of: NFO, BFO, CDS, MCX'],
  ['admin freeze set 99999 5', 4, 'Entry not found'],
  ['admin freeze set 1 1.5', 2, 'Not a valid integer'],
  ['admin freeze delete 99999 --yes', 4, 'Entry not found'],
  ['admin holiday add 2027-13-01 x --closed NSE', 2, 'Invalid date format. Use YYYY-MM-DD'],
  ['admin holiday add 2027-04-05 x --open MCX', 2, '--open must be an exchange and its hours'],
  ['admin holiday add 2027-04-05 x --open MCX=9:5-10:00', 2, 'Invalid time format. Use HH:MM'],
  ['admin holiday delete 99999 --yes', 4, 'Holiday not found'],
  ['admin holiday complete 1999', 2, 'Must be greater than or equal to 2020'],
  ['admin timing set CRYPTO 09:00 10:00 --yes', 2, 'CRYPTO trades around the clock'],
  ['admin timing set NSE 15:30 09:15 --yes', 2, 'End time must be after start time'],
  ['admin timing check tomorrow', 2, 'Invalid date format. Use YYYY-MM-DD'],
])('svc %s ends with %i', async (line, exit, text) => {
  const result = await desk.terminal.svc(line)
  expect([result.exit, result.stderr]).toEqual([exit, expect.stringContaining(text)])
})
