import { PassThrough } from 'node:stream'
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
})
