import { expect, test } from 'vitest'
import { isKeyName } from '../../../src/tui/keys/key-press.js'
import { keyboard } from './support.js'

/** The bytes of keys, as terminals send them, with the names that key tables use. */
const KEYS: readonly (readonly [bytes: string, ...names: string[]])[] = [
  ['a', 'a'],
  ['A', 'A'],
  ['?', '?'],
  [' ', 'space'],
  ['\r', 'enter'],
  ['\t', 'tab'],
  ['\u001b[Z', 'shift-tab'],
  ['\u007f', 'backspace'],
  ['\u0008', 'backspace'],
  ['\u001b[A', 'up'],
  ['\u001b[B', 'down'],
  ['\u001b[C', 'right'],
  ['\u001b[D', 'left'],
  ['\u001bOA', 'up'],
  ['\u001b[5~', 'pgup'],
  ['\u001b[6~', 'pgdn'],
  ['\u001b[H', 'home'],
  ['\u001b[F', 'end'],
  ['\u000b', 'ctrl-k'],
  ['\u0018', 'ctrl-x'],
  ['\u0003', 'ctrl-c'],
  ['\u001a', 'ctrl-z'],
  ['\u001bx', 'alt-x'],
  ['é', 'é'],
  ['日', '日'],
  ['👩‍👩‍👧', '👩‍👩‍👧'],
  // Fast typing arrives as one piece.
  ['buy', 'b', 'u', 'y'],
  ['jj\u001b[Ak', 'j', 'j', 'up', 'k'],
  // So do a key that is held down, and keys on a slow line.
  ['\u007f\u007f7', 'backspace', 'backspace', '7'],
  ['\u0015ab\t', 'ctrl-u', 'a', 'b', 'tab'],
  ['1\u007f2\b3\t4', '1', 'backspace', '2', 'backspace', '3', 'tab', '4'],
  ['jj\u0018kill\r', 'j', 'j', 'ctrl-x', 'k', 'i', 'l', 'l', 'enter'],
  ['j\u0003', 'j', 'ctrl-c'],
]

test.each(KEYS)('%j is %s', async (bytes, ...names) => {
  const { presses, send } = keyboard()
  await send(bytes)
  await expect.poll(() => presses.map(({ name }) => name)).toEqual(names)
  for (const name of names) expect(isKeyName(name) || name.length > 1).toBe(true)
})

test('escape alone is the key', async () => {
  const { presses, send } = keyboard()
  await send('\u001b')
  await expect.poll(() => presses).toEqual([{ name: 'esc', text: '' }])
})

test.each([
  ['a text', 'hello', 'hello'],
  ['a text of several lines', 'one\r\ntwo', 'one\r\ntwo'],
  ['keys of the screen', 'qA\rd', 'qA\rd'],
  ['an escape sequence', 'a\u001b[Ab', 'ab'],
])('pasting %s is one press that starts no act', async (_what, pasted, text) => {
  const { presses, send } = keyboard()
  await send(`\u001b[200~${pasted}\u001b[201~`, 'z')
  await expect
    .poll(() => presses)
    .toEqual([
      { name: 'paste', text },
      { name: 'z', text: 'z' },
    ])
})

test.each([
  ['a', true],
  ['ctrl-k', true],
  ['alt-x', true],
  ['shift-tab', true],
  ['₹', true],
  ['paste', false],
  ['ctrl-', false],
  ['ctrl- ', false],
  ['Enter', false],
  ['', false],
  ['ab', false],
])('%j as the name of a key: %s', (name, expected) => {
  expect(isKeyName(name)).toBe(expected)
})
