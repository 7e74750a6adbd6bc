import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import Module from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compiledIn, compileIn, fileOf } from '../../src/cli/compiled-program.js'
import { tempDir } from '../support/files/temp.js'

const NAME = 'commands'
const program = (answer: number) =>
  Module.wrap(`exports.begin = async () => { globalThis.began = ${answer} }`)

/** Returns a folder with a program, the code of it, and the path of that code. */
function built(): { folder: string; code: string } {
  const folder = tempDir()
  writeFileSync(join(folder, fileOf(NAME)), program(1))
  compileIn(folder, NAME).store()
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.code'))
  return { folder, code: join(folder, name) }
}

test('the program begins from its stored code', async () => {
  const { folder } = built()
  await compiledIn(folder, NAME)?.begin([])
  expect(globalThis).toMatchObject({ began: 1 })
})

test('without code for this V8 there is no compiled program', () => {
  const folder = tempDir()
  writeFileSync(join(folder, fileOf(NAME)), program(1))
  expect(compiledIn(folder, NAME)).toBeUndefined()
})

test('the code of another program of the same length is not used', () => {
  const { folder } = built()
  writeFileSync(join(folder, fileOf(NAME)), program(2))
  expect(compiledIn(folder, NAME)).toBeUndefined()
})

test('damaged code is not used, whichever byte it is', () => {
  const { folder, code } = built()
  const whole = readFileSync(code)
  for (let at = 0; at < whole.length; at += 7) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    writeFileSync(code, damaged)
    expect(compiledIn(folder, NAME), `byte ${at}`).toBeUndefined()
  }
  for (const length of [0, 3, 4, whole.length - 1]) {
    writeFileSync(code, whole.subarray(0, length))
    expect(compiledIn(folder, NAME), `${length} bytes`).toBeUndefined()
  }
})

test('the code of one program is not used for the other', () => {
  const { folder } = built()
  writeFileSync(join(folder, fileOf('program')), program(1))
  expect(compiledIn(folder, 'program')).toBeUndefined()
})
