import chalk from 'chalk'
import { Box, Text } from 'ink'
import { expect, onTestFinished, test } from 'vitest'
import { PaintedLine } from '../../../src/tui/terminal/PaintedLine.js'
import { render } from '../support/render.js'

/** The lines that the terminal shows. */
const linesOf = (node: Parameters<typeof render>[0]) => (render(node).lastFrame() ?? '').split('\n')

test.each([
  ['fits', ['NSE:SBIN ', '975.10'], 20, 'NSE:SBIN 975.10'],
  ['fills the line', ['NSE:SBIN ', '975.10'], 15, 'NSE:SBIN 975.10'],
  ['is too long', ['NSE:SBIN ', '975.10'], 12, 'NSE:SBIN 97…'],
  ['ends before a part', ['NSE:SBIN ', '975.10'], 9, 'NSE:SBIN'],
  ['has characters of two cells', ['日本', '株価'], 7, '日本株…'],
  ['is empty', [''], 5, ''],
  ['has escape sequences', ['\u001b[2J', '\u202eSBIN\u009b1m'], 40, '\\u001b[2J\\u202eSBIN\\u009b1m'],
  ['is too long with one', ['NSE:\u001b[2J'], 8, 'NSE:\\u0…'],
])('a line that %s', (_, texts, width, shown) => {
  const parts = texts.map((text) => ({ text }))
  expect(linesOf(<PaintedLine parts={parts} width={width} />)).toEqual([shown])
})

test('a new text takes the place of the old one, and its neighbours stay where they are', () => {
  const screen = (price: string) => (
    <Box flexDirection="column">
      <Text>above</Text>
      <Box>
        <PaintedLine parts={[{ text: price }]} width={8} />
        <Text>beside</Text>
      </Box>
      <Text>below</Text>
    </Box>
  )
  const { lastFrame, rerender } = render(screen('975.10'))
  expect(lastFrame()).toBe('above\n975.10  beside\nbelow')
  rerender(screen('1,005.5'))
  expect(lastFrame()).toBe('above\n1,005.5 beside\nbelow')
})

test('a box that is narrower than its line shows it once', () => {
  const lines = linesOf(
    <Box width={4}>
      <PaintedLine parts={[{ text: '975.10' }]} width={6} />
    </Box>,
  )
  expect(lines.join('').trim()).toBe('975.10')
})

test('an inverse line is a bar over the whole width', () => {
  const level = chalk.level
  chalk.level = 1
  onTestFinished(() => {
    chalk.level = level
  })
  const [line] = linesOf(<PaintedLine parts={[{ text: 'SBIN' }]} width={8} isInverse />)
  expect(line).toBe(chalk.inverse('SBIN    '))
})
