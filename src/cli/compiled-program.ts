import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import type { begin } from './begin.js'
import type { ProgramName } from './programs.js'

/** The file of a program. */
export const fileOf = (name: ProgramName): string => `${name}.cjs`

/** The code that V8 compiled from that file. Its name has V8's version and flags, because no other V8 can use it. */
const codeFileOf = (name: ProgramName) => `${name}-${cachedDataVersionTag()}.code`

interface Program {
  begin: typeof begin
}

/** The code file ends with a checksum of the program and the code. V8 itself compares only lengths. */
const CHECKSUM_BYTES = 4

/**
 * Returns a program from a folder of the build; undefined when the folder has no code for this V8, or code that is
 * damaged or of another program.
 */
export function compiledIn(folder: string, name: ProgramName): Program | undefined {
  const file = join(folder, codeFileOf(name))
  if (!existsSync(file)) return undefined
  const stored = readFileSync(file)
  if (stored.length < CHECKSUM_BYTES) return undefined
  const code = stored.subarray(0, -CHECKSUM_BYTES)
  const { source, filename } = sourceIn(folder, name)
  if (stored.readUInt32LE(code.length) !== checksum(source, code)) return undefined
  return load(filename, source, code).program
}

/**
 * Returns a program from a folder of the build, compiled by this process, and a function that stores the code of
 * all functions that have run by then.
 */
export function compileIn(folder: string, name: ProgramName): { program: Program; store: () => void } {
  const { source, filename } = sourceIn(folder, name)
  const { program, script } = load(filename, source)
  const store = () => {
    const code = script.createCachedData()
    const end = Buffer.alloc(CHECKSUM_BYTES)
    end.writeUInt32LE(checksum(source, code))
    writeFileSync(join(folder, codeFileOf(name)), Buffer.concat([code, end]))
  }
  return { program, store }
}

function sourceIn(folder: string, name: ProgramName): { filename: string; source: Buffer } {
  const filename = join(folder, fileOf(name))
  return { filename, source: readFileSync(filename) }
}

const checksum = (source: Buffer, code: Buffer): number => crc32(code, crc32(source))

function load(filename: string, source: Buffer, cachedData?: Buffer): { program: Program; script: Script } {
  // The build writes ASCII, which V8 keeps in one byte a character, and the function around it.
  const script = new Script(source.toString('latin1'), { filename, cachedData })
  const module: { exports: Partial<Program> } = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(filename), module, filename, dirname(filename))
  if (!module.exports.begin) throw new Error(`${filename} is not the program`)
  return { program: { begin: module.exports.begin }, script }
}
