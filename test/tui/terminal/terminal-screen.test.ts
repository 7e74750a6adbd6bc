import { expect, it } from 'vitest'
import { TerminalScreen } from '../../../src/tui/terminal/terminal-screen.js'

function screenOf(rows = 10) {
  const written: string[] = []
  let now = 0
  let later: (() => void) | undefined
  const screen = new TerminalScreen({
    write: (text) => void written.push(text),
    rows: () => rows,
    now: () => now,
    later: (run) => {
      later = run
      return () => {
        later = undefined
      }
    },
  })
  return {
    screen,
    written,
    taken: () => written.splice(0).join(''),
    pass(ms: number) {
      now += ms
      const run = later
      later = undefined
      run?.()
    },
  }
}

it('writes only the lines that changed, and nothing for the same frame', () => {
  const { screen, taken, pass } = screenOf()
  screen.enter()
  screen.show('one\ntwo\nthree')
  taken()
  pass(100)
  screen.show('one\nTWO\nthree')
  const change = taken()
  expect(change).toContain('\u001b[2;1H')
  expect(change).toContain('TWO')
  for (const kept of ['one', 'three', '\u001b[2J']) expect(change).not.toContain(kept)
  pass(100)
  screen.show('one\nTWO\nthree')
  expect(taken()).toBe('')
})

it('clears the lines that a shorter frame leaves', () => {
  const { screen, taken, pass } = screenOf()
  screen.enter()
  screen.show('one\ntwo')
  taken()
  pass(100)
  screen.show('one')
  expect(taken()).toContain('\u001b[2;1H\u001b[0m\u001b[2K')
})

it('gathers frames that follow each other quickly, and shows the last one', () => {
  const { screen, taken, pass } = screenOf()
  screen.enter()
  screen.show('1')
  taken()
  for (const frame of ['2', '3', '4']) screen.show(frame)
  expect(taken()).toBe('')
  pass(66)
  expect(taken()).toMatch(/2K4/)
})

it('leaves the alternate screen once, and writes nothing afterwards', () => {
  const { screen, taken, pass } = screenOf()
  screen.enter()
  screen.show('1')
  screen.show('2')
  taken()
  screen.leave()
  screen.leave()
  expect(taken()).toBe('\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l')
  pass(100)
  screen.show('3')
  expect(taken()).toBe('')
})

it('draws everything again when it comes back', () => {
  const { screen, taken } = screenOf()
  screen.enter()
  screen.show('one\ntwo')
  screen.leave()
  taken()
  screen.enter()
  expect(taken()).toMatch(/one.*two/s)
})

it('never writes below the terminal', () => {
  const { screen, taken } = screenOf(2)
  screen.enter()
  screen.show('one\ntwo\nthree')
  expect(taken()).not.toContain('three')
})

it('asks the terminal to mark pasted texts for as long as it has the screen', () => {
  const { screen, taken } = screenOf()
  screen.enter()
  expect(taken()).toContain('\u001b[?2004h')
  screen.leave()
  expect(taken()).toContain('\u001b[?2004l')
  screen.enter()
  expect(taken()).toContain('\u001b[?2004h')
})

it('rings the bell between frames, and not while the shell has the terminal', () => {
  const { screen, written, taken, pass } = screenOf()
  screen.ring()
  expect(taken()).toBe('')
  screen.enter()
  screen.show('one')
  taken()
  screen.show('two')
  screen.ring()
  pass(66)
  expect(written.map((text) => text.includes('\u0007'))).toEqual([true, false])
  expect(written[0]).toBe('\u0007')
  screen.leave()
  taken()
  screen.ring()
  expect(taken()).toBe('')
})
