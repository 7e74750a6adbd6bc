import { expect, it } from 'vitest'
import type { Format } from '../../../src/cli/framework/globals.js'
import { ProgressLine, progressText } from '../../../src/cli/output/progress-line.js'

interface Setting {
  isTty?: boolean
  quiet?: boolean
  format?: Format
  columns?: number
}

/** A line on a terminal whose time the test sets, with what was written. */
function lineOn({ isTty = true, quiet = false, format, columns = 80 }: Setting = {}) {
  const written: string[] = []
  const time = { now: 50_000 }
  const io = {
    now: () => time.now,
    stderr: {
      isTty,
      columns,
      write: (text: string) => void written.push(text),
      flushed: async () => undefined,
    },
  }
  const line = new ProgressLine(io, { format, quiet })
  const after = (ms: number, text: string) => {
    time.now += ms
    line.show(() => text)
  }
  return { after, line, written }
}

it('appears after a second, is replaced at most ten times a second, and is removed', () => {
  const { after, line, written } = lineOn()
  after(0, 'early')
  after(999, 'early')
  after(1, '09:40 of 15:15')
  after(99, 'too soon')
  after(1, '09:45 of 15:15')
  line.clear()
  expect(written).toEqual(['\r\x1b[K09:40 of 15:15', '\r\x1b[K09:45 of 15:15', '\r\x1b[K'])
})

it('removes nothing when it never appeared', () => {
  const { after, line, written } = lineOn()
  after(10, 'early')
  line.clear()
  expect(written).toEqual([])
})

it('never wraps', () => {
  const { after, written } = lineOn({ columns: 10 })
  after(2000, '0123456789ABCDEF')
  expect(written).toEqual(['\r\x1b[K012345678'])
  const unmeasured = lineOn({ columns: 0 })
  unmeasured.after(2000, 'whole')
  expect(unmeasured.written).toEqual(['\r\x1b[Kwhole'])
})

it.each<[string, Setting]>([
  ['in a pipe', { isTty: false }],
  ['with --quiet', { quiet: true }],
  ['with --json', { format: 'json' }],
])('writes nothing %s', (_, setting) => {
  const { after, line, written } = lineOn(setting)
  after(5000, 'long work')
  line.clear()
  expect(written).toEqual([])
})

it.each([
  ['2026-11-20T11:42:30+05:30', '11:42 of 15:15, 3 orders'],
  ['2026-11-19T11:42:30+05:30', '2026-11-19 11:42 of 2026-11-20 15:15, 3 orders'],
])('says at %s: %s', (now, text) => {
  expect(progressText(Date.parse(now), Date.parse('2026-11-20T15:15:00+05:30'), '3 orders')).toBe(text)
})
