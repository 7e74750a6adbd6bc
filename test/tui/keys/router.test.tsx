import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import type { Key } from 'ink'
import { expect, test } from 'vitest'
import type { KeyPress } from '../../../src/tui/keys/key-press.js'
import { KeyRouter, type Level } from '../../../src/tui/keys/router.js'
import { keyboard } from './support.js'

const NO_KEY: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
}

/** A router with layers that record what they see; a layer handles what `handles` says. */
function routerOf(levels: readonly Level[], handles: Partial<Record<Level, string>> = {}) {
  const faults: unknown[] = []
  const router = new KeyRouter((thrown) => faults.push(thrown))
  const seen: string[] = []
  const add = (level: Level) =>
    router.add(level, ({ name }) => {
      seen.push(`${level} ${name}`)
      return handles[level]?.includes(name) ?? false
    })
  const removes = new Map(levels.map((level) => [level, add(level)]))
  const press = async (...names: string[]) => {
    for (const name of names) router.take(name, NO_KEY)
    for (let turns = 0; turns < 10 * names.length; turns += 1) await turn()
  }
  return { router, seen, removes, press }
}

const ALL = ['shell', 'screen', 'pane', 'overlay', 'controls'] as const

test.each([
  [
    'every layer sees a press that none handles',
    ['controls', 'screen', 'shell'],
    {},
    'controls, screen, shell',
  ],
  [
    'a layer keeps the press that it handles',
    ['controls', 'screen', 'shell'],
    { screen: 'a' },
    'controls, screen',
  ],
  ['a pane keeps every press from the screen', ['controls', 'pane', 'screen', 'shell'], {}, 'controls, pane'],
  ['an overlay keeps every press from the pane', ALL, {}, 'controls, overlay'],
  ['nothing comes before the controls', ALL, { controls: 'a' }, 'controls'],
] as const)('%s', async (_what, levels, handles, expected) => {
  const { seen, press } = routerOf(levels, handles)
  await press('a')
  expect(seen).toEqual(expected.split(', ').map((level) => `${level} a`))
})

test('the last layer of a level sees a press first', async () => {
  const { router, seen, press } = routerOf(['screen'])
  router.add('screen', ({ name }) => {
    seen.push(`newer ${name}`)
    return name === 'a'
  })
  await press('a', 'b')
  expect(seen).toEqual(['newer a', 'newer b', 'screen b'])
})

test('a removed layer sees nothing, and no other one is lost with it', async () => {
  const { seen, removes, press } = routerOf(['pane', 'screen'])
  removes.get('pane')?.()
  await press('a')
  expect(seen).toEqual(['screen a'])
})

test('typed text reaches the pane that its first key opens', async () => {
  const { router, seen, press } = routerOf([])
  router.add('screen', ({ name }) => {
    seen.push(`screen ${name}`)
    // React mounts the pane a moment later.
    setImmediate(() => router.add('pane', (press) => seen.push(`pane ${press.name}`) > 0))
    return true
  })
  await press('r', 'a', 'q')
  expect(seen).toEqual(['screen r', 'pane a', 'pane q'])
})

/** A text with the lengths of the pieces in which it arrives. */
const pieces = (text: string, lengths: readonly number[]): readonly string[] => {
  const chunks: string[] = []
  let at = 0
  for (const length of [...lengths, text.length]) {
    if (at >= text.length) break
    chunks.push(text.slice(at, at + length))
    at += length
  }
  return chunks
}
const LENGTHS = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 20 })
/** Characters that people type: none of them is a control character. */
const TYPED = fc.string({ unit: fc.constantFrom(...'abcXYZ019 ?:/-.₹é'), minLength: 1, maxLength: 40 })

const nameOf = (character: string) => (character === ' ' ? 'space' : character)

test('typed text is the same presses, however it is cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(TYPED, LENGTHS, async (text, lengths) => {
      const { router, press } = routerOf([])
      const presses: KeyPress[] = []
      router.add('screen', (one) => presses.push(one) > 0)
      await press(...pieces(text, lengths))
      await expect.poll(() => presses.length).toBe(text.length)
      expect(presses.map(({ name }) => name)).toEqual([...text].map(nameOf))
    }),
    { numRuns: 50 },
  )
})

test('a pasted text is one press, however it is cut into pieces', async () => {
  const { presses, send } = keyboard()
  await fc.assert(
    fc.asyncProperty(TYPED, LENGTHS, async (text, lengths) => {
      presses.length = 0
      await send('\u001b[200~', ...pieces(text, lengths), '\u001b[201~')
      await expect.poll(() => presses).toEqual([{ name: 'paste', text }])
    }),
    { numRuns: 30 },
  )
})
