import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { EXIT } from '../../../src/cli/framework/exit-codes.js'
import { readAll } from '../../../src/cli/io/read-all.js'

describe('reading stdin', () => {
  it('takes everything, characters that are cut in two included', async () => {
    const stream = new PassThrough()
    const text = readAll(stream, new AbortController().signal)
    const bytes = Buffer.from('order ₹')
    for (const byte of bytes) stream.write(Buffer.from([byte]))
    stream.end()
    expect(await text).toBe('order ₹')
  })

  it('ends at once with 130 on Ctrl-C, and releases the stream', async () => {
    const stream = new PassThrough()
    const controller = new AbortController()
    const text = readAll(stream, controller.signal)
    stream.write('{"symbol":')
    controller.abort()
    await expect(text).rejects.toMatchObject({ exit: EXIT.interrupted })
    expect(stream.destroyed).toBe(true)
  })

  it('does not begin after Ctrl-C', async () => {
    await expect(readAll(new PassThrough(), AbortSignal.abort())).rejects.toMatchObject({ exit: 130 })
  })

  it('stops at 64 MiB, also when the stream has no end', async () => {
    const mebibyte = Buffer.alloc(1_048_576, 'x')
    const exactly = Readable.from(Array.from({ length: 64 }, () => mebibyte))
    expect(await readAll(exactly, undefined)).toHaveLength(64 * 1_048_576)
    const endless = new Readable({
      read() {
        this.push(mebibyte)
      },
    })
    await expect(readAll(endless, undefined, '/dev/zero')).rejects.toMatchObject({
      exit: EXIT.usage,
      message: '/dev/zero is larger than 64 MiB, the most that a command reads.',
    })
    expect(endless.destroyed).toBe(true)
  })
})
