import { expect, test, vi } from 'vitest'
import { decodeLog, encodeLog, istIso, RunLog } from '../../../../src/core/flows/engine/run-log.js'

const at = Date.parse('2026-08-04T09:07:05.123+05:30')
const now = () => at

test('a line has its instant, shown in IST with the offset', () => {
  const log = new RunLog(now)
  log.add('hello', 'warn')
  expect(log.entries).toEqual([{ at, message: 'hello', level: 'warn' }])
  expect(istIso(at)).toBe('2026-08-04T09:07:05.123+05:30')
  expect(istIso(at + 877)).toBe('2026-08-04T09:07:06.000+05:30')
})

test.each([
  ['nothing', []],
  [
    'lines',
    [
      { at, message: 'hello', level: 'info' },
      { at: at + 1, message: '', level: 'error' },
    ],
  ],
  ['quotes, breaks and nulls', [{ at, message: '"a"\\\n\0\u2028₹', level: 'warning' }]],
] as const)('reads back as stored: %s', (_what, entries) => {
  expect(decodeLog(encodeLog(entries))).toEqual(entries)
})

test('keeps 5000 lines and logs that the log is full', () => {
  const heard: string[] = []
  const log = new RunLog(now, ({ message }) => heard.push(message))
  for (let i = 0; i < 6000; i++) log.add(`line ${i}`, 'error')
  expect(log.entries).toHaveLength(5001)
  expect(log.entries.at(-1)).toMatchObject({ message: 'The log is full: 5000 lines', level: 'warning' })
  expect(heard).toHaveLength(5001)
})

test('keeps a million characters and logs that the log is full', () => {
  const log = new RunLog(now)
  for (let i = 0; i < 400; i++) log.add('a'.repeat(4096))
  expect(log.entries).toHaveLength(257)
  expect(log.entries.at(-1)).toMatchObject({
    message: 'The log is full: 1048576 characters',
    level: 'warning',
  })
})

test('searches only the part of a long line that can be shown, and shows no part of a secret at its end', () => {
  const log = new RunLog(now)
  const secret = 'k3y'.repeat(1000)
  log.hide(secret)
  const replaceAll = vi.spyOn(String.prototype, 'replaceAll')
  for (let before = 0; before < 13_000; before += 997) {
    log.add(`${'-'.repeat(before)}${secret}${'-'.repeat(1_000_000)}`)
  }
  const searched = Math.max(...replaceAll.mock.results.map(({ value }) => String(value).length))
  replaceAll.mockRestore()
  expect(searched).toBeLessThan(12_000)
  for (const { message } of log.entries) expect(message).toMatch(/^-*(\*\*\*)?-*…$/)
})

test.each([
  ['one byte', 'a'],
  ['two', 'é'],
  ['three', '₹'],
  ['four', '📈'],
])('cuts a line of %s characters at 4 KiB, between characters', (_what, letter) => {
  const log = new RunLog(now)
  log.add(letter.repeat(5000))
  const [{ message } = { message: '' }] = log.entries
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096)
  expect(Buffer.byteLength(message)).toBeGreaterThan(4085)
  expect(message).toMatch(new RegExp(`^${letter}+…$`, 'u'))
})

test('a line of exactly 4 KiB stays whole', () => {
  const log = new RunLog(now)
  log.add('a'.repeat(4096))
  expect(log.entries[0]?.message).toBe('a'.repeat(4096))
})

test('hides a secret before it cuts, and an empty one hides nothing', () => {
  const log = new RunLog(now)
  log.hide('')
  log.hide('hunter2')
  log.add(`${'a'.repeat(4090)}hunter2`)
  expect(log.entries[0]?.message).toBe(`${'a'.repeat(4090)}***`)
})
