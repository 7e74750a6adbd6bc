import { describe, expect, it, onTestFinished } from 'vitest'
import { ScrolledText } from '../../../src/tui/components/ScrolledText.js'
import { KeysProvider } from '../../../src/tui/keys/KeysProvider.js'
import { render } from '../support/render.js'

const linesTo = (count: number) => Array.from({ length: count }, (_, at) => ({ text: `line ${at + 1}` }))

/** Shows a text of some lines in four rows of 20 cells. */
function shownText(count: number, props: { isGrowing?: boolean } = {}) {
  const part = (lines: number) => (
    <KeysProvider>
      <ScrolledText lines={linesTo(lines)} width={20} height={4} {...props} />
    </KeysProvider>
  )
  const app = render(part(count))
  onTestFinished(() => app.unmount())
  return {
    shows: (...lines: readonly number[]) =>
      expect.poll(() => app.lastFrame()).toBe(lines.map((line) => `line ${line}`).join('\n')),
    press: (key: string) => app.stdin.write(key),
    grow: (lines: number) => app.rerender(part(lines)),
  }
}

describe('a text that does not fit', () => {
  it('begins at its first line, and stops at both ends', async () => {
    const { shows, press } = shownText(6)
    await shows(1, 2, 3, 4)
    press('k')
    press('j')
    await shows(2, 3, 4, 5)
    press('G')
    await shows(3, 4, 5, 6)
    press('j')
    press('g')
    await shows(1, 2, 3, 4)
  })

  it('that grows begins at its last line and follows it', async () => {
    const { shows, grow } = shownText(6, { isGrowing: true })
    await shows(3, 4, 5, 6)
    grow(8)
    await shows(5, 6, 7, 8)
  })

  it('that grows stays where the user scrolled to, until its end', async () => {
    const { shows, press, grow } = shownText(6, { isGrowing: true })
    await shows(3, 4, 5, 6)
    press('k')
    await shows(2, 3, 4, 5)
    grow(8)
    await shows(2, 3, 4, 5)
    press('G')
    await shows(5, 6, 7, 8)
    grow(9)
    await shows(6, 7, 8, 9)
  })
})

it('breaks long lines, and keeps empty ones', async () => {
  const lines = [{ text: 'a line that is longer than it' }, { text: '' }, { text: 'end' }]
  const app = render(
    <KeysProvider>
      <ScrolledText {...{ lines, width: 20, height: 4 }} />
    </KeysProvider>,
  )
  onTestFinished(() => app.unmount())
  await expect.poll(() => app.lastFrame()).toBe('a line that is\nlonger than it\n\nend')
})
