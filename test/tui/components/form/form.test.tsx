import { describe, expect, it } from 'vitest'
import { Form, type FormField, type FormValues } from '../../../../src/tui/components/form/Form.js'
import { liveDesk } from '../../support/live-desk.js'
import { DOWN, ENTER, ESC, RIGHT, shown, UP } from '../../support/shown.js'

const FIELDS: readonly FormField[] = [
  { name: 'symbol', label: 'Symbol', problem: (value) => (value === '' ? 'required' : undefined) },
  { name: 'type', label: 'Type', choices: ['MARKET', 'LIMIT', 'SL'] },
  {
    name: 'price',
    label: 'Price',
    isShown: ({ type }) => type !== 'MARKET',
    problem: (value) => (/^\d+$/.test(value) ? undefined : 'a number'),
  },
  { name: 'secret', label: 'Secret', isSecret: true },
]

async function opened(
  first: FormValues = { symbol: '', type: 'MARKET', price: '', secret: '' },
  more: { refusal?: string; height?: number } = {},
) {
  const { access } = await liveDesk()
  const submitted: FormValues[] = []
  let cancels = 0
  const form = (
    <Form
      {...{ title: 'Place', fields: FIELDS, first, width: 80, height: 10, ...more }}
      onSubmit={(values) => submitted.push(values)}
      onCancel={() => (cancels += 1)}
    />
  )
  const app = await shown(access, form)
  await app.shows('Place')
  return { ...app, submitted, cancels: () => cancels }
}

describe('a form', () => {
  it('names the rule that a value breaks while it is typed', async () => {
    const { press, shows, screen } = await opened()
    await shows(/> Symbol .*required/)
    await press('S')
    await shows(/> Symbol +S/)
    expect(screen()).not.toContain('required')
  })

  it('shows a field only where it matters', async () => {
    const { press, shows, screen } = await opened()
    expect(screen()).not.toContain('Price')
    await press(DOWN)
    await shows(/> Type +\[MARKET\] LIMIT {2}SL/)
    await press(RIGHT)
    await shows(/> Type .*\[LIMIT\]/)
    await shows(/Price +a number/)
  })

  it('a letter chooses the next value that begins with it', async () => {
    const { press, shows } = await opened()
    await press(DOWN)
    await press('s')
    await shows(/\[SL\]/)
  })

  it('enter goes to the next field, and on the last to the first wrong one', async () => {
    const { press, shows, submitted } = await opened()
    for (let fields = 0; fields < 3; fields += 1) await press(ENTER)
    await shows(/> Symbol .*required/)
    expect(submitted).toEqual([])
  })

  it('submits the values of the shown fields', async () => {
    const { press, submitted } = await opened()
    await press('SBIN')
    await press(DOWN)
    await press(DOWN)
    await press('pw')
    await press(ENTER)
    expect(submitted).toEqual([{ symbol: 'SBIN', type: 'MARKET', secret: 'pw' }])
  })

  it('has the whole of a long refusal below its fields, as far as there is room', async () => {
    const refusal = Array.from({ length: 40 }, (_, at) => `word${at + 1}`).join(' ')
    const { screen } = await opened(undefined, { refusal })
    expect(screen().split('\n').join(' ')).toContain(refusal)
    const small = await opened(undefined, { refusal, height: 5 })
    expect(small.screen().trimEnd()).toMatch(/Secret *\nword1 .*…$/)
  })

  it('shows no secret', async () => {
    const { press, shows, screen } = await opened()
    await press(UP)
    for (let fields = 0; fields < 2; fields += 1) await press(DOWN)
    await press('hunter2')
    await shows('•••••••')
    expect(screen()).not.toContain('hunter2')
  })

  it('esc leaves it', async () => {
    const { press, cancels } = await opened()
    await press(ESC)
    await expect.poll(cancels).toBe(1)
  })
})
