import { Text } from 'ink'
import { expect, it } from 'vitest'
import { Panel, panelParts } from '../../../src/tui/components/Panel.js'
import { render } from '../support/render.js'

const textsOf = (lines: Parameters<typeof panelParts>[0], width: number) =>
  panelParts(lines, width).map((parts) => parts.map(({ text }) => text).join(''))

it('numbers end at one place, and are whole where their names are not', () => {
  const lines = [
    { label: 'P&L', value: '+35.00' },
    { label: 'max drawdown', value: '-12,34,567.00' },
  ]
  expect(textsOf(lines, 26)).toEqual(['P&L                 +35.00', 'max drawdown -12,34,567.00'])
  expect(textsOf(lines, 20)).toEqual(['P&L           +35.00', 'max d… -12,34,567.00'])
  expect(textsOf(lines, 60)[0]).toHaveLength(30)
})

it('words take as many lines as they need', () => {
  expect(textsOf([{ text: 'No orders waiting.' }], 10)).toEqual(['No orders', 'waiting.'])
})

it('a title with a control character keeps its line', () => {
  const panel = (
    <Panel title={'Queue\u001b'} width={24} height={2} isSelected={false}>
      {() => <Text>content</Text>}
    </Panel>
  )
  expect((render(panel).lastFrame() ?? '').split('\n')[0]).toBe('─ Queue\\u001b ──────────')
})

it('the title names the age, and a character marks the cursor', () => {
  const panel = (isSelected: boolean, stale = '') => (
    <Panel title="Queue" width={24} height={2} isSelected={isSelected} stale={stale}>
      {() => <Text>content</Text>}
    </Panel>
  )
  const titleOf = (isSelected: boolean, stale?: string) =>
    (render(panel(isSelected, stale)).lastFrame() ?? '').split('\n')[0]
  expect(titleOf(false)).toBe('─ Queue ────────────────')
  expect(titleOf(true)).toBe('> Queue ────────────────')
  expect(titleOf(false, '12s old: gone')).toBe('─ Queue  12s old: gone ─')
})
