import { describe, expect, it } from 'vitest'
import { recorded, type SampleTerminal } from '../../scripts/docs/samples/console-blocks.js'
import { shapeOf } from '../../scripts/docs/samples/shape.js'

/** A terminal that answers each command with its own words, and remembers them. */
function echo(): SampleTerminal & { typed: string[] } {
  const typed: string[] = []
  return {
    typed,
    async show(line) {
      typed.push(line)
      return `\nout: ${line}  \n\n`
    },
    async prepare(line) {
      typed.push(`hidden ${line}`)
    },
  }
}

describe('a recording', () => {
  it('runs shown and hidden commands in order, and replaces only the output', async () => {
    const page = [
      'Before.',
      '<!-- setup: svc analyze on -->',
      '```console',
      '$ svc a',
      'old',
      '$ svc b \\',
      '    --long',
      '```',
      '```bash',
      '$ untouched',
      '```',
      '',
    ].join('\n')
    const terminal = echo()
    expect(await recorded(page, terminal)).toBe(
      [
        'Before.',
        '<!-- setup: svc analyze on -->',
        '```console',
        '$ svc a',
        'out: svc a',
        '',
        '$ svc b \\',
        '    --long',
        'out: svc b \\',
        '    --long',
        '```',
        '```bash',
        '$ untouched',
        '```',
        '',
      ].join('\n'),
    )
    expect(terminal.typed).toEqual(['hidden svc analyze on', 'svc a', 'svc b \\\n    --long'])
  })

  it('refuses a block without a command, because nothing would check its text', async () => {
    await expect(recorded('```console\nsvc a\n```\n', echo())).rejects.toThrow('has no command')
  })
})

describe('two recordings have the same shape', () => {
  it.each([
    ['prices and the width of their column', 'SBIN  951.05  -0.50', 'SBIN  1,002.10   3.25'],
    ['ids of orders', 'ORDER  26112307065270', 'ORDER  26112136691118'],
    [
      'idempotency keys',
      'key: cdf748d2-135e-4160-8fc6-7ad1ac821365',
      'key: c0d7190f-6edd-4885-bad6-29384968700d',
    ],
    ['references', 'S1M82E5RM54B75P41D  filled', 'S1M7Y0TGKB1Q0P85E9  filled'],
    ['times and addresses', '01:41:47 http://127.0.0.1:40843', '23:05:01 http://127.0.0.1:5000'],
    ['temporary homes', '/tmp/svc-docs-a1B2c3 (0700)', '/var/tmp/svc-docs-Zz9 (0700)'],
    [
      'warnings of the calendar',
      'KILL SWITCH  false\nThe calendar has no holidays of 2028: a holiday that is missing counts.\n```',
      'KILL SWITCH  false\n```',
    ],
    ['expiries', 'NIFTY23NOV2626000CE', 'NIFTY30NOV2626000CE'],
  ])('whatever their %s', (_what, one, other) => {
    expect(shapeOf(one)).toBe(shapeOf(other))
  })

  it.each([
    ['a column that is gone', 'SYMBOL  QTY  AVG', 'SYMBOL  QTY'],
    ['another state', 'S1M82E5RM54B75P41DJ9  filled', 'S1M82E5RM54B75P41DJ9  open'],
    ['another message', 'Order placed.', 'The order is placed.'],
    ['an additional line', 'a\nb', 'a'],
  ])('but not with %s', (_what, one, other) => {
    expect(shapeOf(one)).not.toBe(shapeOf(other))
  })
})
