import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { positions } from '../../../src/tui/positions/screen.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

const SIZE = { width: 80, height: 21 }

/** A result of so many words. */
const resultOf = (words: number) => Array.from({ length: words }, (_, at) => `word${at + 1}`).join(' ')

async function opened() {
  const { access } = await liveDesk()
  const app = await shown(access, <positions.View {...SIZE} />)
  await app.shows('No positions.')
  await app.shows('No profit or loss to draw yet today.')
  const lines = () => app.screen().split('\n')
  const fits = () => {
    expect(lines()).toHaveLength(SIZE.height)
    expect(Math.max(...lines().map((line) => stringWidth(line)))).toBeLessThanOrEqual(SIZE.width)
    expect(lines().at(-1)).toMatch(/\? keys$/)
  }
  return { ...app, fits, lines }
}

it('a long result is whole, in as many lines as it needs, and the screen still fits', async () => {
  const { desk, fits, lines, shows } = await opened()
  fits()
  const before = lines()
  const result = resultOf(40)
  desk.changes.say(result)
  await shows('word40')
  fits()
  expect(lines().join(' ')).toContain(result)
  desk.changes.say('')
  await expect.poll(lines).toEqual(before)
})

it('a result without an end takes a third of the screen, and says that it goes on', async () => {
  const { desk, fits, lines, shows } = await opened()
  desk.changes.say(resultOf(400))
  await shows('word1 ')
  fits()
  expect(lines().filter((line) => line.startsWith('word'))).toHaveLength(7)
  expect(lines().at(-2)).toMatch(/…$/)
})
