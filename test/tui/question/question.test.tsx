import { expect, it, onTestFinished, vi } from 'vitest'
import { KeysProvider } from '../../../src/tui/keys/KeysProvider.js'
import { Question } from '../../../src/tui/question/Question.js'
import { render } from '../support/render.js'

const nothing = () => undefined

function shown(title: string, lines: readonly string[], word?: string): readonly string[] {
  const question = { title, lines, ...(word !== undefined && { word }) }
  const app = render(
    <KeysProvider>
      <Question {...{ question, width: 40, height: 7 }} onConfirm={nothing} onCancel={nothing} />
    </KeysProvider>,
  )
  const frame = app.lastFrame()?.trimEnd().split('\n') ?? []
  app.unmount()
  return frame
}

it.each([
  [4, ['  line 1', '  line 2', '  line 3', '  line 4']],
  [5, ['  line 1', '  line 2', '  line 3', '  and 2 more (↑↓ scroll)']],
])('a question over %i lines says how many do not fit', (count, expected) => {
  const lines = Array.from({ length: count }, (_, at) => `line ${at + 1}`)
  expect(shown('Close all?', lines).slice(1)).toEqual(expected)
})

it('a question with a very long name still ends with the mode and the broker, and has its line to type in', () => {
  const lines = shown(
    `Run "${'x'.repeat(2000)}" now, in LIVE mode at simulated?`,
    ['It may send orders:'],
    'live',
  )
  expect(lines[0]).toMatch(/^Run/)
  expect(lines.slice(1)).toEqual([
    ...['…', expect.stringMatching(/LIVE mode at simulated\?$/)],
    ...['  It may send orders:', 'Type live to confirm:'],
  ])
})

it('a long line of a question with a word is whole, in several lines', () => {
  const lines = shown('Send?', ['BUY 10 NSE:SBIN, LIMIT at ₹900.00, MIS, expiry 24NOV26'], 'live')
  expect(lines.slice(1)).toEqual([
    ...['  BUY 10 NSE:SBIN, LIMIT at ₹900.00,', '  MIS, expiry 24NOV26'],
    'Type live to confirm:',
  ])
})

it('a question may have the same line twice', () => {
  const faults = vi.spyOn(console, 'error').mockImplementation(nothing)
  onTestFinished(() => faults.mockRestore())
  expect(shown(`Delete ${'x'.repeat(90)}?`, ['same', 'same']).slice(-2)).toEqual(['  same', '  same'])
  expect(faults).not.toHaveBeenCalled()
})
