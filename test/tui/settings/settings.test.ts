import { describe, expect, it } from 'vitest'
import { clashesOf, listedActs } from '../../../src/tui/settings/own-keys.js'
import { DEFAULTS, readSettings } from '../../../src/tui/settings/settings.js'

describe('the file of settings', () => {
  it('an empty file changes nothing', async () => {
    expect(await readSettings('')).toEqual(DEFAULTS)
  })

  it('sets theme, bell, undo and keys', async () => {
    const text =
      'theme: light\nbell: false\nundo: {seconds: 0, from: 100000}\nkeys:\n  approvals.approve: p\n  shell.quit: [q, ctrl-q]\n'
    expect(await readSettings(text)).toEqual({
      theme: 'light',
      isMuted: true,
      undo: { seconds: 0, from: 100_000 },
      keys: new Map([
        ['approvals.approve', ['p']],
        ['shell.quit', ['q', 'ctrl-q']],
      ]),
    })
  })

  it.each([
    ['theme: pink', 'theme: must be one of: dark, light, high-contrast'],
    ['theme: constructor', 'theme: must be one of: dark, light, high-contrast'],
    ['bell: maybe', 'bell: must be true or false'],
    ['undo: {seconds: -1}', 'undo.seconds: must be whole seconds from 0 to 60'],
    ['undo: {seconds: soon}', 'undo.seconds: must be whole seconds from 0 to 60'],
    ['undo: {from: much}', 'undo.from: must be rupees, 0 or more'],
    ['undo: {minutes: 1}', /undo.*minutes/],
    ['colour: red', /colour/],
    ['keys: {approvals.aprove: y}', 'keys.approvals.aprove: there is no such act; svc tui --keys lists them'],
    ['keys: {shell.quit: ctrl-c}', 'keys.shell.quit: ctrl-c cannot be changed'],
    ['keys: {approvals.approve: y}', 'keys.approvals.approve: y only answers questions'],
    ['keys: {orders.cancel: [c, y]}', 'keys.orders.cancel: y only answers questions'],
    ['keys: {shell.quit: F13}', /keys\.shell\.quit.*no key/],
    ['keys: {shell.quit: []}', /keys\.shell\.quit/],
    ['keys: {approvals.approve: r}', /keys: r is a key of approvals\.\w+ and of approvals\.\w+/],
    ['keys: {approvals.approve: q}', /keys: q is a key of approvals\.approve and of shell\.quit/],
    ['[1]', /expected object/i],
    ['keys: [', /./],
  ])('%s is refused by name and rule', async (text, message) => {
    await expect(readSettings(text)).rejects.toThrow(message)
  })
})

describe('the key tables', () => {
  it('give no key of a pane to two acts', () => {
    expect(clashesOf(new Map())).toEqual([])
  })

  it('have an explanation and a key for each act', () => {
    const acts = listedActs(new Map())
    expect(acts.filter(({ keys }) => keys === '')).toEqual([])
    expect(acts.length).toBeGreaterThan(20)
  })
})
